"""Joints that do not touch each other move as if each were alone, however they were attached."""

import mujoco
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rigs import played, spec_of, wheel, wheels

import pliant

NAMES = ["xl330_bam_m1", "xl330_bam_m4", "mx106_bam_m6", "erob80_100_bam_m4", "sea_centauro_188"]

robots = st.lists(
    st.tuples(st.sampled_from([*NAMES, None]), st.floats(0.01, 0.5), st.floats(-1, 1)),
    min_size=1,
    max_size=9,
).flatmap(lambda joints: st.tuples(st.just(joints), st.permutations(range(len(joints)))))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(robots)
def test_joints_of_one_model_move_as_each_does_alone(robot):
    """A joint without an actuator (None) shifts the DoFs; the order of attaching is any."""
    joints, order = robot
    names = [f"j{k}" for k in range(len(joints))]
    body = "".join(wheel(n, inertia) for n, (_, inertia, _) in zip(names, joints, strict=True))
    spec = spec_of(body, 'gravity="0 0 0"')
    pliant.attach(spec, [(names[k], joints[k][0]) for k in order if joints[k][0]])
    model = spec.compile()
    data = mujoco.MjData(model)
    for k, (name, _, goal) in enumerate(joints):
        data.qvel[k] = 3.0 * goal
        if name:
            data.actuator(names[k]).ctrl[:] = goal
    mujoco.mj_step(model, data, nstep=150)
    for k, (name, inertia, goal) in enumerate(joints):
        if name:
            alone = wheels({"a": name}, a=inertia)
            single = mujoco.MjData(alone)
            single.qvel[:] = 3.0 * goal
            expected = played(alone, np.full((150, 1), goal), single)[-1, 0]
        else:
            expected = 3.0 * goal * 0.3
        assert abs(data.qpos[k] - expected) < 1e-7
