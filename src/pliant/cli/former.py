"""Former names of commands and options: they still work, and the present name is said."""

from collections.abc import Sequence

RENAMED = {
    ("convert", "--model"): "--robot",
    ("convert", "--to"): "--format",
    ("demo", "--output-dir"): "--output",
    ("plan", "--most-steady-torque"): "--max-mean-torque",
    ("plan", "--most-torque"): "--max-torque",
    ("record", "--most-current"): "--max-current",
    ("record", "--most-temperature"): "--max-temperature",
    ("record", "--seconds"): "--duration",
    ("simulate", "--timestep"): "--step",
    ("identify", "--attach"): "--actuator",
    ("identify", "--by"): "--hold-out",
    ("identify", "--cluster"): "--processes",
    ("identify", "--datasheet"): "--prior",
    ("identify", "--searches"): "--starts",
}
SWITCHES = {
    "--no-intervals": "intervals=no",
    "--no-test": "test=no",
    "--watch": "watch=yes",
    "--with-equals": "with_equals=yes",
    "--replace": "replace=yes",
    "--frame-times": "frame_times=yes",
}
"""Former switches of a fit, as keys of --plan."""
VALUES = ("checkpoint", "draws", "extension", "how", "jacobians", "other_recorder", "step")
"""Former options of a fit, likewise."""
PLAIN = ("--overwrite", "--json", "--verbose", "--debug")
"""Switches that still are; every other option has a value."""
READERS = ("check", "convert", "evaluate", "identify", "plot", "replay", "view")
"""Commands that take recordings."""
MODELS = "friction=m1,m2,m3,m4,m5,m6"


def present(words: Sequence[str], own: Sequence[str]) -> tuple[list[str], list[str]]:
    """A command line with the present names of everything, and what to say of those that changed.

    Args:
        words: the command and what follows. own: options that the command has.
    """
    command = "identify" if words[0] in ("choose", "identify-robot") else words[0]
    found, places = [command], list[str]()
    choice = _Choice(words[0])
    rest = iter(words[1:])
    for word in rest:
        if not word.startswith("--"):
            places.append(word)
            found.append(word)
            continue
        name, equals, value = word.partition("=")
        name = RENAMED.get((command, name.replace("_", "-")), name)
        if command == "identify" and name in SWITCHES and not equals:
            found += ["--plan", SWITCHES[name]]
            continue
        if name == "--plain" or choice.takes(name):
            choice.add(name, "" if name == "--plain" else value if equals else next(rest, ""))
            continue
        key = None if name in own else _key(words[0], command, name)
        if key is None:
            found.append(name + equals + value)
            if name in own and not equals and name not in (*PLAIN, *SWITCHES):
                found += [one] if (one := next(rest, None)) is not None else []
            continue
        value = value if equals else next(rest, "")
        found += [key[0], f'"{key[1]}={value}"' if "," in value else f"{key[1]}={value}"]
    found += choice.words(found)
    if words[0] == "identify-robot" and places:
        found.remove(places[0])
        found += ["--robot", places[0]]
    changed = found != list(words)
    return found, [f"now: pliant {' '.join(found)}"] if changed else []


def _key(former: str, command: str, name: str) -> tuple[str, str] | None:
    """The option that takes keys, and the key, of an option that a key took the place of."""
    key = name[2:].replace("-", "_")
    if former == "identify-robot" and key == "device":
        return "--plan", "device_output"
    if command == "identify" and key in VALUES:
        return "--plan", key
    if command in READERS:
        from pliant.io.recording_facts import RecordingFacts

        if key in RecordingFacts.model_fields:
            return "--reading", key
    return None


class _Choice:
    """The models of `pliant choose`, and of `pliant identify-robot --choose`."""

    def __init__(self, command: str) -> None:
        self.command, self.models, self.plain = command, list[str](), False

    def takes(self, name: str) -> bool:
        """Whether an option names models."""
        return name == {"choose": "--model", "identify-robot": "--choose"}.get(self.command)

    def add(self, name: str, value: str) -> None:
        """Take one."""
        if name == "--plain":
            self.plain = True
        else:
            self.models += value.split(",")

    def words(self, found: Sequence[str]) -> list[str]:
        """The same as laws, and the extensions that each model has by default."""
        if self.command != "choose" and not self.models:
            return []
        said = ["--law", "friction=" + ",".join(self.models) if self.models else MODELS]
        extended = any(word.strip('"').startswith("extension=") for word in found)
        usual = self.command == "choose" and not self.plain and not extended
        return [*said, *(["--plan", "extension=usual"] if usual else [])]
