"""Assembled actuators: the topology with its laws is the same in every language."""

import re
from functools import cache

import numpy as np
import pytest

from pliant.assemble import Actuator, fields_of
from pliant.catalogue import Physics, load_law, load_topology, ports
from pliant.io.actuator_file import load_actuator
from pliant.lower.assembly import assembly
from pliant.lower.law import Lowered, Target, lower

SERVO = "rigid_servo"
SIDE = {
    "rate": "sampled",
    "sensing": "encoder",
    "control": "pid",
    "driver": "supply_resistance",
    "motor": "dc_voltage",
    "winding": "inductance",
    "rotor": "inertia",
    "friction": "dahl",
    "gear": "m4",
    "protection": "feetech_overload",
    "thermal": "two_body",
}
SPRING = {"spring": "sinh_spring", "limit": "hard_stop", "hysteresis": "bouc_wen"}


def twice(laws: dict[str, str]) -> dict[str, str]:
    return {f"{port}_{k}": law for k in (1, 2) for port, law in laws.items()}


COMPLIANT = {
    "series_elastic": {"timing": "command_delay", **SIDE, **SPRING},
    "antagonistic": {
        "timing": "command_delay",
        "references": "equilibrium_preset",
        **twice(SIDE),
        **twice(SPRING),
        "coupling": "linear_spring",
        "parallel": "linear_spring",
    },
    "backlash": {
        "timing": "command_delay",
        **SIDE,
        "encoder": "joint",
        "contact": "dead_zone",
    },
    "parallel": {"timing": "command_delay", "clutch": "friction_clutch", **SPRING},
    "adjustable": {
        "timing": "command_delay",
        "references": "direct",
        **twice(SIDE),
        "spring": "awas",
        "limit": "saturate",
    },
}
NAMES = (SERVO, *COMPLIANT)
FUNCTIONS = (
    "start",
    "step",
    "torque",
    "budget",
    "fastest",
    "stiffest",
    "stiffness",
    "reached",
    "borne_1",
    "lost",
    "issued",
    "armature",
    "voltage",
)
GIVEN = {
    "t": (0.0, 10.0),
    "q": (-1.0, 1.0),
    "goal": (-1.0, 1.0),
    "v": (-5.0, 5.0),
    "supply": (6.0, 9.0),
    "on": (1.0, 1.0),
    "h": (1e-3, 1e-3),
    "preset": (-0.3, 0.3),
    "tau_m": (-1.0, 1.0),
    "tau_e": (-1.0, 1.0),
}


@cache
def servo() -> Actuator:
    return load_actuator("xl330_bam_m6")


@cache
def chosen(name: str) -> tuple[Physics, dict[str, Physics]]:
    if name == SERVO:
        return servo().topology, dict(servo().laws)
    topology = load_topology(name)
    laws = {p: load_law(f, COMPLIANT[name][p]) for p, f in ports(topology).items()}
    return topology, laws


@cache
def assembled(target: Target) -> dict[str, Lowered]:
    """All topologies in one module."""
    return dict(zip(NAMES, lower([assembly(*chosen(n)) for n in NAMES], target), strict=True))


PLAUSIBLE = {
    "own.voltage": 24.0,
    "own.d": 0.1,
    "own.softest": 0.0,
    "own.stiffest": 2.0,
    "timing.delay": 0.005,
    "rate.f_c": 500.0,
    "sensing.quantum": 1.5e-3,
    "control.k_p": 3.0,
    "control.k_i": 2.0,
    "control.k_d": 0.1,
    "control.limit": 1.0,
    "driver.R_s": 0.2,
    "motor.k_t": 0.8,
    "motor.R": 2.3,
    "rotor.J": 0.02,
    "rotor.D": 0.3,
    "rotor.low": -5.0,
    "rotor.high": 5.0,
    "rotor.max_speed": 0.09,
    "winding.L": 2e-3,
    "friction.tau_f": 0.05,
    "friction.k_z": 300.0,
    "gear.K_c": 0.01,
    "gear.K_v": 0.02,
    "gear.K_l": 0.1,
    "gear.K_cs": 0.02,
    "gear.K_ls": 0.05,
    "gear.v_s": 0.5,
    "gear.alpha": 1.2,
    "protection.Overload_Torque": 0.8,
    "protection.Protection_Time": 2.0,
    "protection.Protective_Torque": 0.2,
    "protection.Max_Temperature": 343.15,
    "protection.fade": 0.5,
    "thermal.R_w": 4.0,
    "thermal.tau_w": 12.0,
    "thermal.R_h": 6.0,
    "thermal.tau_h": 250.0,
    "thermal.ambient": 298.15,
    "thermal.stated_at": 293.15,
    "thermal.alpha_R": 0.0039,
    "thermal.alpha_k": -0.0011,
    "contact.gap": 0.02,
    "contact.k": 30.0,
    "contact.d": 0.3,
    "spring.k": 0.4,
    "spring.a": 3.0,
    "spring.d": 0.5,
    "clutch.T_c": 0.4,
    "clutch.t_on": 0.03,
    "clutch.t_off": 0.02,
    "hysteresis.tau_z": 0.3,
    "hysteresis.k_r": 4.0,
    "hysteresis.sigma": 0.7,
    "hysteresis.n": 1.5,
    "limit.max_def": 0.8,
    "limit.k": 50.0,
    "coupling.k": 2.0,
    "coupling.d": 0.1,
    "parallel.k": 0.5,
    "parallel.d": 0.02,
    "spring.k_s": 400.0,
    "spring.r0": 0.1,
    "spring.b": 0.01,
}


def flat(name: str) -> dict[str, float]:
    """Parameters: the servo's own numbers, plausible ones of the others."""
    if name == SERVO:
        return dict(zip(servo().fields, servo().values, strict=True))
    return {field: PLAUSIBLE[re.sub(r"_[12]\.", ".", field)] for field in fields_of(*chosen(name))}


def rows(topology: str, function: str, n: int = 200) -> np.ndarray:
    """Random motion with the numbers of `flat`."""
    rng = np.random.default_rng(3)
    names = list(flat(topology))
    values = iter(())
    columns = assembled("llvm")[topology].columns[function]
    table = np.empty((n, len(columns)))
    for k, column in enumerate(columns):
        if column.startswith("p."):
            values = values if k and columns[k - 1].startswith("p.") else iter(names)
            table[:, k] = flat(topology)[next(values)]
        else:
            low, high = GIVEN.get(column, (-0.1, 0.1))
            table[:, k] = rng.uniform(low, high, n)
    return table


CASES = [pytest.param(t, f, id=f"{t}-{f}") for t in NAMES for f in FUNCTIONS]


@pytest.mark.parametrize(("topology", "function"), CASES)
def test_machine_code_gives_what_python_gives(topology: str, function: str) -> None:
    x = rows(topology, function)
    found, expected = (assembled(t)[topology].evaluate(function, x) for t in ("llvm", "python"))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize(("topology", "function"), CASES)
def test_warp_gives_what_machine_code_gives_to_float32(topology: str, function: str) -> None:
    """An encoder may round a float32 angle to the neighbouring step: one row in a hundred may.

    A rotor's friction feels the rounding of its angle, which is 6e-8 rad, as a part of its slip.
    """
    wp = pytest.importorskip("warp")
    x = rows(topology, function).astype(np.float32).astype(float)
    expected = assembled("llvm")[topology].evaluate(function, x)
    scale = np.abs(expected).max(axis=0, initial=0.0) + 1e-30
    for device in ["cpu", "cuda:0"] if wp.is_cuda_available() else ["cpu"]:
        off = np.abs(assembled("warp")[topology].evaluate(function, x, device) - expected) / scale
        assert np.isfinite(off).all()
        limit, rows_off = (5e-6, 0.0) if topology == SERVO else (5e-5, 0.01)
        assert (off.max(axis=1) > limit).mean() <= rows_off


def test_the_servos_torque_is_the_law_by_hand() -> None:
    """Duty = gain kp (goal - q), tau = k_t (duty U - k_t v) / R, with the published numbers."""
    x = rows(SERVO, "torque")
    columns = assembled("llvm")[SERVO].columns["torque"]
    names = ("s.control.reference", "q", "v", "supply")
    goal, q, v, supply = (x[:, columns.index(name)] for name in names)
    k_t, r = servo().value("motor.k_t"), servo().value("motor.R")
    duty = np.clip(4096 / (2 * np.pi) / (256 * 885) * 400.0 * (goal - q), -1.0, 1.0)
    expected = k_t * (duty * supply - k_t * v) / r
    found = assembled("llvm")[SERVO].evaluate("torque", x)[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("topology", NAMES)
def test_begins_at_rest_where_the_joint_is_with_nothing_commanded(topology: str) -> None:
    x = rows(topology, "start")
    state, q = assembled("llvm")[topology].evaluate("start", x), x[:, :1]
    assert np.all((state == q) | (state == 0.0))
    assert np.all(np.any(state == q, axis=1))


@pytest.mark.parametrize("topology", NAMES)
def test_takes_a_second_command_and_has_a_budget_as_it_says(topology: str) -> None:
    one, said = assembled("llvm")[topology], chosen(topology)[0].module
    x = rows(topology, "step")
    other = x.copy()
    other[:, one.columns["step"].index("preset")] += 0.1
    heard = np.any(one.evaluate("step", x) != one.evaluate("step", other))
    assert 1 + heard == said.REFERENCES
    budget = one.evaluate("budget", rows(topology, "budget"))
    assert np.any(budget > 0.0) == said.HAS_BUDGET


@pytest.mark.parametrize("topology", sorted({*COMPLIANT} - {"parallel"}))
def test_springs_store_or_lose_the_work_of_link_and_motors(topology: str) -> None:
    """At rest a load is the slope of one energy, and the hysteresis; stiffness and damping are those of the torque.

    A clutch would let its spring slip.
    """
    one, module = assembled("llvm")[topology], chosen(topology)[0].module
    still = dict(zip(one.columns["torque"], rows(topology, "torque").T, strict=True))
    moving = still | {c: 0.0 * x for c, x in still.items() if re.match(r"s\..*hysteresis", c)}
    still |= {c: 0.0 * x for c, x in still.items() if c == "v" or c.endswith("omega")}
    z = [x for c, x in still.items() if c.endswith("hysteresis.z")] or [0.0, 0.0]
    thetas = [c for c in one.columns["energy"] if c.endswith("rotor.theta")]

    def at(pose: dict[str, np.ndarray], function: str, **moved: float) -> np.ndarray:
        x = [pose[c] + moved.get(c, 0.0) for c in one.columns[function]]
        return one.evaluate(function, np.transpose(x))[:, 0]

    work, kept = 0.0, at(moving, "lost")
    for end, angle in enumerate(["q", *thetas]):
        known = [f"load_{end}", f"borne_{end}"] if end else ["torque"]
        loads, sign = [name for name in known if hasattr(module, name)], 1.0 if end else -1.0
        up, down = (at(still, "energy", **{angle: moved}) for moved in (1e-6, -1e-6))
        slope = (up - down) / 2e-6
        held = PLAUSIBLE["hysteresis.tau_z"] * (-z[end - 1] if end else sum(z))
        for load in loads:
            np.testing.assert_allclose(sign * at(still, load), slope + held, rtol=1e-6, atol=1e-7)
        rate = moving[angle.replace("theta", "omega") if end else "v"]
        kept += slope * rate
        work += sign * at(moving, loads[-1]) * rate
    np.testing.assert_allclose(work, kept, rtol=1e-6, atol=1e-7)
    up, down, fast = (
        at(still, "torque", **{n: d}) for n, d in [("q", 1e-6), ("q", -1e-6), ("v", 1e-3)]
    )
    np.testing.assert_allclose(at(still, "stiffness"), (down - up) / 2e-6, rtol=1e-6, atol=1e-7)
    assert np.max(at(still, "torque") - fast) == pytest.approx(1e-3 * at(still, "damping")[0])


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
