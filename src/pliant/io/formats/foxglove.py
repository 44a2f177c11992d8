"""Foxglove's JointStates, of JSON or protobuf, as the fields of a `sensor_msgs/JointState`."""

from typing import Any, cast

from pliant.errors import PliantError

_NUMBERS = ("position", "velocity", "effort")


def joint_state(message: object) -> dict[str, object]:
    """One message as an object with `timestamp`, `name`, and the numbers that all its joints have.

    Raises:
        PliantError: it has no list of joints with names.
    """
    listed = _field(message, "joints")
    joints = list(cast("Any", listed)) if hasattr(listed, "__len__") else []
    names = [_field(joint, "name") for joint in joints]
    if not joints or not all(isinstance(name, str) and name for name in names):
        raise PliantError("has no joints with names", found=str(listed)[:60])
    found: dict[str, object] = {"timestamp": _field(message, "timestamp"), "name": names}
    for number in _NUMBERS:
        values = [_field(joint, number) for joint in joints]
        if all(isinstance(value, int | float) for value in values):
            found[number] = values
    return found


def _field(message: object, name: str) -> object:
    """A field of an object out of JSON or of a protobuf message; None where it was not set."""
    if isinstance(message, dict):
        return cast("dict[str, object]", message).get(name)
    known: Any = getattr(message, "DESCRIPTOR", None)
    field = None if known is None else known.fields_by_name.get(name)
    if field is None or (field.has_presence and not cast("Any", message).HasField(name)):
        return None
    return getattr(message, name)
