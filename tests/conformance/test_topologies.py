"""Assembled actuators: the topology with its laws is the same in every language."""

from functools import cache

import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.catalogue import load_law, load_topology, ports
from pliant.io.actuator_file import load_actuator
from pliant.lower.assembly import assembly
from pliant.lower.law import Lowered, Target, lower

SERIES_ELASTIC = {
    "timing": "command_delay", "sensing": "encoder", "control": "pid",
    "driver": "supply_resistance", "motor": "dc_voltage", "friction": "dahl",
    "spring": "linear_spring",
}  # fmt: skip
SERVO, ELASTIC = "rigid_servo", "series_elastic"
FUNCTIONS = ("start", "step", "torque", "budget", "fastest", "issued", "armature", "voltage")
GIVEN = {
    "t": (0.0, 10.0), "q": (-1.0, 1.0), "goal": (-1.0, 1.0), "v": (-5.0, 5.0), "supply": (6.0, 9.0),
    "on": (1.0, 1.0), "h": (1e-3, 1e-3), "tau_m": (-1.0, 1.0), "tau_e": (-1.0, 1.0),
}  # fmt: skip


@cache
def servo() -> Actuator:
    return load_actuator("xl330_bam_m6")


@cache
def assembled(target: Target) -> dict[str, Lowered]:
    """The two topologies in one module."""
    elastic = load_topology(ELASTIC)
    chosen = {port: load_law(f, SERIES_ELASTIC[port]) for port, f in ports(elastic).items()}
    sources = [assembly(servo().topology, servo().laws), assembly(elastic, chosen)]
    return dict(zip((SERVO, ELASTIC), lower(sources, target), strict=True))


def rows(topology: str, function: str, n: int = 200) -> np.ndarray:
    """Random motion; the servo with its own numbers, the elastic one with plausible ones."""
    rng = np.random.default_rng(3)
    columns = assembled("numba")[topology].columns[function]
    values = dict(zip(servo().fields, servo().values, strict=True)) if topology == SERVO else {
        "own.J": 0.02, "own.D": 0.3, "own.voltage": 24.0, "timing.delay": 0.005,
        "sensing.quantum": 1.5e-3, "control.k_p": 3.0, "control.k_i": 2.0, "control.k_d": 0.1,
        "control.limit": 1.0, "driver.R_s": 0.2, "motor.k_t": 0.8, "motor.R": 2.3,
        "friction.tau_f": 0.05, "friction.k_z": 300.0, "spring.k": 200.0, "spring.d": 0.5,
    }  # fmt: skip
    table = np.empty((n, len(columns)))
    for k, column in enumerate(columns):
        head, _, tail = column.partition(".")
        low, high = GIVEN.get(column, (-0.1, 0.1))
        table[:, k] = values[tail] if head == "p" else rng.uniform(low, high, n)
    return table


CASES = [pytest.param(t, f, id=f"{t}-{f}") for t in (SERVO, ELASTIC) for f in FUNCTIONS]


@pytest.mark.parametrize(("topology", "function"), CASES)
def test_numba_gives_what_python_gives(topology: str, function: str) -> None:
    x = rows(topology, function)
    found, expected = (assembled(t)[topology].evaluate(function, x) for t in ("numba", "python"))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize(("topology", "function"), CASES)
def test_warp_gives_what_numba_gives_to_float32(topology: str, function: str) -> None:
    """An encoder may round a float32 angle to the neighbouring step: one row in a hundred may."""
    wp = pytest.importorskip("warp")
    x = rows(topology, function).astype(np.float32).astype(float)
    expected = assembled("numba")[topology].evaluate(function, x)
    scale = np.abs(expected).max(axis=0, initial=0.0) + 1e-30
    for device in ["cpu", "cuda:0"] if wp.is_cuda_available() else ["cpu"]:
        off = np.abs(assembled("warp")[topology].evaluate(function, x, device) - expected) / scale
        assert np.isfinite(off).all()
        assert (off.max(axis=1) > 5e-6).mean() <= (0.01 if topology == ELASTIC else 0.0)


def test_the_servos_torque_is_the_law_by_hand() -> None:
    """Duty = gain kp (goal - q), tau = k_t (duty U - k_t v) / R, with the published numbers."""
    x = rows(SERVO, "torque")
    columns = assembled("numba")[SERVO].columns["torque"]
    names = ("s.control.reference", "q", "v", "supply")
    goal, q, v, supply = (x[:, columns.index(name)] for name in names)
    k_t, r = servo().value("motor.k_t"), servo().value("motor.R")
    duty = np.clip(4096 / (2 * np.pi) / (256 * 885) * 400.0 * (goal - q), -1.0, 1.0)
    expected = k_t * (duty * supply - k_t * v) / r
    found = assembled("numba")[SERVO].evaluate("torque", x)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_one_topology_with_two_choices_of_laws_in_one_module() -> None:
    a, b = servo(), load_actuator("xl330_bam_m1")
    both = lower([assembly(a.topology, a.laws), assembly(b.topology, b.laws)], "python")
    for actuator, lowered in zip((a, b), both, strict=True):
        motion = np.array([[0.5, 0.3, -0.2]])
        law = actuator.laws["friction"]
        p = law.module.P(*(actuator.value(f"friction.{f.name}") for f in law.parameters))
        row = np.hstack([motion, actuator.values[None]])
        assert lowered.evaluate("budget", row)[0, 0] == law.module.budget(0.5, 0.3, -0.2, p)


def test_the_order_of_the_flat_parameters_is_that_of_the_topology() -> None:
    a = servo()
    shuffled = dict(reversed(list(a.laws.items())))
    [one] = lower([assembly(a.topology, shuffled)], "python")
    assert [c.removeprefix("p.") for c in one.columns["armature"]] == list(a.fields)
