"""Compliant actuators without losses and controllers, and their equations of motion by scipy."""

from functools import cache

import numpy as np
from scipy.integrate import solve_ivp

import pliant
from pliant.assemble import Actuator, with_laws
from pliant.catalogue import actuator_files, ports
from pliant.lower.law import plain

LINK = 0.01
"""Inertia of the link [kg m^2]."""
J = 0.0233
"""Inertia of each rotor [kg m^2]."""
ADJUSTER = {"awas": 2.0, "awas_ii": 0.012, "maccepa_vd": 1.0, "edinburgh_vsa": 0.6}
"""Starting position of the adjuster."""
ONE = "series_elastic"
ELSEWHERE = ("rigid_servo", "backlash", "parallel")
"""Topologies without a spring, and two with tests of their own (`test_backlash`, `test_parallel`)."""


@cache
def compliant() -> list[str]:
    """Every compliant actuator of the catalogue that is no other with another number."""
    names = sorted(n for n in actuator_files() if "_bam_" not in n)
    return [n for n in names if pliant.load_actuator(n).topology.name not in ELSEWHERE]


@cache
def kinds() -> list[str]:
    """One of each choice of topology and springs."""
    found: dict[tuple[str, ...], str] = {}
    for name in compliant():
        actuator = pliant.load_actuator(name)
        springs = [law.name for port, law in actuator.laws.items() if "spring" in port]
        springs += [law.name for law in actuator.laws.values() if law.kind == "hysteresis"]
        found.setdefault((actuator.topology.name, *springs), name)
    return list(found.values())


@cache
def free(name: str) -> Actuator:
    """`name` without controller, friction and drag: rotors, springs and link."""
    actuator = pliant.load_actuator(name)
    new = {
        "control": "direct_torque",
        "motor": "ideal_torque",
        "friction_state": "none",
        "hysteresis": "none",
        "sensing": "ideal",
        "rate": "every_step",
        "rotor": "inertia",
        "driver": "ideal_supply",
        "timing": "immediate",
        "reference_map": "direct",
        "winding": "none",
    }
    families = ports(actuator.topology)
    actuator = with_laws(actuator, {p: new[f] for p, f in families.items() if f in new})
    given = {
        "rotor.J": J,
        "rotor.D": 0.0,
        "rotor.low": -1000.0,
        "rotor.high": 1000.0,
        "spring.d": 0.0,
        "own.d": 0.0,
        "coupling.d": 0.0,
        "parallel.d": 0.0,
        "motor.k_t": 1.0,
        "control.limit": 100.0,
        "rotor.max_speed": 1000.0,
    }
    values = {
        field: given[plain]
        for field in actuator.fields
        if (plain := field.replace("_1.", ".").replace("_2.", ".")) in given
    }
    return actuator.with_values(values, "test", "assumed")


class Ode:
    """q, v, th_1, om_1, th_2, om_2 under two motor torques and one on the link."""

    def __init__(self, actuator: Actuator) -> None:
        self.f = plain(actuator)
        self.p = self.f["load_parameters"](list(actuator.values), 0)
        self.actuator = actuator
        self.one = actuator.topology.name == ONE

    def state(self, y):
        names = self.actuator.state
        number = dict.fromkeys(names, 0.0)
        first = "rotor" if self.one else "rotor_1"
        number |= {f"{first}.theta": y[2], f"{first}.omega": y[3]}
        if not self.one:
            number |= {"rotor_2.theta": y[4], "rotor_2.omega": y[5]}
        return self.f["load_state"]([float(number[name]) for name in names], 0)

    def energy(self, y) -> float:
        kinetic = LINK * y[1] ** 2 + J * (y[3] ** 2 + y[5] ** 2)
        return 0.5 * kinetic + self.f["energy"](self.state(y), y[0], self.p)

    def rates(self, t, y, torques=(0.0, 0.0, 0.0)):
        s = self.state(y)
        pull = self.f["torque"](s, 0.0, 0.0, y[0], y[1], 1.0, 1.0, self.p)
        one, two = (self.f[f"load_{k}"](s, y[0], self.p) for k in (1, 2))
        second = [0.0, 0.0] if self.one else [y[5], (torques[1] - two) / J]
        return [y[1], (pull + torques[2]) / LINK, y[3], (torques[0] - one) / J, *second]

    def solve(self, start, times, torques=(0.0, 0.0, 0.0)):
        tight = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-12}
        span = (times[0], times[-1])
        return solve_ivp(self.rates, span, start, t_eval=times, args=(torques,), **tight).y.T


def start(name: str) -> np.ndarray:
    """At rest with the link deflected by 0.1 rad, within every spring's range."""
    preset = 0.0 if pliant.load_actuator(name).topology.name != "adjustable" else ADJUSTER[name]
    return np.array([0.1, 0.0, 0.0, 0.0, preset, 0.0])
