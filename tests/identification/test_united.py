"""Fits of several models in one file: each of them exactly, and the first as it was."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.arrays import Floats
from pliant.assemble import Actuator, Ensemble, united, with_laws
from pliant.catalogue import law_files, load_law, ports
from pliant.engines.joint.engine import JointEngine
from pliant.errors import PliantError
from pliant.identification.problem.evaluation import evaluate
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.result.record import FitRecord
from pliant.io.actuator_file import load_actuator, write_actuator
from pliant.io.log import Log

from .conftest import OFFSET, TRUTH

OTHER: dict[str, Any] = {
    "friction.K_c": 0.021,
    "friction.K_v": 0.004,
    "friction.K_l": 0.11,
    "friction.K_cs": 0.02,
    "friction.K_ls": 0.15,
    "friction.K_m": 0.1,
    "friction.K_e": 0.14,
    "friction.K_mq": 0.3,
    "friction.K_side": 0.3,
    "friction.v_s": 0.7,
    "friction.alpha": 1.3,
    "timing.delay": 0.012,
    "driver.R_s": 1.1,
    "sensing.std": 1e-3,
    "sensing.quantum": 0.02,
    "reversal.reach": 0.05,
    "reversal.drop": 0.4,
    "motor.scale": 0.8,
    "unpowered.d_off": 0.05,
}
"""Numbers with which each law shows in the motion."""


def zero_of(servo: Actuator) -> float:
    return servo.bench["position_offset"].value


def fit(base: Actuator, names: dict[str, str], **values: float) -> Actuator:
    """`base` with other laws, and `OTHER` numbers of theirs."""
    made = with_laws(base, names)
    known = OTHER | {name.replace("__", "."): value for name, value in values.items()}
    return made.with_values({n: x for n, x in known.items() if n in made.fields}, "fit", "assumed")


def moves(actuator: Actuator, log: Log, changes: dict[str, float] | None = None) -> Floats:
    engine = JointEngine(actuator)
    return engine.rollout(log, engine.values(changes)).position


def members(whole: Actuator, log: Log) -> Floats:
    """Motions of its fits, each by itself."""
    carried = whole.ensemble
    assert carried is not None
    each = [dict(zip(carried.names, row, strict=True)) for row in carried.of_fits().tolist()]
    return np.array([moves(whole, log, one) for one in each])


def declared() -> list[Any]:
    found: list[Any] = []
    families = ports(load_actuator("xl330_bam_m1").topology)
    for port, family in families.items():
        for name in law_files(family):
            for poor in getattr(load_law(family, name).module, "REDUCES_TO", {}):
                found.append(pytest.param(port, name, poor, id=f"{name} is {poor}"))
    return found


@pytest.mark.parametrize(("port", "rich", "poor"), declared())
def test_a_law_that_reduces_to_another_moves_as_it_does(
    port: str, rich: str, poor: str, servo: Actuator, logs: list[Log]
) -> None:
    base = load_actuator("unitree_go1_hip_mjlab") if port == "motor" else servo
    simple, other = fit(base, {port: poor}), fit(base, {port: rich})
    if port == "motor":
        other = other.with_values({"motor.k_t": 2.0}, "fit", "assumed")
    whole, log = united([simple, other]), replace(logs[0], enabled=logs[0].time < 4.0)
    assert whole.laws[port].name == rich
    np.testing.assert_allclose(moves(whole, log), moves(simple, log), atol=1e-9)
    first, second = members(whole, log)
    np.testing.assert_allclose(first, moves(simple, log), atol=1e-9)
    np.testing.assert_allclose(second, moves(other, log), atol=1e-9)
    assert np.max(np.abs(first - second)) > 1e-4, "the two laws show"


@pytest.fixture
def classes(servo: Actuator) -> list[Actuator]:
    """M1 with two more fits and a draw; M6 with a delay; M4 behind a supply, with another fit."""
    base = servo.with_values(TRUTH, "truth", "assumed")
    names, zero = ("motor.R", "friction.K_c", "plant.position_offset"), zero_of(servo)
    rows = np.array([[4.4, 0.03, zero], [4.6, 0.02, 0.01], [4.0, 0.05, 0.02], [5.0, 0.01, zero]])
    m1 = replace(fit(base, {}, friction__K_c=0.03), ensemble=Ensemble(names, rows, 3))
    m6 = fit(base, {"friction": "m6", "timing": "command_delay"}, motor__R=4.1)
    m4 = fit(base, {"friction": "m4", "driver": "pulsed_supply"}, friction__K_l=0.2)
    known = ("driver.R_s", "friction.K_l")
    m4 = replace(m4, ensemble=Ensemble(known, np.array([[1.1, 0.2], [0.5, 0.3]]), 2))
    return [m1, m6, m4]


def test_the_set_has_the_fits_of_all_in_order_and_the_draws_of_the_first(
    classes: list[Actuator], logs: list[Log]
) -> None:
    whole, (m1, m6, m4), log = united(classes), classes, logs[0]
    assert {port: whole.laws[port].name for port in ("friction", "timing", "driver")} == {
        "friction": "m6",
        "timing": "command_delay",
        "driver": "pulsed_supply",
    }
    np.testing.assert_allclose(moves(whole, log), moves(m1, log), atol=1e-9)
    expected = [
        moves(m1, log),
        moves(m1, log, {"motor.R": 4.6, "friction.K_c": 0.02, "plant.position_offset": 0.01}),
        moves(m1, log, {"motor.R": 4.0, "friction.K_c": 0.05, "plant.position_offset": 0.02}),
        moves(m6, log),
        moves(m4, log),
        moves(m4, log, {"driver.R_s": 0.5, "friction.K_l": 0.3}),
    ]
    np.testing.assert_allclose(members(whole, log), expected, atol=1e-9)
    entry = evaluate(whole, [log], members=True).entries[0]
    np.testing.assert_allclose(entry.simulated, np.median(expected, axis=0), atol=1e-9)
    carried = whole.ensemble
    assert carried is not None
    drawn = JointRig(whole).motions([log], carried.names, carried.of_draws())[log.name, ""]
    np.testing.assert_allclose(drawn, [moves(m1, log, {"motor.R": 5.0, "friction.K_c": 0.01})])
    record = FitRecord.of(united([m1, m4, m4]))
    assert record.models == {m1.name: 3, m4.name: 2, f"{m4.name} (3)": 2}
    assert all(np.ptp(carried.values, axis=0) > 0.0), "only what differs is carried"


def test_numbers_of_the_representative_say_where_they_are_from(classes: list[Actuator]) -> None:
    m1, *_ = classes
    whole = united(classes)
    assert whole.numbers["friction.K_c"] == m1.numbers["friction.K_c"]
    delay, K_m = whole.numbers["timing.delay"], whole.numbers["friction.K_m"]
    assert (delay.value, delay.how, delay.source) == (
        0.0,
        "convention",
        "immediate as command_delay",
    )
    assert (K_m.value, K_m.how, K_m.source) == (0.0, "convention", "m1 as m6")
    assert whole.sources["m1 as m6"].startswith("makes m6 equal to m1, or has no effect then")
    assert {*m1.sources} <= {*whole.sources}
    m4 = classes[2]
    again = united([m4, classes[1]])
    assert again.numbers["friction.K_e"] == m4.numbers["friction.K_l"]


def test_a_file_carries_fits_of_several_models(classes: list[Actuator], tmp_path: Path) -> None:
    whole = united(classes)
    write_actuator(whole, tmp_path / "set.toml")
    back = load_actuator(tmp_path / "set.toml")
    assert (back.ensemble, whole.ensemble) != (None, None)
    assert back.ensemble and whole.ensemble
    assert (back.ensemble.names, back.ensemble.fits) == (whole.ensemble.names, 6)
    np.testing.assert_allclose(back.ensemble.values, whole.ensemble.values, rtol=1e-5)
    assert dict(back.numbers) == dict(whole.numbers)
    assert dict(back.sources) == dict(whole.sources)


def test_two_laws_of_which_neither_contains_the_other_become_the_simplest_that_does(
    servo: Actuator, logs: list[Log]
) -> None:
    m2, m3 = (fit(servo, {"friction": name}) for name in ("m2", "m3"))
    whole = united([m2, m3])
    assert whole.laws["friction"].name == "m4"
    wanted = [moves(m2, logs[0]), moves(m3, logs[0])]
    np.testing.assert_allclose(members(whole, logs[0]), wanted, atol=1e-9)


def test_one_alone_stays_what_it_is(classes: list[Actuator]) -> None:
    m1 = classes[0]
    whole = united([m1])
    assert dict(whole.numbers) == dict(m1.numbers)
    assert whole.laws == m1.laws
    assert whole.ensemble and m1.ensemble
    np.testing.assert_array_equal(whole.ensemble.values, m1.ensemble.values)
    assert united([replace(m1, ensemble=None)]).ensemble is None


def test_what_cannot_be_united_is_refused(servo: Actuator) -> None:
    def refused(*actuators: Any) -> str:
        with pytest.raises(PliantError) as caught:
            united(actuators)
        return str(caught.value)

    m5, sided = (with_laws(servo, {"friction": name}) for name in ("m5", "m4_sided"))
    said = refused(m5, sided)
    assert said.startswith("laws.friction: no law contains all of these; found 'm4_sided, m5'")
    assert "accepted: laws all contained in one" in said
    said = refused(servo, load_actuator("mx106_bam_m1"))
    assert said.startswith("device: cannot be united; found 'mx106, xl330'")
    assert refused().startswith("actuators: nothing to unite")
    assert refused("xl330_bam_m1").startswith("actuators: cannot be of the type str")


def test_the_bench_of_one_part_is_not_that_of_another(servo: Actuator, logs: list[Log]) -> None:
    """A zero that one part's file does not state is 0."""
    bench = {"position_offset": replace(servo.bench["position_offset"], value=OFFSET)}
    off = replace(with_laws(servo, {"friction": "m3"}), bench=bench)
    none = replace(servo, bench={})
    for parts in ([off, none], [none, off]):
        wanted = [moves(part, logs[0]) for part in parts]
        np.testing.assert_allclose(members(united(parts), logs[0]), wanted, atol=1e-9)


def test_laws_of_your_own_are_united_by_what_they_say(
    servo: Actuator, logs: list[Log], tmp_path: Path
) -> None:
    """Two copies of a file are one law; of the same name with another text they are two."""
    text = load_law("friction_budget", "m3").path.read_text()
    ways = {"a": text, "b": text, "c": text.replace("REDUCES_TO", "OTHER: float = 1.0\n# ")}
    made: dict[str, Actuator] = {}
    for folder, law in ways.items():
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "mine.py"
        path.write_text(law)
        made[folder] = fit(servo, {"friction": str(path)}, friction__K_l=0.1 + 0.1 * len(made))
    m1 = fit(servo, {})
    whole = united([m1, made["a"], made["b"]])
    assert whole.laws["friction"].path == made["a"].laws["friction"].path
    wanted = [moves(one, logs[0]) for one in (m1, made["a"], made["b"])]
    np.testing.assert_allclose(members(whole, logs[0]), wanted, atol=1e-9)
    with pytest.raises(PliantError, match="no law contains all of these; found 'm1, mine'"):
        united([m1, made["c"]])
