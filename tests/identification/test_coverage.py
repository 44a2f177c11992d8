"""Bands hold what a fit has not seen, also where its model is wrong."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pliant.identification.uncertainty.coverage
from pliant import with_law
from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.identification import SearchSettings, evaluate, identify
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.posterior import Posterior, Prior
from pliant.identification.problem.residuals import LOST
from pliant.identification.problem.torque_response import torque_response
from pliant.identification.result.identification import DRAWS, Identification
from pliant.identification.result.known import held
from pliant.identification.result.record import FitRecord
from pliant.identification.uncertainty.coverage import (
    FACTORS,
    Band,
    _covering,
    _Group,
    _narrowest,
    _of_joint,
    _spread,
    coverage,
    widened,
)
from pliant.identification.uncertainty.draws import Coverage, Uncertainty, UncertaintySettings
from pliant.identification.uncertainty.intervals import intervals, with_intervals
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log, windows

from .conftest import TRUTH

SEARCH = SearchSettings(starts=1, jacobians=16)
BRIEF = UncertaintySettings(draws=60)


@pytest.fixture(scope="module")
def real(servo: Actuator) -> Actuator:
    """Friction that grows with the load, of which m1 knows nothing."""
    rich = with_law(servo.with_values(TRUTH, "test", "assumed"), "friction", "m3")
    return rich.with_values({"friction.K_l": 0.15}, "test", "assumed")


def sure(servo: Actuator) -> Prior:
    """Far off, and so sure that no log moves a number by much."""
    numbers = {n: replace(x, std=1e-4 * abs(x.value)) for n, x in servo.numbers.items()}
    return Prior(replace(servo, numbers=numbers))


def recorded(real: Actuator, gain: float, time: str = "10h28m42") -> Log:
    given = read_log(next(p for p in example_logs() if p.stem.endswith(time)))
    name = f"{time} at gain {gain:g}"
    log = replace(given, gain=gain, arm_mass=0.0, name=name, digest=name)
    return replace(log, position=JointEngine(real).rollout(log).position)


def of(found: Identification, sure: Uncertainty, log: Log) -> Band:
    engine = JointEngine(found.actuator)
    batch = LogBatch([log], engine)
    columns = [engine.names.index(name) for name in sure.space.names]

    def simulate(values: Floats) -> Floats:
        candidates = np.repeat(engine.values()[None], len(values), axis=0)
        candidates[:, columns] = values
        return engine.batch(candidates, batch)[0]

    (moved,) = torque_response(engine, engine.values(), [log])
    return widened(sure, simulate(sure.spread(DRAWS)), response=moved)


def test_bands_hold_a_gain_that_no_fit_has_seen(servo: Actuator, real: Actuator) -> None:
    known = [recorded(real, gain) for gain in (100.0, 200.0, 400.0, 800.0)]
    found = identify(servo, known, search_settings=SEARCH, fix=("plant.arm_mass",))
    sure = intervals(found, uncertainty_settings=BRIEF)
    assert set(sure.coverage[""].groups) == {repr(x.gain) for x in known}
    unseen, far = recorded(real, 300.0), recorded(real, 25.0)
    assert of(found, sure, unseen).share(unseen.position) >= 0.85
    assert sure.coverage[""].samples >= 0.7
    made = with_intervals(found, sure).actuator
    # the file's own draws and margin are those that were calibrated
    inside = held(JointRig(made), evaluate(made, [unseen, known[0], far]))[""]
    assert inside.logs[unseen.name] == pytest.approx(of(found, sure, unseen).share(unseen.position))
    assert inside.logs[known[0].name] == pytest.approx(
        of(found, sure, known[0]).share(known[0].position)
    )
    # but for a sample: the file's margin has three digits
    share = of(found, sure, far).share(far.position)
    assert inside.logs[far.name] == pytest.approx(share, abs=1.5 / len(far.time))
    assert inside.promised == pytest.approx(sure.coverage[""].samples, abs=1e-3)
    record = FitRecord.of(made)
    assert record.coverage is not None
    assert record.coverage["samples"] == pytest.approx(sure.coverage[""].samples, abs=1e-3)


def test_a_margin_is_proportional_to_how_far_torque_moves_a_log(
    servo: Actuator, real: Actuator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a motor a tenth stronger moves each log as far as any, there is one margin for all."""
    known = [recorded(real, gain) for gain in (100.0, 200.0, 400.0)]
    found = identify(
        servo, known[:2], held_out=known[2:], search_settings=SEARCH, fix=("plant.arm_mass",)
    )
    made: list[Sequence[_Group]] = []

    def of_joint(by: str, groups: Sequence[_Group], more: float) -> Coverage:
        made.append(groups)
        return _of_joint(by, groups, more)

    def moved(per_gain: Callable[[float], float]) -> Callable[..., Floats]:
        return lambda _, logs, values: np.array([per_gain(log.gain) for log in logs])

    own = intervals(found, uncertainty_settings=BRIEF).coverage[""]
    moved_by = JointRig(found.actuator).torque_response(known[:2], {})
    assert own.response == pytest.approx(moved_by.mean(), rel=0.01)
    monkeypatch.setattr(pliant.identification.uncertainty.coverage, "_of_joint", of_joint)
    monkeypatch.setattr(JointRig, "torque_response", moved(lambda gain: 3.0 + 3.0 * (gain > 200)))
    sure = intervals(found, uncertainty_settings=BRIEF)
    one = sure.coverage[""]
    assert one.response == 3.0
    wide = replace(sure, coverage={"": replace(one, response=None, margin=2.0 * one.margin)})
    assert one.held_out == pytest.approx(of(found, wide, known[2]).share(known[2].position))
    monkeypatch.setattr(JointRig, "torque_response", moved(lambda gain: 1e-3 * gain))
    apart = intervals(found, uncertainty_settings=BRIEF).coverage[""]
    assert apart.response == pytest.approx(0.15)
    assert apart.margin_for(0.3) == pytest.approx(2.0 * apart.margin)
    # errors at 100 count one and a half times, those at 200 three quarters
    for before, after, times in zip(*made, (1.5, 0.75), strict=True):
        np.testing.assert_allclose(after.all(0), times * before.all(0))


def test_the_response_is_of_a_motor_a_tenth_stronger_and_weaker(
    servo: Actuator, logs: list[Log]
) -> None:
    engine = JointEngine(servo)
    at = logs[:2]
    k_t = servo.value("motor.k_t")
    runs = [
        [
            entry.simulated
            for entry in evaluate(servo.with_values({"motor.k_t": k}, "t", "assumed"), at).entries
        ]
        for k in (k_t, 1.1 * k_t, 0.9 * k_t)
    ]
    moved = [np.mean([np.abs(run[k] - runs[0][k]).mean() for run in runs[1:]]) for k in range(2)]
    assert torque_response(engine, engine.values(), at) == pytest.approx(moved)
    assert JointRig(servo).torque_response(at, {}) == pytest.approx(moved)


def test_motion_that_overflows_has_a_response_too(
    servo: Actuator, logs: list[Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, runs = JointEngine(servo), iter([0.0, np.inf, np.nan])
    size = sum(len(log.time) for log in logs)
    monkeypatch.setattr(engine, "batch", lambda *_: (np.full((1, size), next(runs)), 0))
    assert torque_response(engine, engine.values(), logs) == pytest.approx(LOST)


def test_a_motor_that_is_told_torque_is_asked_for_a_tenth_more(logs: list[Log]) -> None:
    """By its gains; its k_t only says what current it takes."""
    drive = with_law(load_actuator("ak80_6_dfki_m1"), "control", "pd_torque")
    engine = JointEngine(drive)
    stiff = [replace(logs[0], gain=20.0, derivative_gain=1.0)]
    runs = [
        evaluate(drive, [replace(stiff[0], gain=20.0 * x, derivative_gain=x)]).entries[0].simulated
        for x in (1.0, 1.1, 0.9)
    ]
    moved = [np.abs(run - runs[0]).mean() for run in runs[1:]]
    assert torque_response(engine, engine.values(), stiff) == pytest.approx([np.mean(moved)])
    assert min(moved) > 1e-4


def test_draws_on_a_gain_left_out_are_of_the_logs_that_its_fit_saw(
    servo: Actuator, real: Actuator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One gain twice, the other once: 1/3 and 2/3 of the samples. Draws all alike leave all to the margin."""
    known = [recorded(real, gain) for gain in (100.0, 200.0)]
    known.append(replace(known[0], name="again", digest="again"))
    found = identify(servo, known, search_settings=SEARCH, fix=("plant.arm_mass",))
    own = pliant.identification.uncertainty.coverage.uncertainty
    sizes: list[int] = []
    narrow = False

    def draws(goal: Posterior, *given: Any) -> Uncertainty:
        made = own(goal, *given)
        sizes.append(len(goal.misfit.samples.time))
        return replace(made, samples=np.repeat(made.best[None], 60, axis=0)) if narrow else made

    monkeypatch.setattr(pliant.identification.uncertainty.coverage, "uncertainty", draws)
    wide = intervals(found, uncertainty_settings=BRIEF).coverage[""]
    narrow = True
    alike = intervals(found, uncertainty_settings=BRIEF).coverage[""]
    one = len(known[0].time)
    assert sizes == [one, 2 * one] * 2
    assert alike.before == 0.0 < wide.before
    assert alike.alone == 0.0 < wide.alone


def test_a_prior_pulls_the_fits_that_calibrate_bands_too(
    servo: Actuator, real: Actuator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is far off, and so strong that no log moves a number by much; draws stand around where it holds."""
    known = [recorded(real, gain) for gain in (100.0, 200.0)]
    found = identify(servo, known, search_settings=SEARCH, prior=sure(servo))
    own = pliant.identification.uncertainty.coverage.uncertainty
    ends: list[Floats] = []

    def draws(goal: Posterior, points: list[Floats], *given: Any) -> Uncertainty:
        made = own(goal, points, *given)
        (point,) = points
        ends.append(point - found.space.to_cube(found.point))
        low, high = made.samples.min(axis=0), made.samples.max(axis=0)
        assert (low <= made.best + 1e-9).all()
        assert (made.best <= high + 1e-9).all()
        return made

    monkeypatch.setattr(pliant.identification.uncertainty.coverage, "uncertainty", draws)
    intervals(found, uncertainty_settings=BRIEF)
    names = [n for n in found.space.names if not n.startswith("plant.")]
    columns = [found.space.names.index(n) for n in names]
    assert len(ends) == 2
    assert float(np.abs(np.array(ends)[:, columns]).max()) < 0.02


def test_draws_contain_the_point_that_a_prior_pulled_away(servo: Actuator, logs: list[Log]) -> None:
    """The prior is far off, and strong: the logs alone would put every draw elsewhere."""
    prior = sure(servo)
    found = identify(servo, logs, search_settings=SEARCH, prior=prior)
    drawn = intervals(found, uncertainty_settings=BRIEF)
    point = [found.values[name] for name in drawn.space.names]
    low, high = drawn.samples.min(axis=0), drawn.samples.max(axis=0)
    assert (low <= np.array(point) + 1e-9).all()
    assert (np.array(point) <= high + 1e-9).all()


def test_one_log_is_held_out_part_by_part(servo: Actuator, logs: list[Log]) -> None:
    found = identify(servo, logs[:1], search_settings=SEARCH)
    (wide,) = intervals(found, uncertainty_settings=BRIEF).coverage.values()
    assert wide.by == "part"
    assert list(wide.groups) == [f"part {k}" for k in (1, 2, 3, 4)]
    assert wide.samples > wide.before


def test_a_log_too_short_for_parts_measures_no_coverage(servo: Actuator, logs: list[Log]) -> None:
    short = windows(logs[0], 1.0)[2]
    found = identify(servo, [short], search_settings=SEARCH)
    assert not intervals(found, uncertainty_settings=BRIEF).coverage


def like(log: Log, name: str, **other: Any) -> Log:
    return replace(log, name=name, digest=name, **other)


def test_with_one_gain_loads_trajectories_or_logs_are_left_out(
    servo: Actuator, real: Actuator
) -> None:
    log, rig = recorded(real, 200.0), JointRig(servo)
    heavy = like(log, "heavy", mass=0.5, trajectory="another")
    assert rig.interval_groups([log, heavy, like(log, "soft", gain=100.0)]) == (
        "gain",
        ["200.0", "200.0", "100.0"],
    )
    loads = [f"{one.mass:g} kg at {one.length:g} m" for one in (log, heavy)]
    assert rig.interval_groups([log, heavy]) == ("load", loads)
    assert rig.interval_groups([log, like(log, "b", trajectory="another")]) == (
        "trajectory",
        [log.trajectory, "another"],
    )
    many = [like(log, name) for name in "abcdef"]
    named = ["a and 1 more", "b and 1 more", "c", "d", "a and 1 more", "b and 1 more"]
    assert rig.interval_groups(many) == ("log", named)


def test_bands_of_one_gain_hold_another_trajectory_and_tell_what_they_cannot_know(
    servo: Actuator, real: Actuator
) -> None:
    """Two trajectories at one gain, and a log at another one."""
    known = [recorded(real, 200.0), recorded(real, 200.0, "10h30m02")]
    found = identify(servo, known, search_settings=SEARCH, fix=("plant.arm_mass",))
    sure = intervals(found, uncertainty_settings=BRIEF)
    assert sure.coverage[""].by == "trajectory"
    made = with_intervals(found, sure).actuator
    record = FitRecord.of(made)
    assert record.coverage_by == "trajectory"
    assert record.gains == [200.0]
    unseen, far = recorded(real, 200.0, "10h29m04"), recorded(real, 800.0)
    inside = held(JointRig(made), evaluate(made, [unseen, far]))[""]
    assert inside.logs[unseen.name] >= 0.85
    assert inside.logs[far.name] == pytest.approx(of(found, sure, far).share(far.position))
    assert inside.unknown == [800.0]
    assert "do not cover the error at 800" in str(inside)


def test_a_bench_takes_the_factor_with_the_narrowest_bands() -> None:
    """Widths are 2 f, what is outside is 6 / f and, with 4.5, nothing: 2 * 2 + 2 * 3, 2 * 3 + 2 * 2, 9."""
    widths = [2.0 * f for f in FACTORS]
    outside = [6.0 / f for f in FACTORS[:4]] + [0.0]
    groups = [_Group(name, [[np.full(9, x)] for x in outside], 1.0, widths) for name in "ab"]
    assert FACTORS[_narrowest(groups, 1.0)] == 4.5
    wide = [replace(one, widths=[*widths[:4], 11.0]) for one in groups]
    assert FACTORS[_narrowest(wide, 1.0)] == 2.0
    far = [replace(one, times=2.0, widths=[*widths[:4], 15.0]) for one in groups]
    assert (
        FACTORS[_narrowest(far, 1.0)] == 3.0
    )  # twice the margin: 2 * 2 + 4 * 3, 2 * 3 + 4 * 2, 15
    assert FACTORS[_covering(groups)] == 4.5
    sharp = [replace(one, scores=[[np.zeros(9)]] * 5) for one in groups]
    assert FACTORS[_narrowest(sharp, 1.0)] == 1.0


def test_what_the_draws_hold_alone_and_how_far_apart_they_cover_is_told() -> None:
    """Of ten samples 4, 5, 6, 9 and 10 lie inside with the factors; bands are narrowest with 1.5."""
    outside = [np.where(np.arange(10) < inside, -1.0, 1.0) for inside in (4, 5, 6, 9, 10)]
    widths = [9.0, 1.0, 9.0, 9.0, 9.0]
    groups = [_Group(name, [[x] for x in outside], 1.0, widths) for name in "ab"]
    wide = _of_joint("gain", groups, 1.0)
    assert (wide.before, wide.factor, wide.alone) == (0.4, 1.5, 0.5)
    assert (wide.spread, wide.spread_holds) == (2.0, 0.9)
    never = [replace(one, scores=[[x] for x in [*outside[:3], *outside[:2]]]) for one in groups]
    wide = _of_joint("gain", never, 1.0)
    assert wide.spread == pytest.approx(2.0 / 1.5)
    assert wide.spread_holds == 0.6


def test_draws_are_pulled_apart_in_their_units(servo: Actuator, real: Actuator) -> None:
    """About the point that was fitted, within the bounds of the search, whatever its scale."""
    known = [recorded(real, gain) for gain in (100.0, 200.0)]
    found = identify(servo, known, search_settings=SEARCH, fix=("plant.arm_mass",))
    sure = intervals(found, uncertainty_settings=BRIEF)
    space, best = sure.space, found.point
    factors = np.full(len(space.names), 3.0)
    pulled = space.from_cube(_spread(sure, space.to_cube(best), sure.samples, factors))
    far = best + 3.0 * (sure.samples - sure.best)
    inside = (far > space.low) & (far < space.high)
    assert inside.mean() > 0.2
    np.testing.assert_allclose(pulled[inside], far[inside], rtol=1e-6, atol=1e-12)
    assert np.all((pulled >= space.low) & (pulled <= space.high))


@pytest.mark.parametrize("joint", ["", "elbow"])
def test_gains_of_a_bench_and_motions_of_a_robot_decide_together(
    joint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores even from 0 to 1 and from 0 to 2: below 1.6 lie all of the first and 0.8 of the second.

    The first asks for 0.9, with which 0.45 of the second lie inside: twice as much holds 0.9 of it.
    """
    scores = {name: np.linspace(0.0, x, 2001) for name, x in (("a", 1.0), ("b", 2.0))}

    def scored(*given: object) -> dict[str, _Group]:
        name = str(given[-2])
        return {joint: _Group(name, [[scores[name]]] * len(FACTORS), 1.0, FACTORS)}

    monkeypatch.setattr(pliant.identification.uncertainty.coverage, "_scored", scored)
    rig = SimpleNamespace(
        interval_groups=lambda logs: ("gain", logs),
        actuators=[joint],
        seeing=lambda _: rig,
        torque_response=lambda *_: None,
    )
    fitted = SimpleNamespace(logs=[*scores])
    found = SimpleNamespace(rig=rig, space=None, values={}, fitted=fitted)
    wide = coverage(found, None, BRIEF)[joint]  # type: ignore[arg-type]
    assert wide.margin == pytest.approx(2.0 * 1.6, abs=0.01)
    assert wide.factor == 1.0
    assert wide.groups == pytest.approx({"a": 1.0, "b": 0.9}, abs=1e-3)
