"""A prior: what it costs to leave it, what it does to a fit, how its weight is chosen."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.errors import PliantError
from pliant.identify.fit import Identification, identify
from pliant.identify.problem.objective import KINDS, Kind, Objective
from pliant.identify.problem.prior import Prior
from pliant.identify.problem.residuals import Residuals
from pliant.identify.problem.same_device import kinship, mismatches, other_firmware
from pliant.identify.problem.space import Space, search_space
from pliant.identify.search.search import SearchSettings
from pliant.io.actuator_file import actuator_text
from pliant.io.log import Log

FIX = ("control.derivative_gain", "control.dead_band")
SHORT = SearchSettings(starts=2, generations=6, polish=3, finalists=1, final_polish=8, rounds=0)


def known(servo: Actuator, name: str, **changes: Any) -> Actuator:
    """`servo` with one number known otherwise."""
    return replace(servo, numbers={**servo.numbers, name: replace(servo.numbers[name], **changes)})


@pytest.fixture(scope="module")
def space(servo: Actuator) -> Space:
    return search_space(servo, fix=(*FIX, "plant.arm_mass"))


def test_one_width_costs_one_mrad_and_two_cost_four(servo: Actuator, space: Space) -> None:
    """The width is the standard deviation where the file gives one, else a fifth of the cube."""
    k = space.names.index("motor.R")
    r = servo.value("motor.R")
    prior = Prior(known(servo, "motor.R", std=0.1 * r))
    pull = prior.pull(space, 1.0)
    centre = space.to_cube(prior.start(space).start)
    for factor, widths in ((1.0, 0.0), (1.1, 1.0), (1.2, 2.0)):
        values = prior.start(space).start.copy()
        values[k] *= factor
        cost = pull.cost(pull.deviations(space.to_cube(values)[None]))
        assert cost[0] == pytest.approx(1e-3 * widths**2, rel=0.02, abs=1e-12)
    other = centre.copy()
    other[space.names.index("motor.k_t")] += 0.2
    assert pull.cost(pull.deviations(other[None]))[0] == pytest.approx(1e-3)


def test_what_belongs_to_the_bench_and_what_is_only_assumed_is_not_pulled(
    servo: Actuator, space: Space
) -> None:
    guessed = known(servo, "friction.K_v", how="assumed")
    pulled = {space.names[k] for k in Prior(guessed).pull(space, 1.0).at}
    assert pulled == {n for n in space.names if n not in ("plant.position_offset", "friction.K_v")}


@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_of_the_pull_are_the_slope_of_the_cost(
    kind: Kind, servo: Actuator, logs: list[Log], space: Space
) -> None:
    """weights(r) r is, but for one factor, the gradient of the cost: for samples and pulls."""
    batch = LogBatch([logs[0]], JointEngine(servo))
    goal = Objective(
        Residuals(JointEngine(servo), batch, space), kind, pull=Prior(servo).pull(space, 0.7)
    )
    rng = np.random.default_rng(3)
    count = len(logs[0].time)
    r = np.append(
        rng.choice([-1.0, 1.0], count) * rng.uniform(0.3, 0.5, count),
        rng.normal(0.0, 1.0, len(goal.pulls[0].at)),
    )
    slopes = goal.weights(r) * r
    ratios: list[float] = []
    for k in (5, count - 3, count, count + 2):
        step = np.zeros_like(r)
        step[k] = 1e-5
        slope = (goal.cost((r + step)[None])[0] - goal.cost((r - step)[None])[0]) / 2e-5
        ratios.append(float(slope / slopes[k]))
    assert ratios == pytest.approx([ratios[0]] * 4, rel=2e-3)


def test_the_error_is_that_of_the_samples_alone(
    servo: Actuator, logs: list[Log], space: Space
) -> None:
    batch, engine = LogBatch([logs[0]], JointEngine(servo)), JointEngine(servo)
    goal = Objective(Residuals(engine, batch, space), pull=Prior(servo).pull(space, 5.0))
    point = np.full((1, len(space.names)), 0.6)
    plain = Objective(Residuals(engine, batch, space))
    assert goal.error(goal.residuals(point)) == plain.error(plain.residuals(point))
    assert goal(point)[0] > plain(point)[0]


def fitted(servo: Actuator, logs: list[Log], prior: Prior | None) -> Identification:
    return identify(servo, logs, fix=FIX, search_settings=SHORT, prior=prior)


@pytest.fixture(scope="module")
def near(servo: Actuator) -> Actuator:
    """Another unit of the servo that was recorded: 8 % off."""
    return servo.with_values(
        {
            "own.armature": 0.0028,
            "motor.k_t": 0.58,
            "motor.R": 4.6,
            "friction.K_c": 0.028,
            "friction.K_v": 0.008,
        },
        "another unit",
        "identified",
    )


def test_a_weight_without_end_leaves_every_number_where_it_was(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    stiff = fitted(servo, logs[:2], Prior(near, weight=1e7))
    before, after = ([getattr(m, end) for m in stiff.moved] for end in ("before", "after"))
    assert after == pytest.approx(before, rel=1e-3)
    assert stiff.actuator.bench["position_offset"].value == pytest.approx(0.035, abs=0.01)


def test_one_log_says_little_of_k_t_and_the_prior_the_rest(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    """The motion depends on k_t / R and k_t^2 / R + K_v; the prior splits them up."""
    pulled = fitted(servo, logs[:1], Prior(near, weight=0.1))
    assert pulled.actuator.value("motor.k_t") == pytest.approx(0.55, rel=0.08)
    assert 1e3 * pulled.fitted.mae < 3.0


def test_the_weight_is_chosen_by_logs_left_out(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    """A prior that is far off is to be let go, one that is near is not."""
    far = near.with_values({"motor.k_t": 0.9, "motor.R": 2.0, "friction.K_c": 0.1}, "x", "assumed")
    far = replace(far, numbers={n: replace(x, how="identified") for n, x in far.numbers.items()})
    bad, good = (fitted(servo, logs, Prior(a)).weighing for a in (far, near))
    assert bad is not None and good is not None
    assert bad.errors[bad.weight] == min(bad.errors.values())
    assert bad.weight < max(bad.errors)
    assert bad.errors[max(bad.errors)] > 2.0 * good.errors[max(good.errors)]


def test_a_single_log_cannot_choose_a_weight(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    weighing = fitted(servo, logs[:1], Prior(near)).weighing
    assert weighing is not None
    assert weighing.errors == {}


def test_how_far_each_number_moved_is_said_and_written(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    found = fitted(servo, logs, Prior(near, weight=0.03))
    record = cast("dict[str, Any]", found.actuator.identification["prior"])
    assert record["actuator"] == near.name
    assert set(record["moved"]) == {move.name for move in found.moved}
    for move in found.moved:
        assert record["moved"][move.name] == [near.value(move.name), move.after]
        assert move.after == found.actuator.value(move.name)
    far = [abs(move.widths) for move in found.moved]
    assert far == sorted(far, reverse=True)
    assert "[identification.prior.moved]" in actuator_text(found.actuator)


def test_a_log_of_another_device_or_voltage_is_said(servo: Actuator, logs: list[Log]) -> None:
    assert mismatches(servo, logs) == []
    assert mismatches(servo, [replace(log, device="XL330-M288-T") for log in logs]) == []
    assert mismatches(servo, [replace(log, device="unknown") for log in logs]) == []
    other = [replace(logs[0], device="sts3032", supply=6.0), *logs[1:]]
    assert [doubt.text for doubt in mismatches(servo, other)] == [
        "the logs are of another device: 1 of 4 say 'sts3032', xl330_bam_m1 is of 'xl330'",
        "another voltage: the logs say 6 V, xl330_bam_m1 is for 7.4 V",
    ]


def test_another_firmware_is_said(servo: Actuator) -> None:
    assert other_firmware(servo, servo) == []
    (doubt,) = other_firmware(servo, known(servo, "control.gain", value=0.003))
    assert (doubt.kind, doubt.parameters) == ("another firmware", ("control.gain",))
    assert str(doubt) == "another firmware: control.gain is 0.002877 in the prior, here 0.003"


def test_a_weight_below_zero_is_refused(servo: Actuator) -> None:
    with pytest.raises(PliantError) as caught:
        Prior(servo, weight=-1.0)
    assert str(caught.value) == "prior weight: not a weight; found -1.0; accepted: 0 or more"


def test_it_is_said_whether_prior_and_logs_are_of_one_kind(
    servo: Actuator, logs: list[Log]
) -> None:
    named = [replace(log, device="XL-330", supply=7.4) for log in logs]
    assert kinship(servo, servo, named) == [
        "the same device (xl330)",
        "the same voltage",
        "the same firmware numbers, by the actuators' files",
    ]
    other = known(servo, "control.gain", value=2.0 * servo.value("control.gain"))
    foreign = [replace(log, device="sts3215", supply=12.0) for log in logs]
    assert [word.split(" (")[0] for word in kinship(other, servo, foreign)] == [
        "another device",
        "another voltage",
        "another firmware, by the actuators' files",
    ]
    silent = [replace(log, device="unknown", supply=None) for log in logs]
    assert kinship(servo, servo, silent)[:2] == [
        "the logs do not name their device (xl330)",
        "the logs do not state a voltage",
    ]
