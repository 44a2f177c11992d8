"""Delay, supply and temperature are the recording's: found for each day, kept out of the actuator."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator, with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.engines.mujoco.batch.trials import replay
from pliant.identification import SearchSettings, identify
from pliant.identification.problem.evaluation import evaluate
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.nuisances import nuisances
from pliant.identification.problem.recorder_parameters import (
    METER,
    parts,
    winding_start_message,
)
from pliant.identification.problem.sampling import younger
from pliant.identification.problem.starting_actuator import starting_actuator
from pliant.identification.problem.task import fit_task
from pliant.identification.result.known import judged
from pliant.identification.result.record import FitRecord
from pliant.identification.selection.sweep import Sweep
from pliant.io.log import Log, example_logs, read_logs

from .conftest import OFFSET, TRUTH
from .test_recorder import late

SEARCH = SearchSettings(starts=1, jacobians=12)
FIRST, SECOND = "2026-01-01", "2026-01-02"
OLDER, WEAKER = 0.012, 0.9


@pytest.fixture
def exact(servo: Actuator) -> Actuator:
    return servo.with_values(TRUTH, "test", "assumed")


@pytest.fixture
def two_days(exact: Actuator, logs: list[Log]) -> list[Log]:
    """The same commands on two days; on the second the bus is late and the battery weak."""
    steady = [replace(log, enabled=np.ones(len(log.time), bool), voltage=None) for log in logs]
    first = [replace(late(exact, log, 0.0), name=f"{FIRST}_{log.name}") for log in steady]
    weak = [replace(log, supply=WEAKER * (log.supply or 0.0)) for log in steady]
    second = [replace(late(exact, log, OLDER), name=f"{SECOND}_{log.name}") for log in weak]
    said = [replace(log, supply=old.supply) for log, old in zip(second, steady, strict=True)]
    return [replace(log, zero=None) for log in [*first, *said]]


def test_what_differs_between_days_is_found_and_kept_out_of_the_actuator(
    servo: Actuator, two_days: list[Log]
) -> None:
    told: list[str] = []
    found = identify(servo, two_days, search_settings=SEARCH, note=told.append)
    by_part = {one.part: one.values for one in found.recorders}
    assert by_part["age"][SECOND] - by_part["age"][FIRST] == pytest.approx(OLDER, abs=1.5e-3)
    assert by_part["age"][FIRST] == 0.0
    ratio = by_part["supply"][SECOND] / by_part["supply"][FIRST]
    assert ratio == pytest.approx(WEAKER, abs=0.02)
    assert 1e3 * found.fitted.mae < 2.5
    record = FitRecord.of(found.actuator)
    assert record.recorders == {name: dict(values) for name, values in by_part.items()}
    assert record.recorder_by == "day"
    assert any(text.startswith("recordings differ by day: positions 12") for text in told)
    as_given = identify(servo, two_days, search_settings=SEARCH, recorder_by=None)
    assert as_given.fitted.mae > 4.0 * found.fitted.mae
    assert as_given.recorders == ()
    logs = judged(JointRig(found.actuator), two_days).logs
    assert evaluate(found.actuator, logs).mae == pytest.approx(found.fitted.mae, rel=0.02)


def test_days_that_are_alike_come_out_alike(servo: Actuator, logs: list[Log]) -> None:
    named = [replace(log, name=f"{day}_{log.name}") for day in (FIRST, SECOND) for log in logs]
    found = identify(servo, named, search_settings=SEARCH)
    by_part = {one.part: one.values for one in found.recorders}
    assert by_part["age"] == {FIRST: 0.0, SECOND: pytest.approx(0.0, abs=5e-4)}
    assert by_part["supply"] == {FIRST: 1.0, SECOND: pytest.approx(1.0, abs=0.01)}


def test_logs_of_one_day_that_were_to_be_told_apart_by_it_are_told(
    servo: Actuator, two_days: list[Log]
) -> None:
    brief = SearchSettings(starts=1, jacobians=2)
    one_day, told = two_days[:2], list[str]()
    both = {"recorder_by": "day", "zero_by": "day"}
    identify(servo, one_day, search_settings=brief, note=told.append, **both)
    assert sum("all logs are of one day, so there is only one group" in x for x in told) == 2
    told.clear()
    identify(servo, one_day, search_settings=brief, note=told.append)
    assert not any("all logs are of one" in x for x in told)


def test_each_candidate_of_a_choice_finds_the_recorders_of_its_logs(
    servo: Actuator, two_days: list[Log]
) -> None:
    task = fit_task(JointRig(servo), {"search_settings": SEARCH})
    sweep = Sweep([task], two_days, by="trajectory")
    choice = sweep.choose()
    told: list[str] = []
    found = sweep.fitted_to_all(choice.chosen, note=told.append)
    assert {one.part for one in found.recorders} == {"age", "supply"}
    assert sum(text.startswith("recordings differ by day: positions 12") for text in told) == 1
    assert choice.chosen.held_out < 1e-3  # the days differ by 12 ms and a tenth of the supply


def test_gains_of_their_own_on_each_day_leave_it_open(servo: Actuator, logs: list[Log]) -> None:
    """What is wrong with a model at one gain would look like a supply."""
    recorder_kind = JointRig(servo).recorder_kind
    named = [replace(log, name=f"{FIRST}_{log.name}") for log in logs]
    named += [replace(log, name=f"{SECOND}_{log.name}", gain=2 * log.gain) for log in logs]
    assert recorder_kind(named, "auto") is None
    assert recorder_kind(named, "day") == "day"
    assert recorder_kind(logs, "auto") is None
    undated = [*logs, *(replace(log, name=log.name[11:]) for log in logs)]
    assert recorder_kind(undated, "auto") is None, "no date is no day"


def test_a_colder_day_is_found(exact: Actuator, logs: list[Log]) -> None:
    """The winding's resistance falls by 0.39 % for each kelvin."""
    heat = {"ambient": 298.15, "stated_at": 298.15, "alpha_R": 0.0039, "alpha_k": 0.0}
    heat |= {"R_th": 20.0, "tau_th": 300.0}
    warm = with_laws(exact, {"thermal": "one_body"})
    warm = warm.with_values({f"thermal.{k}": x for k, x in heat.items()}, "test", "assumed")
    engine, made = JointEngine(warm), list[Log]()
    for day, ambient in ((FIRST, 298.15), (SECOND, 278.15)):
        for log in logs:
            known = replace(log, zero=OFFSET, name=f"{day}_{log.name}", ambient=ambient)
            motion = engine.rollout(known).position
            made.append(replace(known, position=motion, ambient=None))
    again, found = nuisances(JointRig(warm), made, None, "auto")
    colder = {one.name: one.value for one in found}[f"temperature of {SECOND}"]
    assert colder == pytest.approx(-20.0, abs=1.5)
    of_day = {FIRST: 298.15, SECOND: 298.15 + colder}
    assert [log.ambient for log in again] == [of_day[log.name[:10]] for log in made]
    assert parts({"": exact}, measured=False)[-1].name == "supply"


def test_a_log_says_its_ambient_to_the_engine(exact: Actuator, logs: list[Log]) -> None:
    engine = JointEngine(with_laws(exact, {"thermal": "one_body"}), settings=JointSettings())
    batch = LogBatch([replace(logs[0], ambient=280.0), logs[1]], engine)
    column = [engine.names[k] for k in batch.columns].index("thermal.ambient")
    assert batch.settings[0, column] == 280.0
    assert np.isnan(batch.settings[1, column])
    read = replace(logs[1], temperature=np.linspace(31.0, 33.0, len(logs[1].time)))
    both = LogBatch([read, replace(read, ambient=290.0)], engine)
    assert both.settings[:, column].tolist() == [304.15, 290.0]


def test_a_winding_starts_at_the_servos_own_reading(exact: Actuator, logs: list[Log]) -> None:
    """Told, in the joint engine and in MuJoCo; and no temperature of a day is looked for then."""
    warm = with_laws(exact, {"thermal": "one_body"})
    unheated = {"thermal.R_th": 1e-3, "thermal.tau_th": 30.0, "thermal.alpha_k": 0.0}
    warm = warm.with_values(unheated, "test", "assumed")
    log = replace(logs[0], temperature=np.full(len(logs[0].time), 75.0), zero=OFFSET)
    hot = exact.with_values({"motor.R": (1 + 0.0039 * 50) * exact.value("motor.R")}, "t", "assumed")
    plain = replace(log, temperature=None)
    expected = JointEngine(hot).rollout(plain).position
    cold = JointEngine(exact).rollout(plain).position
    assert np.max(np.abs(expected - cold)) > 5e-3
    np.testing.assert_allclose(JointEngine(warm).rollout(log).position, expected, atol=1e-4)
    assert np.max(np.abs(replay(warm, log) - replay(hot, plain))) < 1e-4
    said = winding_start_message({"": warm}, [log, plain])
    assert said == "windings start at the servo's own reading in 1 of 2 logs, 75 to 75 degC"
    assert (
        winding_start_message({"": exact}, [log]),
        winding_start_message({"": warm}, [plain]),
    ) == ("", "")
    temperature = next(
        part for part in parts({"": warm}, measured=False) if part.name == "temperature"
    )
    assert temperature.read(log) and not temperature.read(plain)


def test_new_logs_show_what_differs_between_their_days(
    exact: Actuator, two_days: list[Log]
) -> None:
    """Of an actuator that stays as it is."""
    given = [replace(log, zero=OFFSET) for log in two_days]
    made, found = nuisances(JointRig(exact), given, None, "auto")
    values = {one.name: one.value for one in found}
    assert values == {
        f"age of {FIRST}": pytest.approx(0.0, abs=1e-3),
        f"age of {SECOND}": pytest.approx(OLDER, abs=1e-3),
        f"supply of {SECOND}": pytest.approx(WEAKER, abs=0.01),
    }
    assert evaluate(exact, made).mae < 0.3 * evaluate(exact, given).mae
    left = nuisances(JointRig(exact), made, None, "auto")[1]
    assert {one.name: one.value for one in left if one.of == SECOND} == {
        f"age of {SECOND}": pytest.approx(0.0, abs=5e-4),
        f"supply of {SECOND}": pytest.approx(1.0, abs=5e-3),
    }
    assert judged(JointRig(exact), given, recorder_by=None).logs == given


def test_a_voltmeter_narrows_the_supply_to_about_what_it_reads(
    exact: Actuator, two_days: list[Log]
) -> None:
    """The second day's supply is a tenth weaker: one meter shows so, the other that nothing changed."""
    for factor, supply in ((WEAKER, WEAKER), (1.0, 1.0 - METER)):
        read = [
            replace(log, voltage=np.full(len(log.time), (log.supply or 0.0) * of_day))
            for log in two_days
            for of_day in [factor if log.name.startswith(SECOND) else 1.0]
        ]
        found = nuisances(JointRig(exact), read, None, "auto")[1]
        values = {one.name: one.value for one in found}
        assert values[f"supply of {SECOND}"] == pytest.approx(supply, abs=0.01)


@pytest.mark.long
def test_a_later_bus_is_found_in_real_logs_that_say_anything_one_by_one() -> None:
    """Alone, logs ask for -18 to 40 ms; with the model's errors alike on both days, for 20."""
    real = read_logs(example_logs())
    moved = [replace(log, position=log.position + 0.04) for log in real]
    first = [replace(log, name=f"{FIRST}_{log.name[11:]}") for log in real]
    second = [replace(younger(log, -0.02), name=f"{SECOND}_{log.name[11:]}") for log in moved]
    both, brief = [*first, *second], SearchSettings(starts=1, jacobians=20)
    found = identify(
        starting_actuator(both)[0], both, zero_by="day", recorder_by="day", search_settings=brief
    )
    by_part = {one.part: one.values for one in found.recorders}
    assert by_part["age"] == {FIRST: 0.0, SECOND: pytest.approx(0.02, abs=2e-3)}
    assert by_part["supply"] == {FIRST: 1.0, SECOND: pytest.approx(1.0, abs=0.02)}
