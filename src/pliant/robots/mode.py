"""The operation modes 0 to 6 of the toolbox for any compliant actuator.

    soft = with_mode(load_actuator("qbmove_maker_pro"), 6)      compliant_actuators: 3.1

A mode determines which of link, spring and motors are simulated and what the two references are:

    0 LinkTorque    rigid joint         torque of the link
    1 LinkPID       rigid joint         position of the link
    2 SpringRefs    spring              positions of the two motors
    3 SpringEqPres  spring              equilibrium and stiffness preset
    4 MotorTorques  spring and motors   torques of the two motors
    5 PIDRefs       spring and motors   desired positions of the two motors
    6 PIDEqPres     spring and motors   desired equilibrium and stiffness preset

A motor under a current loop becomes an ideal torque source of the same limit in the modes that
command torques; its voltage limit and inductance are then left out.

An actuator with one motor has no second reference, so its modes 2 and 3 are the same, and 5 and 6. The same holds
for a main motor with an adjuster, if its spring is at rest at the main motor's position.
"""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pliant.assemble import Actuator, Number, assemble
from pliant.catalogue import Physics, load_law, load_topology, ports
from pliant.errors import PliantError, check_kind
from pliant.ports import NULL
from pliant.robots.elastic import elastic_of

MODES = {
    0: "LinkTorque",
    1: "LinkPID",
    2: "SpringRefs",
    3: "SpringEqPres",
    4: "MotorTorques",
    5: "PIDRefs",
    6: "PIDEqPres",
}
_BY_EQUILIBRIUM = (3, 6)
_TOOLBOX = (
    "toolbox's released code, its defaults (Mengacci et al. 2021; compliant_actuators: 2.1, 2.5)"
)
_DEFAULTS = {
    "control.k_p": 125.0,
    "control.k_i": 0.0,
    "control.k_d": 4.5,
    "control.limit": 6.0,
    "rotor.J": 0.0233,
    "rotor.D": 0.2698,
    "rotor.low": -1000.0,
    "rotor.high": 1000.0,
    "rotor.max_speed": 1000.0,
    "rotor.tau_s": 0.02,
}
"""Defaults for a mode that needs more numbers than the actuator has; in the units of the laws."""
UNLIMITED = 1e4
"""[N m] The toolbox does not limit the torque of a rigid link; this is the law's largest."""


@dataclass(frozen=True, kw_only=True)
class LinkSide:
    """Properties of the joint itself for modes 0 and 1, which have no motor.

    Attributes:
        effort: [N m] limit of its torque. k_p, k_i, k_d: gains of mode 1, in N m/rad, N m/(rad s)
            and N m s/rad; the toolbox's defaults. damping, friction: of the joint, in N m s/rad and
            N m, which the actuator takes over.
    """

    effort: float = UNLIMITED
    k_p: float = 0.8
    k_i: float = 0.0
    k_d: float = 0.2
    damping: float = 0.0
    friction: float = 0.0


def with_mode(actuator: Actuator, mode: int, link: LinkSide | None = None) -> Actuator:
    """Copy `actuator` with the laws of an operation mode.

    Args:
        actuator: with a spring; for modes 0 and 1 any.
        mode: 0 to 6. link: of the joint, for modes 0 and 1.

    Raises:
        PliantError: there is no such mode, or the actuator cannot be in it.
    """
    check_kind(actuator, Actuator, "actuator", "what load_actuator returned")
    check_mode(mode)
    if mode <= 1:
        return _rigid(actuator, mode, link or LinkSide())
    if not motor_numbers(actuator):
        raise PliantError(
            f"has no spring, which operation mode {mode} ({MODES[mode]}) needs",
            field=f"actuator {actuator.name}",
            accepted="mode 0 or 1, or a compliant actuator",
        )
    choice = _references(actuator, mode)
    for number in motor_numbers(actuator):
        choice |= _side(actuator, number, mode)
    return _rebuilt(actuator, choice, mode)


def check_mode(mode: object) -> None:
    """Refuse what is not an operation mode."""
    if not isinstance(mode, int) or isinstance(mode, bool) or mode not in MODES:
        raise PliantError(
            "unknown operation mode",
            found=mode,
            accepted="; ".join(f"{number} {name}" for number, name in MODES.items()),
        )


def motor_numbers(actuator: Actuator) -> list[str]:
    """Suffixes of the ports of each motor that has a rotor: [""], ["_1", "_2"], or []."""
    return [number for number in ("", "_1", "_2") if f"rotor{number}.theta" in actuator.state]


def mode_of(actuator: Actuator) -> int | None:
    """The mode whose laws it has, the lower where two are the same; None of a servo."""
    if actuator.topology.name == "rigid_servo":
        return {"direct_torque": 0, "pid_torque": 1}.get(actuator.laws["control"].name)
    numbers = motor_numbers(actuator)
    if not numbers:
        return None
    by_equilibrium = _map_of(actuator) == "equilibrium_preset"
    if actuator.laws[f"rotor{numbers[0]}"].name == "follows":
        return 3 if by_equilibrium else 2
    if actuator.laws[f"control{numbers[0]}"].module.GOAL != "rad":
        return 4
    return 6 if by_equilibrium else 5


def _map_of(actuator: Actuator) -> str | None:
    return actuator.laws["references"].name if "references" in actuator.laws else None


def _references(actuator: Actuator, mode: int) -> dict[str, str]:
    if "references" not in actuator.laws:
        return {}
    if actuator.topology.name == "antagonistic":
        return {"references": "equilibrium_preset" if mode in _BY_EQUILIBRIUM else "direct"}
    if mode in _BY_EQUILIBRIUM and not elastic_of(actuator).rests_at_main_motor():
        raise PliantError(
            f"has no map from equilibrium and preset to its motors, which mode {mode} needs",
            field=f"actuator {actuator.name}",
            accepted="modes 0, 1, 2, 4, 5, with `refs_for`",
        )
    return {"references": "direct"}


def _side(actuator: Actuator, number: str, mode: int) -> dict[str, str]:
    """Rotor and control of one motor."""
    rotor, control = actuator.laws[f"rotor{number}"], actuator.laws[f"control{number}"]
    if mode in (2, 3):
        return {f"rotor{number}": "follows"}
    if rotor.name == "follows":
        is_adjuster = actuator.topology.name == "adjustable" and number == "_2"
        name = "lag" if is_adjuster else "inertia"
        rotor = load_law("rotor", name)
    if rotor.name == "lag":  # follows its reference whatever the torque
        return {f"rotor{number}": rotor.name}
    choice = {f"rotor{number}": rotor.name}
    command = actuator.laws[f"motor{number}"].module.COMMAND
    if mode > 4 and control.module.GOAL == "rad":
        return choice
    if mode > 4 and command == "1":
        return choice | {f"control{number}": "pid"}
    if command == "1":
        raise PliantError(
            f"its motor takes a duty, but mode {mode} ({MODES[mode]}) commands a torque",
            field=f"actuator {actuator.name}: motor{number}",
            found=actuator.laws[f"motor{number}"].name,
            accepted="a motor that takes a torque or a current",
        )
    # A current loop that is told a torque is an ideal torque source.
    wanted = "direct_torque" if mode == 4 else "pid_torque"
    ideal = {f"motor{number}": "ideal_torque", f"winding{number}": "none"}
    return choice | ideal | {f"control{number}": wanted}


def _rebuilt(actuator: Actuator, choice: Mapping[str, str], mode: int) -> Actuator:
    changed = {p: name for p, name in choice.items() if actuator.laws[p].name != name}
    if not changed:
        return actuator
    families = ports(actuator.topology)
    laws: dict[str, Physics] = dict(actuator.laws)
    numbers = dict(actuator.numbers)
    sources = dict(actuator.sources)
    for port, name in changed.items():
        laws[port] = law = load_law(families[port], name)
        old = {n: numbers.pop(n) for n in list(numbers) if n.startswith(f"{port}.")}
        for field in law.parameters:
            kept = old.get(f"{port}.{field.name}")
            if kept is None or kept.unit != field.unit:
                kept = _limit_as_torque(actuator, port) if field.name == "limit" else None
            if kept is None:
                default = _DEFAULTS[f"{families[port]}.{field.name}"]
                kept = Number(default, field.unit, "toolbox", "assumed")
                sources["toolbox"] = _TOOLBOX
            numbers[f"{port}.{field.name}"] = kept
    return assemble(
        dataclasses.replace(
            actuator, name=_name(actuator, mode), laws=laws, numbers=numbers, sources=sources
        )
    )


def _limit_as_torque(actuator: Actuator, port: str) -> Number | None:
    """The limit [N m] of a controller that had it as a current."""
    known = actuator.numbers.get(f"{port}.limit")
    k_t = actuator.numbers.get(port.replace("control", "motor") + ".k_t")
    if known is None or k_t is None or known.unit != "A":
        return None
    return Number(known.value * k_t.value, "N m", known.source, known.how)


def _name(actuator: Actuator, mode: int) -> str:
    return re.sub(r"_mode_\d$", "", actuator.name) + f"_mode_{mode}"


def _rigid(actuator: Actuator, mode: int, link: LinkSide) -> Actuator:
    """The joint without its spring: `rigid_servo`, told a torque or a position."""
    topology = load_topology("rigid_servo")
    has_friction = link.friction > 0.0 or link.damping > 0.0
    choice = {
        "timing": actuator.laws["timing"].name,
        "sensing": "ideal",
        "control": "pid_torque" if mode else "direct_torque",
        "driver": "ideal_supply",
        "motor": "ideal_torque",
        "friction": "m1" if has_friction else "none",
    }
    laws = {
        port: load_law(family, choice.get(port, NULL)) for port, family in ports(topology).items()
    }
    values = {
        "own.armature": 0.0,
        "control.limit": link.effort,
        "motor.k_t": 1.0,
        "control.k_p": link.k_p,
        "control.k_i": link.k_i,
        "control.k_d": link.k_d,
        "friction.K_c": link.friction,
        "friction.K_v": link.damping,
    }
    draft = dataclasses.replace(
        actuator,
        name=_name(actuator, mode),
        topology=topology,
        laws=laws,
        numbers={},
        bench={},
        identification={},
        sources={**actuator.sources, "link": f"the joint itself, operation mode {mode}"},
    )
    numbers = {
        name: actuator.numbers[name]
        if name in actuator.numbers and name.startswith(("timing.", "own.voltage"))
        else Number(values[name], field.unit, "link", "convention")
        for name, field in draft.fields.items()
    }
    return assemble(dataclasses.replace(draft, numbers=numbers))
