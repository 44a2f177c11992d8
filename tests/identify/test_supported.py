"""What the logs cannot determine is held, and what they show is searched."""

from dataclasses import replace

import pytest

from pliant.assemble import Actuator, Number, with_law
from pliant.engines.joint.engine import JointEngine
from pliant.identify import SearchSettings, identify
from pliant.identify.fit import fit
from pliant.identify.problem.joint_rig import JointRig
from pliant.identify.problem.task import FitTask
from pliant.identify.supported import held_by_simpler
from pliant.io.log import Log

from .conftest import OFFSET, TRUTH

SEARCH = SearchSettings(starts=4, generations=8, polish=2, finalists=0, final_polish=2, rounds=0)
FIRMWARE = ("control.derivative_gain", "control.dead_band")


def low(servo: Actuator, logs: list[Log], resistance: float) -> list[Log]:
    """The same commands at a gain too low for full command, behind a supply of this resistance."""
    truth = with_law(servo, "driver", "pulsed_supply").with_values(
        {**TRUTH, "driver.R_s": resistance}, "test", "assumed"
    )
    engine = JointEngine(truth)
    soft = [replace(log, gain=gain) for log in logs for gain in (40.0, 90.0)]
    values = engine.values({"plant.position_offset": OFFSET})
    return [replace(log, position=engine.rollout(log, values).position) for log in soft]


def test_a_supply_that_the_logs_do_not_show_is_held(servo: Actuator, logs: list[Log]) -> None:
    """No full command: without a trace of it, R_s is not fitted to what is wrong elsewhere."""
    told: list[str] = []
    asked = with_law(servo, "driver", "pulsed_supply")
    brief = replace(SEARCH, starts=1)
    found = identify(asked, low(servo, logs, 0.0), search_settings=brief, note=told.append)
    assert "driver.R_s" not in found.values
    assert any(text.startswith("driver.R_s held: full command was not seen") for text in told)
    named = identify(asked, low(servo, logs, 0.0), search_settings=brief, fit=["driver.R_s"])
    assert "driver.R_s" in named.values


def test_a_supply_without_which_nothing_fits_is_searched(servo: Actuator, logs: list[Log]) -> None:
    told: list[str] = []
    asked = with_law(
        servo.with_values({"motor.R": 4.4}, "test", "measured"), "driver", "pulsed_supply"
    )
    sagging = low(servo, logs, 9.0)
    brief = replace(SEARCH, starts=1)
    fix = {"motor.R": 4.4, "motor.k_t": 0.55}
    found = identify(asked, sagging, search_settings=brief, fix=fix, note=told.append)
    assert found.values["driver.R_s"] == pytest.approx(9.0, rel=0.2)
    assert any(text.startswith("driver.R_s searched") for text in told)


def test_a_supply_that_a_simpler_model_found_is_asked_against_what_was_given(
    servo: Actuator, logs: list[Log]
) -> None:
    """Begun at the resistance that is right, a fit with it held is no fit without it."""
    known = servo.with_values({"motor.R": 4.4, "motor.k_t": 0.55}, "test", "measured")
    supplied = with_law(known, "driver", "pulsed_supply")
    begun = JointRig(supplied.with_values({"driver.R_s": 9.0}, "test", "assumed"))
    task = FitTask(
        rig=begun,
        given=JointRig(supplied),
        search_settings=replace(SEARCH, starts=1),
        fix=dict.fromkeys(("motor.R", "motor.k_t")),
    )
    sagging, told = low(servo, logs, 9.0), list[str]()
    found = fit(task, sagging, note=told.append)
    assert any(text.startswith("driver.R_s searched") for text in told)
    assert found.values["driver.R_s"] == pytest.approx(9.0, rel=0.2)
    itself, told = replace(task, given=None), list[str]()
    fit(itself, sagging, note=told.append)
    assert any(text.startswith("driver.R_s held") for text in told)


def test_heat_that_the_logs_do_not_show_is_held(servo: Actuator, logs: list[Log]) -> None:
    """Room temperature, copper and magnets are never searched unasked: they look like R and k_t."""
    told: list[str] = []
    asked = with_law(servo, "thermal", "one_body")
    assert asked.value("thermal.alpha_R") == pytest.approx(0.0039)
    brief = replace(SEARCH, starts=1)
    found = identify(asked, logs, search_settings=brief, note=told.append)
    assert not any(name.startswith("thermal") for name in found.values)
    held = "thermal.R_th and thermal.tau_th held: no log shows a winding's temperature"
    assert any(text.startswith(held) for text in told)
    named = identify(asked, logs, search_settings=brief, fit={"thermal.R_th": (1.0, 90.0)})
    assert "thermal.R_th" in named.values


def test_heat_without_which_nothing_fits_is_searched(servo: Actuator, logs: list[Log]) -> None:
    truth = with_law(servo.with_values(TRUTH, "test", "assumed"), "thermal", "one_body")
    hot = truth.with_values({"thermal.R_th": 120.0, "thermal.tau_th": 4.0}, "test", "assumed")
    engine = JointEngine(hot)
    values = engine.values({"plant.position_offset": OFFSET})
    warm = [replace(log, position=engine.rollout(log, values).position) for log in logs]
    asked = with_law(servo.with_values(TRUTH, "test", "measured"), "thermal", "one_body")
    fix = dict.fromkeys([name for name in servo.fields if not name.startswith("friction")])
    told: list[str] = []
    brief = replace(SEARCH, starts=1)
    found = identify(asked, warm, search_settings=brief, fix=fix, note=told.append)
    assert any(text.startswith("thermal.R_th and thermal.tau_th searched") for text in told)
    assert found.values["thermal.tau_th"] == pytest.approx(4.0, rel=0.3)


def assuming(servo: Actuator) -> Actuator:
    """A servo of which nobody knows whether its firmware has a dead band and a derivative gain."""
    source = servo.numbers["control.dead_band"].source
    boxes = {"control.derivative_gain": ("s/rad", 0.1), "control.dead_band": ("rad", 0.05)}
    return servo.with_numbers(
        {name: Number(0.0, unit, source, "assumed", 0.0, x) for name, (unit, x) in boxes.items()}
    )


def test_what_a_firmware_is_only_assumed_to_do_is_held(servo: Actuator, logs: list[Log]) -> None:
    told: list[str] = []
    brief = replace(SEARCH, starts=1)
    asked = assuming(servo)
    found = identify(asked, logs, search_settings=brief, note=told.append)
    assert not {*FIRMWARE} & {*found.values}
    held = " and ".join(FIRMWARE) + " held: the servo's file only assumes 0, and a quick fit goes"
    assert any(text.startswith(held) for text in told)
    named = identify(asked, logs, search_settings=brief, fit=["control.dead_band"])
    assert "control.dead_band" in named.values
    fitted = {n: replace(x, how="identified") for n, x in asked.numbers.items() if n in FIRMWARE}
    told.clear()
    known = identify(asked.with_numbers(fitted), logs, search_settings=brief, note=told.append)
    assert {*FIRMWARE} <= {*known.values}
    assert not any(" held: " in text for text in told)


def test_a_derivative_gain_without_which_nothing_fits_is_searched(
    servo: Actuator, logs: list[Log]
) -> None:
    engine = JointEngine(servo.with_values(TRUTH, "test", "assumed"))
    values = engine.values(
        {"plant.position_offset": OFFSET, "control.derivative_gain": 0.08, "control.dead_band": 0.0}
    )
    damped = [replace(log, position=engine.rollout(log, values).position) for log in logs]
    told: list[str] = []
    brief = replace(SEARCH, starts=1)
    fix = {"motor.R": 4.4, "motor.k_t": 0.55, "friction.K_v": 0.008}
    found = identify(assuming(servo), damped, search_settings=brief, fix=fix, note=told.append)
    assert any(text.startswith(" and ".join(FIRMWARE) + " searched") for text in told)
    assert found.values["control.derivative_gain"] == pytest.approx(0.08, rel=0.2)


def test_a_model_holds_what_a_simpler_one_of_the_same_firmware_did_not_need(
    servo: Actuator, logs: list[Log]
) -> None:
    """Nothing else of it is settled, and what the simpler one searched is asked anew."""
    simple = assuming(servo)
    task = FitTask(rig=JointRig(with_law(simple, "friction", "m4")))
    without = held_by_simpler(task, logs, JointRig(simple), ["motor.R", "control.gain"])
    assert {*without.fix} == {*FIRMWARE}
    assert not without.fit
    partly = held_by_simpler(task, logs, JointRig(simple), ["control.gain", "control.dead_band"])
    assert {*partly.fix} == {"control.derivative_gain"}
    assert not partly.fit
    other = JointRig(with_law(simple, "control", "firmware_profile"))
    assert held_by_simpler(task, logs, other, []) == task
