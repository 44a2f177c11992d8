"""A data sheet's facts: predicted as the laws have them, and pulled to by a fit."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pliant import PliantError, load_actuator
from pliant.assemble import Actuator, Fact
from pliant.catalogue import actuator_files
from pliant.cli.choices import facts, known_before
from pliant.engines.joint.engine import JointEngine
from pliant.identification import SearchSettings, identify
from pliant.identification.problem.ambiguities import ambiguities, unexcited
from pliant.identification.problem.posterior import Facts, Figures
from pliant.identification.problem.space import search_space
from pliant.identification.result.record import FitRecord
from pliant.identification.uncertainty.intervals import figures, intervals, with_intervals
from pliant.io.actuator_file import actuator_text, read_actuator, write_actuator
from pliant.io.log import Log, example_logs, read_logs
from pliant.report.derived import derived

from .conftest import TRUTH

SEARCH = SearchSettings(starts=1, jacobians=16)
UNITS = {"stall_torque": "N m", "no_load_speed": "rad/s", "stall_current": "A"}


def fact(name: str, value: float, voltage: float, tolerance: float = 0.05) -> Fact:
    return Fact(name, value, UNITS[name], "given", voltage, tolerance)


@pytest.mark.parametrize("name", ["xl330_bam_m1", "xl330_bam_m4", "mx106_bam_m6"])
def test_figures_are_those_of_the_laws_solved_another_way(name: str) -> None:
    """Bisection on each law by itself, at nominal supply."""
    actuator = load_actuator(name)
    other, volts = derived(actuator), actuator.value("own.voltage")
    found = Figures(actuator)
    stall = found.of(actuator.values, fact("stall_torque", 1.0, volts))
    assert stall == pytest.approx(other.stall_torque, rel=1e-4)
    free = found.of(actuator.values, fact("no_load_speed", 1.0, volts))
    assert free == pytest.approx(other.no_load_speed, rel=1e-4)


def test_a_joint_without_a_load_ends_at_its_no_load_speed(servo: Actuator, logs: list[Log]) -> None:
    """Simulated: an arm of nothing, a goal far away."""
    time = np.linspace(0.0, 1.0, 201)
    far = np.full(201, 1e5)
    still = np.zeros(201)
    log = replace(
        logs[0], time=time, goal=far, position=still, enabled=far > 0, mass=1e-6, velocity=None,
        voltage=None, supply=7.4,
    )  # fmt: skip
    run = JointEngine(servo).rollout(log).position
    speed = (run[-1] - run[-21]) / (time[-1] - time[-21])
    found = Figures(servo).of(servo.values, fact("no_load_speed", 1.0, 7.4))
    assert found == pytest.approx(speed, rel=1e-3)


def test_a_deviation_counts_in_tolerances(servo: Actuator) -> None:
    space = search_space(servo)
    volts = servo.value("own.voltage")
    stated = (derived(servo).stall_torque or 0.0) / 1.2
    pulled = Facts(servo, space, [fact("stall_torque", stated, volts, 0.1)])
    deviations = pulled.deviations(space.to_cube(space.start)[None])
    assert deviations[0, 0] == pytest.approx(2.0, rel=1e-3)


def test_a_fit_goes_where_its_data_sheet_says(servo: Actuator, logs: list[Log]) -> None:
    """Logs of small motions say little of the stall torque; told wrong, it comes out wrong."""
    small = [
        replace(log, position=log.position[:300], goal=log.goal[:300], time=log.time[:300],
                enabled=log.enabled[:300], velocity=None, voltage=None)
        for log in logs[:2]
    ]  # fmt: skip
    truth = Figures(servo.with_values(TRUTH, "test", "assumed"))
    values = servo.with_values(TRUTH, "test", "assumed").values
    right = truth.of(values, fact("stall_torque", 1.0, 7.4))
    ended: list[float] = []
    for told in (right, 2.0 * right):
        sheet = [fact("stall_torque", told, 7.4, 0.02)]
        found = identify(servo, small, search_settings=SEARCH, datasheet=sheet).actuator
        ended.append(Figures(found).of(found.values, sheet[0]))
    assert ended[0] == pytest.approx(right, rel=0.1)
    assert ended[1] > 1.3 * right


def test_what_logs_do_not_excite_is_said(servo: Actuator, logs: list[Log]) -> None:
    """At gain 100 the goal is never far enough away; at 800 it is."""
    recorded = read_logs(example_logs())
    slow = {doubt.kind for doubt in unexcited(servo, [x for x in recorded if x.gain == 100])}
    assert {"full duty", "high speed"} <= slow
    assert not [*unexcited(servo, recorded)]
    said = ambiguities(servo, search_space(servo), recorded[:4], 0.0)
    assert "full duty" in {doubt.kind for doubt in said}
    still = [replace(log, position=np.full_like(log.position, log.position[0])) for log in logs]
    assert "reversal" in {doubt.kind for doubt in unexcited(servo, still)}


def test_figures_of_a_fit_stand_in_its_file(servo: Actuator, logs: list[Log]) -> None:
    sheet = [fact("stall_torque", 0.7, 6.0)]
    found = identify(servo, logs, search_settings=SEARCH, datasheet=sheet)
    sure = intervals(found)
    (stall, *others) = figures(found.actuator, sure, sheet)
    assert stall.stated == 0.7 and stall.low < stall.value < stall.high
    named = {one.fact.fact: one for one in others}
    assert set(named) == {"no_load_speed", "stall_current", "breakaway_torque"}
    # M1 holds with K_c, whatever pushes.
    breakaway = named["breakaway_torque"].value
    assert breakaway == pytest.approx(found.values["friction.K_c"], rel=1e-5)
    assert all(one.stated is None for one in others)
    record = FitRecord.of(with_intervals(found, sure).actuator).figures
    assert record is not None and record["stall_torque@6V"] == {
        "value": stall.value, "low": stall.low, "high": stall.high, "stated": 0.7,
    }  # fmt: skip


def test_facts_that_pulled_a_fit_stand_in_its_record(
    servo: Actuator, logs: list[Log], tmp_path: Path
) -> None:
    """Beside the catalogue's, which stay; without intervals too. Of a fit that none pulled: nothing."""
    given = [fact("stall_torque", 0.93, 7.4)]
    path = tmp_path / "mine.toml"
    write_actuator(
        identify(servo, logs[:1], search_settings=SEARCH, datasheet=given).actuator, path
    )
    read = read_actuator(path)
    assert FitRecord.of(read).datasheet == given
    assert read.datasheet == servo.datasheet
    plain = identify(servo, logs[:1], search_settings=SEARCH)
    assert "datasheet" not in plain.actuator.identification
    drive = load_actuator("hls3606_m3")
    plain = identify(drive, logs[:1], search_settings=SEARCH, datasheet=given)
    assert "datasheet" not in plain.actuator.identification


def test_of_a_current_drive_breakaway_and_the_torque_commanded_are_told(logs: list[Log]) -> None:
    """M3 with no load holds with K_c; 10 mrad of error ask for kp * 0.01 A, so often k_t N m."""
    drive = load_actuator("hls3606_m3")
    found = identify(drive, logs, search_settings=SEARCH)
    (breakaway,) = figures(found.actuator, intervals(found))
    assert breakaway.fact.fact == "breakaway_torque" and breakaway.stated is None
    assert breakaway.low <= breakaway.value <= breakaway.high
    still = replace(logs[0], goal=logs[0].position + 0.01, velocity=None, voltage=None)
    (doubt,) = [one for one in unexcited(drive, [still]) if one.kind == "limit of torque"]
    most = logs[0].gain * 0.01 * drive.value("motor.k_t")
    assert f", at most {most:.3g} N m was commanded:" in doubt.text


def test_facts_survive_their_file(tmp_path: Path) -> None:
    actuator = load_actuator("xl330_bam_m4")
    path = tmp_path / "copy.toml"
    write_actuator(actuator, path)
    assert read_actuator(path).datasheet == actuator.datasheet != ()
    wrong = actuator_text(actuator).replace('fact = "stall_torque"', 'fact = "stal_torque"')
    path.write_text(wrong)
    with pytest.raises(PliantError, match="no such fact; found 'stal_torque'; did you mean"):
        read_actuator(path)


def test_facts_of_the_catalogue_have_a_source_and_are_of_the_device() -> None:
    known = {name: load_actuator(name) for name in actuator_files()}
    stated = {a.device: a.datasheet for a in known.values() if a.datasheet}
    assert {"xl330", "xl320", "mx64", "mx106"} <= set(stated)
    for actuator in known.values():
        assert actuator.datasheet == stated.get(actuator.device, ())
        for one in actuator.datasheet:
            assert "http" in actuator.sources[one.source]


def test_facts_are_given_by_hand() -> None:
    servo = load_actuator("xl330_bam_m1")
    (stall, inertia) = facts(["stall_torque=0.93@7.4V~0.1", "rotor_inertia=2e-7"])
    assert stall == Fact("stall_torque", 0.93, "N m", "given", 7.4, 0.1)
    assert (inertia.value, inertia.voltage) == (2e-7, None)
    assert known_before([], servo) == (None, ())
    assert known_before(["datasheet"], servo) == (None, tuple(servo.datasheet))
    with pytest.raises(PliantError, match=r"datasheet.stall_torque.voltage: is missing"):
        facts(["stall_torque=0.93"])
    with pytest.raises(PliantError, match="prior: is not a number; found 'x'"):
        facts(["gear_ratio=x"])
