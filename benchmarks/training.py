"""MuJoCo Warp: every actuator of the catalogue against MuJoCo, and what a step costs there.

Both sides take the same random smooth commands for 2 s, a two-joint arm that is heavy enough for the
actuator. The cost is of 64 worlds of 20 joints against MuJoCo Warp's own position actuators.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import mujoco
import numpy as np
from attach_cost import arm, native

import pliant
from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.errors import PliantError

ARM = """
<mujoco>
  <option timestep="{h}" integrator="implicitfast"/>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0"/><joint axis="0 1 0"/>
  </default>
  <worldbody>
    <body>
      <joint name="a"/><geom fromto="0 0 0 0 0 -0.1" mass="{mass}"/>
      <body pos="0 0 -0.1">
        <joint name="b"/><geom fromto="0 0 0 0 0 -0.08" mass="{mass}"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
Motion = np.ndarray[Any, Any]
AT_REST = 2e-6
"""[rad] A joint that moves less in a step counts as at rest: float32 resolves 1e-7 at 1 rad."""
MASSES = (0.2, 2.0, 20.0)
WORLDS, JOINTS, STEPS, ROUNDS = 64, 20, 40, 5


def rows() -> Iterator[tuple[str, str, str]]:
    """Parity at two steps, the cost of a step, and of the first one."""
    for h in (0.001, 0.002):
        yield parity(h)
    yield cost()


def commands(actuator: Actuator, h: float) -> np.ndarray[Any, Any]:
    """(N, K) commands; the second one of a device is in the middle of what it takes."""
    rng = np.random.default_rng(1)
    t = np.arange(int(2.0 / h)) * h
    references = int(getattr(actuator.topology.module, "REFERENCES", 1))
    out = np.zeros((len(t), 2 * references))
    for k in range(2):
        for f in (0.4, 0.9, 1.7):
            out[:, k] += rng.uniform(0.1, 0.3) * np.sin(2 * np.pi * f * t + rng.uniform(0, 6))
    if references > 1:
        low, high = presets(actuator)
        out[:, 2:] = 0.5 * (low + high)
        out[:, 2:] += 0.15 * (high - low) * np.sin(2 * np.pi * 0.5 * t)[:, None]
    return out


def presets(actuator: Actuator) -> tuple[float, float]:
    """Range of the second command, within the limits of the adjuster or the springs."""
    if "own.softest" in actuator.fields:
        ends = actuator.value("own.softest"), actuator.value("own.stiffest")
        return min(ends), max(ends)
    most = [actuator.value(name) for name in actuator.fields if name.endswith(".max_def")]
    return 0.1 * min(most, default=0.8), 0.5 * min(most, default=0.8)


def motions(actuator: Actuator, h: float, mass: float) -> tuple[Motion, Motion]:
    """(N, 2) positions [rad] in MuJoCo Warp, and in MuJoCo."""
    import mujoco_warp as mjw

    from pliant.engines.mujoco_warp import attach, install

    both = {"a": actuator, "b": actuator}
    text = ARM.format(h=h, mass=mass)
    controls = commands(actuator, h)
    spec = mujoco.MjSpec.from_string(text)
    pliant.attach(spec, both)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = raised(actuator)
    expected = np.zeros((len(controls), 2))
    for k, control in enumerate(controls):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        expected[k] = data.qpos
    if not np.isfinite(expected).all() or np.abs(expected).max() > 20.0:
        raise PliantError("thrown by MuJoCo itself")
    spec = mujoco.MjSpec.from_string(text)
    attachment = attach(spec, both)
    compiled = spec.compile()
    m, d = mjw.put_model(compiled), mjw.make_data(compiled, nworld=1, njmax=16)
    d.qpos.fill_(raised(actuator))
    install(attachment, compiled, m, d)
    found = np.zeros_like(expected)
    for k, control in enumerate(controls):
        d.ctrl.assign(control[None].astype(np.float32))
        mjw.step(m, d)
        found[k] = d.qpos.numpy()[0]
    return found, expected


def raised(actuator: Actuator) -> float:
    """Initial angle [rad] of both joints; joints without a motor have to swing."""
    return 0.5 if actuator.topology.name == "parallel" else 0.0


def starts_and_stops(q: Motion) -> list[tuple[int, int, bool]]:
    """(step, joint, whether it starts) of every change between rest and motion."""
    moves = np.abs(np.diff(q, axis=0)) > AT_REST
    steps, joints = np.nonzero(np.diff(moves.astype(int), axis=0))
    return [(int(k) + 1, int(j), bool(moves[k + 1, j])) for k, j in zip(steps, joints, strict=True)]


def shifted(found: Motion, expected: Motion, h: float) -> str:
    """Starts and stops that occur later in one engine than in the other: the first, their number, and the delay."""
    there = starts_and_stops(found)
    late: list[tuple[float, int, bool, float]] = []
    for step, joint, start in starts_and_stops(expected):
        near = [k for k, j, s in there if (j, s) == (joint, start)]
        other = min(near, key=lambda k: abs(k - step), default=None)
        apart = (other - step) * h if other is not None else np.inf
        if apart != 0.0:
            late.append((step * h, joint, start, apart))
    if not late:
        return "no start or stop is shifted"
    t, joint, start, apart = late[0]
    most = max(abs(one[3]) for one in late)
    return (
        f"{len(late)} starts or stops shifted, first joint {'ab'[joint]} at {t:.3f} s "
        f"{'starts' if start else 'stops'} {1e3 * apart:+.0f} ms, at most {1e3 * most:.0f} ms"
    )


def parity(h: float, names: Sequence[str] = ()) -> tuple[str, str, str]:
    """Mean and worst difference over the catalogue (or `names`), and those beyond the bar."""
    means, worsts, beyond, thrown = list[float](), list[float](), list[str](), list[str]()
    for name in names or sorted(actuator_files()):
        actuator = pliant.load_actuator(name)
        for mass in MASSES:
            try:
                found, expected = motions(actuator, h, mass)
                break
            except PliantError:
                continue
        else:
            thrown.append(name)
            continue
        error = 1e3 * np.abs(found - expected)
        means.append(float(error.mean()))
        worsts.append(float(error.max()))
        if means[-1] > 0.01 or worsts[-1] > 0.5:
            what = shifted(found, expected, h)
            beyond.append(f"{name} {means[-1]:.3f}/{worsts[-1]:.2f} ({what})")
    return (
        f"{len(means)} actuators in MuJoCo Warp (CPU device) against MuJoCo, {1e3 * h:g} ms, 2 s [mrad]",
        f"mean {np.mean(means):.5f}, median of the worst {median(worsts):.4f}, worst {max(worsts):.3f}; "
        f"beyond the bar: {', '.join(beyond) or 'none'}; not held by MuJoCo: {', '.join(thrown) or 'none'}",
        "0.01, 0.5",
    )


def cost() -> tuple[str, str, str]:
    """A step of 64 worlds x 20 joints, in turn with MuJoCo Warp's own position actuators."""
    import mujoco_warp as mjw

    from pliant.engines.mujoco_warp import attach, install

    spec = arm(JOINTS)
    attachment = attach(spec, {f"j{k}": "xl330_bam_m6" for k in range(JOINTS)})
    ours, theirs = spec.compile(), native(JOINTS, "implicitfast", "xl330_bam_m6")
    sides: list[Callable[[], float]] = []
    first: list[float] = []
    for model in (ours, theirs):
        m = mjw.put_model(model)
        d = mjw.make_data(model, nworld=WORLDS, njmax=64)
        if model is ours:
            install(attachment, model, m, d)
        begin = time.perf_counter()
        mjw.step(m, d)
        first.append(time.perf_counter() - begin)
        sides.append(timed(mjw, m, d))
    ratios = []
    for _ in range(ROUNDS):
        mine = sides[0]()
        ratios.append(mine / sides[1]())
    return (
        f"a step of {WORLDS} worlds x {JOINTS} M6 servos in MuJoCo Warp (CPU device) against its own "
        "position actuators",
        f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}); first step of the process "
        f"{first[0]:.1f} s, then of the other model {first[1]:.1f} s",
        "1.15",
    )


def timed(mjw: Any, m: Any, d: Any) -> Callable[[], float]:
    """The time of `STEPS` steps under a moving command."""

    def run() -> float:
        begin = time.perf_counter()
        for k in range(STEPS):
            d.ctrl.fill_(0.4 * np.sin(0.1 * k))
            mjw.step(m, d)
        d.qpos.numpy()
        return time.perf_counter() - begin

    return run
