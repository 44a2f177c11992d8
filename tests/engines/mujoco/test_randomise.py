"""A randomised model is the model that was attached with the drawn numbers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import Ensemble, united
from pliant.engines.mujoco.batch.pools import has_batch
from pliant.engines.spec.slots import WITHHELD
from pliant.errors import PliantError

ARM = Path(__file__).parents[3] / "examples" / "arm.xml"
SERVO = "xl330_bam_m6"
FIELDS = ("actuator_user", "actuator_dynprm", "dof_armature", "dof_frictionloss", "dof_invweight0")
DRAWS = {
    "friction.K_c": [0.001, 0.05, 0.02],
    "own.armature": [0.0006, 0.004, 0.009],
    "motor.k_t": [0.2, 0.4, 0.9],
}

SETS = np.array([[3.40257264, 0.0680335733], [3.1, 0.2]])
"""Resistance and friction per load of M4: about its own, and others."""


def arm(actuators: Any, timestep: float = 0.002) -> tuple[mujoco.MjModel, Any]:
    spec = mujoco.MjSpec.from_file(str(ARM))
    spec.option.timestep = timestep
    attachment = pliant.attach(spec, actuators)
    return spec.compile(), attachment


def drawn(k: int) -> pliant.Actuator:
    values = {name: column[k] for name, column in DRAWS.items()}
    return pliant.load_actuator(SERVO).with_values(values, "draw", "assumed")


def test_everything_that_depends_on_a_drawn_number_is_as_if_attached_so() -> None:
    model, attachment = arm({"elbow": SERVO, "shoulder": "mx106_bam_m4"})
    row = int(attachment.randomise(model, {"elbow": DRAWS}, seed=4)["elbow"][0])
    wanted, _ = arm({"elbow": drawn(row), "shoulder": "mx106_bam_m4"})
    for field in FIELDS:
        found, right = getattr(model, field).copy(), getattr(wanted, field).copy()
        if field == "actuator_dynprm":  # the other joint feels this one's armature as attached
            np.testing.assert_allclose(found[:, WITHHELD], right[:, WITHHELD], rtol=0.03)
            found[:, WITHHELD] = right[:, WITHHELD]
        np.testing.assert_allclose(found, right, rtol=1e-9)
    first, second = mujoco.MjData(model), mujoco.MjData(wanted)
    for one, data in ((model, first), (wanted, second)):
        data.ctrl[:] = 0.5
        mujoco.mj_step(one, data, nstep=300)
    np.testing.assert_allclose(first.qpos, second.qpos, atol=1e-9)


def test_without_draws_an_actuator_gives_the_set_that_it_carries() -> None:
    names, rows = tuple(DRAWS), np.array(list(DRAWS.values())).T
    servo = replace(pliant.load_actuator(SERVO), ensemble=Ensemble(names, rows, 2))
    model, attachment = arm({"elbow": servo, "shoulder": "mx106_bam_m4"})
    row = int(attachment.randomise(model, seed=4)["elbow"][0])
    wanted, _ = arm({"elbow": drawn(row), "shoulder": "mx106_bam_m4"})
    np.testing.assert_allclose(model.actuator_user, wanted.actuator_user, rtol=1e-9)
    late = pliant.with_law(servo, "timing", "command_delay")
    late = late.with_values({"timing.delay": 0.01}, "test", "assumed")
    late = replace(late, ensemble=Ensemble(("timing.delay",), np.array([[0.05], [0.002]]), 1))
    model, attachment = arm({"elbow": late})
    column = attachment.column("elbow", "timing.delay")
    attachment.randomise(model, seed=1)
    assert model.actuator_user[model.actuator("elbow").id, column] in (0.01, 0.002)
    _, plain = arm({"elbow": SERVO})
    with pytest.raises(PliantError) as caught:
        plain.randomise(model)
    assert "no actuator carries a set of numbers" in str(caught.value)


def test_a_set_of_several_models_gives_each_of_them_as_if_attached() -> None:
    """M4's fit and draw as M6, and M6's own; the delay of the second is that of the first, none."""
    m4 = pliant.load_actuator("xl330_bam_m4")
    m4 = replace(m4, ensemble=Ensemble(("motor.R", "friction.K_l"), SETS, 1))
    m6 = pliant.with_law(pliant.load_actuator(SERVO), "timing", "command_delay")
    m6 = m6.with_values({"timing.delay": 0.004}, "test", "assumed")
    whole = united([m4, m6])
    drawn_m4 = m4.with_values({"motor.R": SETS[1, 0], "friction.K_l": SETS[1, 1]}, "t", "assumed")
    wanted = [arm({"elbow": one})[0] for one in (m4, SERVO, drawn_m4)]
    model, attachment = arm({"elbow": whole})
    seen: set[int] = set()
    for seed in range(12):
        row = int(attachment.randomise(model, seed=seed)["elbow"][0])
        seen.add(row)
        for field in ("dof_armature", "dof_frictionloss"):
            one, other = getattr(model, field), getattr(wanted[row], field)
            np.testing.assert_allclose(one, other, rtol=1e-9)
        first, second = mujoco.MjData(model), mujoco.MjData(wanted[row])
        for each, data in ((model, first), (wanted[row], second)):
            data.ctrl[:] = 0.5
            mujoco.mj_step(each, data, nstep=300)
        np.testing.assert_allclose(first.qpos, second.qpos, atol=1e-9)
        column = attachment.column("elbow", "friction.K_mq")
        found = model.actuator_user[model.actuator("elbow").id, column]
        assert found == (m6.value("friction.K_mq") if row == 1 else 0.0)
    assert seen == {0, 1, 2}


def test_sub_steps_follow_a_drawn_spring() -> None:
    model, attachment = arm({"elbow": "sea_walkman_200"}, 0.001)
    place = model.actuator("elbow").id
    before = model.actuator_dynprm[place].copy()
    attachment.randomise(model, {"elbow": {"spring.k": [9000.0]}})
    stiff = pliant.load_actuator("sea_walkman_200").with_values(
        {"spring.k": 9000.0}, "draw", "assumed"
    )
    wanted, _ = arm({"elbow": stiff}, 0.001)
    np.testing.assert_allclose(model.actuator_dynprm[place], wanted.actuator_dynprm[place])
    assert not np.array_equal(model.actuator_dynprm[place], before)


@pytest.mark.skipif(not has_batch(), reason="Batch is of MuJoCo 3.17 and later")
def test_each_simulation_of_a_batch_is_one_of_the_draws_and_a_seed_repeats_them() -> None:
    from mujoco.batch import Batch

    model, attachment = arm({"elbow": SERVO})
    batch: Any = Batch(model, 8)
    rows = attachment.randomise(batch, {"elbow": DRAWS}, seed=2)["elbow"]
    assert len(set(rows.tolist())) > 1
    for k, row in enumerate(rows):
        one, (wanted, _) = batch.get_model(k), arm({"elbow": drawn(int(row))})
        for field in FIELDS:
            np.testing.assert_allclose(getattr(one, field), getattr(wanted, field), rtol=1e-9)
    again: Any = Batch(model, 8)
    np.testing.assert_array_equal(
        attachment.randomise(again, {"elbow": DRAWS}, seed=2)["elbow"], rows
    )


def test_a_file_of_draws_is_read_and_the_bench_stays_out_of_the_model(tmp_path: Path) -> None:
    model, attachment = arm({"elbow": SERVO})
    file = tmp_path / "draws.csv"
    file.write_text("plant.arm_mass,friction.K_c\n0.1,0.03\n")
    attachment.randomise(model, {"elbow": file})
    column = attachment.column("elbow", "friction.K_c")
    assert model.actuator_user[model.actuator("elbow").id, column] == 0.03


@pytest.mark.parametrize(
    ("draws", "said"),
    [
        ({"elbw": DRAWS}, "did you mean 'elbow'"),
        ({"elbow": {"friction.Kc": [1.0]}}, "draws of elbow: actuator 'xl330_bam_m6' has no such"),
        ({"elbow": {"friction.K_c": [1e9]}}, "outside the range of its law"),
        ({"elbow": {"friction.K_c": [0.1], "motor.k_t": [0.1, 0.2]}}, "columns of the same length"),
        ({"elbow": {}}, "columns of the same length"),
        ({"elbow": {"friction.K_c": ["a"]}}, "friction.K_c: are no numbers; found ['a']"),
        ({"elbow": {"friction.K_c": [10**400]}}, "friction.K_c: are no numbers"),
        ({"elbow": None}, "draws of elbow: cannot be of the type NoneType"),
        ([], "draws: cannot be of the type list"),
    ],
)
def test_draws_that_cannot_be_used_are_refused(draws: Any, said: str) -> None:
    model, attachment = arm({"elbow": SERVO})
    with pytest.raises(PliantError) as caught:
        attachment.randomise(model, draws)
    assert said in str(caught.value)


@pytest.mark.parametrize("seed", [-1, 1.5, "x"])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    model, attachment = arm({"elbow": SERVO})
    with pytest.raises(PliantError, match="seed: is no seed"):
        attachment.randomise(model, {"elbow": {"friction.K_c": [0.1]}}, seed=seed)


def test_a_delay_that_the_model_does_not_keep_is_refused() -> None:
    delayed = pliant.with_law(pliant.load_actuator(SERVO), "timing", "command_delay")
    name = next(n for n in delayed.fields if n.startswith("timing."))
    model, attachment = arm({"elbow": delayed.with_values({name: 0.01}, "here", "assumed")})
    attachment.randomise(model, {"elbow": {name: [0.004, 0.01]}}, seed=1)
    with pytest.raises(PliantError) as caught:
        attachment.randomise(model, {"elbow": {name: [0.05]}})
    assert "up to 0.01 s; attach the longest delay" in str(caught.value)


def test_spread_pulls_what_is_drawn_away_from_the_attached_numbers() -> None:
    """Within the bounds of the file, and of the law where the file has none; delays not beyond the attached one."""
    servo = pliant.with_law(pliant.load_actuator(SERVO), "timing", "command_delay")
    servo = servo.with_values({"timing.delay": 0.01}, "test", "assumed")
    own, number = servo.value("friction.K_c"), servo.numbers["motor.k_t"]
    assert number.high is not None
    draws = {
        "friction.K_c": [own + 0.001],
        "motor.k_t": [number.value + 0.6 * (number.high - number.value)],
        "timing.delay": [0.008],
        "friction.K_v": [0.0],
    }
    model, attachment = arm({"elbow": servo})
    attachment.randomise(model, {"elbow": draws}, spread=3.0)
    row = model.actuator_user[model.actuator("elbow").id]
    found = {name: row[attachment.column("elbow", name)] for name in draws}
    assert found["friction.K_c"] == pytest.approx(own + 0.003)
    assert found["motor.k_t"] == pytest.approx(number.high)
    assert found["timing.delay"] == pytest.approx(0.004)
    assert found["friction.K_v"] == servo.numbers["friction.K_v"].low
    attachment.randomise(model, {"elbow": draws}, spread=0.0)
    row = model.actuator_user[model.actuator("elbow").id]
    assert row[attachment.column("elbow", "friction.K_c")] == pytest.approx(own)
    for wrong in (-1.0, float("nan"), "wide"):
        with pytest.raises(PliantError, match="spread"):
            attachment.randomise(model, {"elbow": draws}, spread=wrong)  # type: ignore[arg-type]
