"""Messages of JSON or protobuf, as flat fields of numbers and texts."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.io.formats.messages import EXTRA, FOXGLOVE, Topic

_NUMBERS = ("position", "velocity", "effort")


def joint_state(message: object) -> dict[str, object]:
    """One message as an object with `timestamp`, `name`, and the numbers that all its joints have."""
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


def decoder(topic: Topic) -> Callable[[bytes], object]:
    """Decoder of JSON or protobuf messages; Foxglove's joints become those of a JointState."""
    decode = _decoder(topic)
    if topic.kind != FOXGLOVE:
        return decode

    def from_foxglove(raw: bytes) -> object:
        return joint_state(decode(raw))

    return from_foxglove


def _decoder(topic: Topic) -> Callable[[bytes], object]:
    if topic.encoding == "json":

        def from_json(raw: bytes) -> object:
            try:
                return json.loads(raw)
            except (ValueError, RecursionError):
                raise PliantError("a message is not JSON", found=raw[:40]) from None

        return from_json
    if topic.encoding == "protobuf":
        made = extra_module("mcap_protobuf.decoder", EXTRA).DecoderFactory()
        decode: Any = made.decoder_for("protobuf", topic.key)
        if decode is not None:
            return cast("Callable[[bytes], object]", decode)
    raise PliantError(
        "uses an unsupported encoding",
        found=topic.encoding,
        accepted=("cdr", "json", "protobuf"),
    )


def flat(
    message: object, leaves: Sequence[str], prefix: str = ""
) -> tuple[tuple[tuple[str, int, tuple[str, ...] | None], ...], list[float]]:
    """The fields of a decoded message that are asked for: their places, and the numbers in a row."""
    shape: list[tuple[str, int, tuple[str, ...] | None]] = []
    numbers: list[float] = []
    for name, value in _entries(message):
        path = f"{prefix}{name}"
        listed = not isinstance(value, str | bytes | dict) and hasattr(value, "__len__")
        if listed and len(cast("Sequence[object]", value)):
            items = list(cast("Sequence[object]", value))
            if not isinstance(items[0], str | int | float):
                for k, item in enumerate(items[:100]):
                    inner, more = flat(item, leaves, f"{path}.{k}.")
                    shape += inner
                    numbers += more
            elif name in leaves and all(isinstance(item, str) for item in items):
                shape.append((path, 0, tuple(cast("list[str]", items))))
            elif name in leaves and all(isinstance(item, int | float) for item in items):
                shape.append((path, len(items), None))
                numbers += cast("list[float]", items)
        elif name in leaves and isinstance(value, int | float) and not isinstance(value, bool):
            shape.append((path, 1, None))
            numbers.append(value)
        elif (
            not listed
            and not isinstance(value, str | bytes | int | float | None)
            and prefix.count(".") < 4
        ):
            inner, more = flat(cast("object", value), leaves, f"{path}.")
            shape += inner
            numbers += more
    return tuple(shape), numbers


def _entries(message: object) -> Iterator[tuple[str, object]]:
    """Names and values of an object out of JSON, or of a protobuf message."""
    if isinstance(message, dict):
        for name, value in cast("dict[object, object]", message).items():
            yield str(name), value
    elif hasattr(message, "DESCRIPTOR"):
        for known in cast("Any", message).DESCRIPTOR.fields:
            yield str(known.name), getattr(message, known.name)
