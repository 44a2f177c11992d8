"""A stiff servo with play put between its gear and the joint."""

import dataclasses

from pliant.assemble.actuator import Actuator
from pliant.assemble.checks import assemble
from pliant.assemble.parameters import How, Number, fields_of
from pliant.catalogue import Physics, load_law, load_topology, ports
from pliant.errors import PliantError, check_kind
from pliant.ports import NULL

_FREE = {"D": 0.0, "low": -1e3, "high": 1e3, "max_speed": 1e3}
"""A rotor without drag of its own, stops or limit of speed: friction and back-EMF are elsewhere."""


def with_backlash(
    actuator: Actuator,
    gap: float,
    *,
    stiffness: float,
    damping: float = 0.0,
    encoder: str = "joint",
    source: str = "play given by hand",
    how: How = "assumed",
) -> Actuator:
    """The servo `actuator` with play: topology `backlash` instead of `rigid_servo`.

    Its armature becomes a mass of its own before the play, and its friction that mass's.

    Args:
        gap: whole play [rad]. stiffness, damping: of teeth in contact [N m/rad, N m s/rad].
        encoder: "joint" or "motor", where it turns. source, how: of the play's three numbers.

    Raises:
        PliantError: it is no rigid servo, or a number is outside its law's range.
    """
    check_kind(actuator, Actuator, "actuator", "what load_actuator or identify returned")
    if actuator.topology.name != "rigid_servo":
        raise PliantError(
            "has a mass before the joint already",
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
    """Its own laws, its friction before the play, and those that a rigid servo does not have."""
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
    """Name behind the change of topology: the armature is the rotor's, its friction the gear's."""
    if name == "own.armature":
        return "rotor.J"
    port, _, symbol = name.partition(".")
    return f"gear.{symbol}" if port == "friction" else name
