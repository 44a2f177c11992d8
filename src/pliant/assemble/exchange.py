"""Copies of an actuator with other laws at some ports, or with play behind its gear."""

import dataclasses
from collections.abc import Mapping
from math import copysign, isfinite, sqrt

from pliant.assemble.actuator import Actuator, assemble
from pliant.assemble.parameters import How, Number, fields_of
from pliant.assemble.servo_range import ServoRange, winding_bounds
from pliant.catalogue import Field, Physics, load_law, load_topology, ports
from pliant.errors import PliantError, check_kind, check_known
from pliant.ports import NULL


def with_law(actuator: Actuator, port: str, name: str) -> Actuator:
    """Copy `actuator` with another law at one port; see `with_laws`.

    Args:
        actuator: the original. port: of its topology. name: of a law, or the path of its file.

    Raises:
        PliantError: there is no such port or law, or the laws do not fit together.
    """
    return with_laws(actuator, {port: name})


def with_laws(actuator: Actuator, names: Mapping[str, str]) -> Actuator:
    """Copy `actuator` with other laws at some ports.

    The names of the laws are added to its name. Parameters that the old and the new law share, with the
    same unit, keep their values. New ones are set to zero if allowed, else to the middle of their range,
    and marked "assumed"; registers of a protection get their factory values (`REGISTERS`). Bounds of
    friction and supply follow from the servo (`ServoRange`); those of a winding that the actuator did not
    have, from its data sheet (`winding_bounds`).

    Args:
        actuator: to be copied. names: port to the name of a law, or the path of its file.

    Raises:
        PliantError: there is no such port or law, or the laws do not fit together.
    """
    check_kind(actuator, Actuator, "actuator", "what load_actuator returned")
    check_kind(names, Mapping, "names", 'port to law: {"friction": "m4"}')
    families = ports(actuator.topology)
    changed: list[str] = []
    for port, name in names.items():
        check_known(port, families, f"topology {actuator.topology.name} has no such port", "law")
        law = load_law(families[port], name)
        if law.name != actuator.laws[port].name:
            actuator = _replaced(actuator, port, law)
            changed.append(law.name)
    if not changed:
        return actuator
    suffix = "_".join(dict.fromkeys(changed))
    return assemble(dataclasses.replace(actuator, name=f"{actuator.name}_{suffix}"))


BY_SERVO = ("friction", "driver", "unpowered")
"""Ports whose laws hold for any joint; the servo bounds their parameters."""


HEAT = {"ambient": 298.15, "stated_at": 298.15, "alpha_R": 0.0039, "alpha_k": -0.0011}
"""Thermal numbers that do not depend on the servo: room temperature [K], that of data sheets, copper and
neodymium [1/K]. No motion can separate them from resistance and torque constant."""


REGISTERS: Mapping[str, Mapping[str, float]] = {
    "feetech_overload": {
        "Overload_Torque": 0.8,
        "Protection_Time": 2.0,
        "Protective_Torque": 0.2,
        "Max_Temperature": 343.15,
        "fade": 0.0,
    },
    "dynamixel_shutdown": {
        "PWM_Limit": 1.0,
        "overload_time": 5.0,
        "Temperature_Limit": 343.15,
        "overload_bit": 1.0,
        "overheating_bit": 1.0,
    },
}
"""Protection law to the factory values of its registers; with 0 the servo would be off.
Feetech's memory table for STS servos (34 to 36, 13); ROBOTIS e-manual, XL330-M288 (36, 31, 63), except how the
timer fades and how long a duty may last, which no source states: see the laws."""

DOUBTED = {"Overload_Torque": (0.64, 0.96)}
"""Bounds of registers that are fitted: the register is known, but not how a model's duty compares with it. Stalled,
an STS3032 was 0.18 rad from its goal and a model of it 0.15, a fifth less: at 0.8 it never tripped."""


def _replaced(actuator: Actuator, port: str, law: Physics) -> Actuator:
    source = f"law {law.name}"
    servo = ServoRange.of(actuator.numbers, actuator.datasheet)
    wound = "R" in [f.name for f in law.parameters] and "motor.R" not in actuator.numbers
    kept = {n: x for n, x in actuator.numbers.items() if not n.startswith(f"{port}.")}
    for field_ in law.parameters:
        old = actuator.numbers.get(f"{port}.{field_.name}")
        stays = old is not None and old.unit == field_.unit
        braking = port == "control" and field_.unit == "N m s/rad"
        by_servo = port in BY_SERVO or braking
        ends = servo.bounds(field_) if by_servo else (field_.low, field_.high)
        sheet = winding_bounds(field_, actuator.datasheet) if port == "motor" and wound else None
        new = _new(field_, source, *(sheet or ends))
        if port == "thermal" and field_.name in HEAT:
            new = Number(HEAT[field_.name], field_.unit, source, "convention")
        if field_.name in (known := REGISTERS.get(law.name, {})):
            new = dataclasses.replace(new, value=known[field_.name], how="firmware")
        if field_.name in DOUBTED:
            low, high = DOUBTED[field_.name]
            new = dataclasses.replace(new, how="assumed", low=low, high=high)
        kept[f"{port}.{field_.name}"] = old if old and stays and not sheet else new
    return dataclasses.replace(
        actuator,
        laws={**actuator.laws, port: law},
        numbers=kept,
        ensemble=None,
        sources={
            **actuator.sources,
            source: f"range of the law {law.name}, limited to what the servo can have; not identified",
        },
    )


def _new(field_: Field, source: str, least: float, most: float) -> Number:
    """A number of which only the range is known."""
    low, high = (bound if isfinite(bound) else None for bound in (least, most))
    if least <= 0.0 <= most:
        null = 0.0
    elif low is not None and high is not None:
        null = copysign(sqrt(low * high), low)
    else:
        null = low if low is not None else most
    return Number(null, field_.unit, source, "assumed", low, high)


_FREE = {"D": 0.0, "low": -1e3, "high": 1e3, "max_speed": 1e3}
"""A rotor without its own drag, stops or speed limit: other laws have friction and back-EMF."""


def with_backlash(
    actuator: Actuator,
    gap: float,
    *,
    stiffness: float,
    damping: float = 0.0,
    encoder: str = "joint",
    source: str = "play entered by hand",
    how: How = "assumed",
) -> Actuator:
    """The servo `actuator` with play: topology `backlash` instead of `rigid_servo`.

    Its armature becomes a separate mass before the play, and its friction acts on that mass.

    Args:
        gap: total play [rad]. stiffness, damping: of teeth in contact [N m/rad, N m s/rad].
        encoder: "joint" or "motor", the side it is on. source, how: of the play's three numbers.

    Raises:
        PliantError: it is not a rigid servo, or a number is outside its law's range.
    """
    check_kind(actuator, Actuator, "actuator", "what load_actuator or identify returned")
    if actuator.topology.name != "rigid_servo":
        raise PliantError(
            "already has a separate mass before the joint",
            field=f"actuator {actuator.name}: topology",
            found=actuator.topology.name,
            accepted="rigid_servo",
        )
    topology = load_topology("backlash")
    laws = _laws(actuator, topology, encoder)
    numbers = {_moved(name): number for name, number in actuator.numbers.items()}
    units = {field: declared.unit for field, declared in fields_of(topology, laws).items()}
    for symbol, value in _FREE.items():
        numbers[f"rotor.{symbol}"] = Number(value, units[f"rotor.{symbol}"], source, "assumed")
    for symbol, value in {"gap": gap, "k": stiffness, "d": damping}.items():
        name = f"contact.{symbol}"
        numbers[name] = Number(float(value), units[name], source, how)
    return assemble(
        dataclasses.replace(
            actuator,
            name=f"{actuator.name}_backlash",
            topology=topology,
            laws=laws,
            numbers=numbers,
            sources={**actuator.sources, source: source},
        )
    )


def _laws(actuator: Actuator, topology: Physics, encoder: str) -> dict[str, Physics]:
    """Its own laws, with friction moved before the play, and those that a rigid servo does not have."""
    new = {
        "rate": "every_step",
        "rotor": "inertia",
        "encoder": encoder,
        "contact": "dead_zone",
    }
    kept = {**actuator.laws, "gear": actuator.laws["friction"]}
    del kept["friction"]
    return {
        port: kept[port] if port in kept else load_law(family, new.get(port, NULL))
        for port, family in ports(topology).items()
    }


def _moved(name: str) -> str:
    """Parameter's name in the new topology: the armature is the rotor's, the friction the gear's."""
    if name == "own.armature":
        return "rotor.J"
    port, _, symbol = name.partition(".")
    return f"gear.{symbol}" if port == "friction" else name
