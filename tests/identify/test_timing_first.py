"""Timing and supply by themselves, before all else; and what logs cannot tell, before any fit."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator, with_law
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.identify.fit import identify
from pliant.identify.problem.ambiguities import ambiguities
from pliant.identify.problem.joint_rig import JointRig
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.residuals import Residuals
from pliant.identify.problem.space import search_space
from pliant.identify.search.journal import NoJournal, PartResult
from pliant.identify.search.search import SearchSettings
from pliant.identify.search.timing_first import PART, fit_timing
from pliant.io.log import Log

from .conftest import OFFSET, TRUTH

DELAY = 0.021
TINY = SearchSettings(starts=1, generations=2, polish=1, finalists=0, final_polish=1, rounds=0)


@pytest.fixture(scope="module")
def late(servo: Actuator, logs: list[Log]) -> tuple[Actuator, list[Log]]:
    """A servo whose numbers are known but for its delay, and what it recorded."""
    known = with_law(servo, "timing", "command_delay").with_values(TRUTH, "test", "identified")
    engine = JointEngine(known)
    values = engine.values({"timing.delay": DELAY, "plant.position_offset": OFFSET})
    made = [replace(log, position=engine.rollout(log, values).position) for log in logs]
    return known, made


def goal_of(servo: Actuator, logs: list[Log]) -> Objective:
    engine = JointEngine(servo)
    space = search_space(servo, fit={"plant.position_offset": (0.0, 2 * OFFSET)})
    space = replace(
        space,
        start=np.where(
            [name == "plant.position_offset" for name in space.names], OFFSET, space.start
        ),
    )
    return Objective(Residuals(engine, LogBatch(logs, engine), space))


def test_a_delay_is_found_where_all_else_is_known(late: tuple[Actuator, list[Log]]) -> None:
    goal = goal_of(*late)
    space = goal.misfit.space
    start = space.to_cube(space.start)
    first = fit_timing(goal, start, [space.names.index("timing.delay")], NoJournal())
    assert space.values(first.point)["timing.delay"] == pytest.approx(DELAY, abs=2e-4)
    assert first.after < 1e-6 < 1e-2 < first.before
    assert first.evaluations == goal.evaluations - 1  # and the given point
    changed = first.point != start
    assert [n for n, c in zip(space.names, changed, strict=True) if c] == ["timing.delay"]


def test_what_a_journal_knows_is_not_looked_for(late: tuple[Actuator, list[Log]]) -> None:
    goal = goal_of(*late)
    known: dict[str, PartResult] = {}

    class Notes(NoJournal):
        def finished(self, part: str) -> PartResult | None:
            return known.get(part)

        def finish(self, part: str, done: PartResult) -> None:
            known[part] = done

    space = goal.misfit.space
    start, columns = space.to_cube(space.start), JointRig(late[0]).timing(space)
    once = fit_timing(goal, start, columns, Notes())
    asked = goal.evaluations
    again = fit_timing(goal, start, columns, Notes())
    assert set(known) == {PART}
    assert goal.evaluations == asked + 1
    assert (again.point == once.point).all()
    assert again.after == once.after


def test_nothing_is_looked_for_where_nothing_is_open(servo: Actuator, logs: list[Log]) -> None:
    assert JointRig(servo).timing(goal_of(servo, logs).misfit.space) == []
    assert identify(servo, logs[:1], search_settings=TINY).timing == ()


def test_a_fit_says_it_first_and_keeps_it(late: tuple[Actuator, list[Log]]) -> None:
    servo, logs = late
    said: list[str] = []
    fix = {"plant.position_offset": OFFSET}
    found = identify(servo, logs[:1], search_settings=TINY, note=said.append, fix=fix)
    assert said[0].startswith("before the fit: one mass at one length")
    assert any(
        x.startswith("timing and supply first, all else as given: timing.delay 0.02") for x in said
    )
    record = found.actuator.identification
    assert record["first"]["timing.delay"] == pytest.approx(DELAY, abs=2e-3)  # steps
    assert "one load" in [doubt["kind"] for doubt in record["beforehand"]]
    assert found.space.names[0] == "timing.delay"


def words(servo: Actuator, logs: list[Log], **more: object) -> str:
    fit = {"control.gain": None} if more.pop("gain", False) else {}
    return "\n".join(map(str, ambiguities(servo, search_space(servo, fit=fit), logs, **more)))


def test_what_logs_cannot_tell_is_known_before_the_fit(servo: Actuator, logs: list[Log]) -> None:
    all_logs, two_loads = (
        [line for line in words(servo, some).split("\n") if "extrapolated" not in line]
        for some in (logs, logs[:2])
    )
    assert all_logs == [line for line in two_loads if not line.startswith("one gain")]
    one_load = [log for log in logs if log.mass == logs[0].mass]
    assert "one mass at one length (0.3 kg, 0.1 m): torque constant and" in words(servo, one_load)
    assert "one gain (200): what the joint does at another" in words(servo, logs[:2])
    assert "control.gain and motor.R scale the torque alike" in words(servo, logs, gain=True)


def test_viscous_friction_shows_by_itself_only_with_the_torque_off(
    servo: Actuator, logs: list[Log]
) -> None:
    on = [replace(log, enabled=np.ones_like(log.enabled)) for log in logs]
    off = [*on[1:], replace(on[0], enabled=np.zeros_like(on[0].enabled))]
    assert "the torque was never off: back-EMF" in words(servo, on)
    assert "never off" not in words(servo, off)


def test_a_delay_holds_the_age_of_the_positions_unless_it_is_given(
    late: tuple[Actuator, list[Log]],
) -> None:
    assert "timing.delay holds it too" in words(*late)
    assert "timing.delay holds it too" not in words(*late, sample_age=0.001)
