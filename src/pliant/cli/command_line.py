"""The commands, and the parser of the command line. Former names still work, with a note of the present one."""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Protocol

import tyro

from pliant.cli.help import CONFIG, flat, show_commands, show_help
from pliant.cli.options import check_words, is_repeated, separated, with_commas
from pliant.cli.terminal import Terminal
from pliant.cli.usage import options_of, ordered, refuse

ABOUT = """Simulated robot joints that behave like measured ones: identify an actuator from
recorded logs, put it on a robot in MuJoCo, compare.

Begin with `pliant demo`. `pliant COMMAND --help` explains a command on one screen, `--help-all`
every option; `pliant --version` prints the version. Exit status: 0 done, 1 an input cannot be used,
2 the command line cannot be read, 130 interrupted."""


class Runs(Protocol):
    """A command whose options have been read."""

    def run(self, terminal: Terminal) -> int:
        """Run the command; returns the exit status."""
        ...


NAMES = (
    *("demo", "check", "convert", "plan", "record", "identify", "evaluate", "replay", "simulate"),
    *("view", "export", "tune", "compensate", "ros", "actuators", "show", "plot", "stiffness"),
    *("characterise", "reproduce", "cache"),
)
"""The commands, in the order in which a newcomer meets them."""


def command(name: str) -> type:
    """A command of `NAMES`: the class in the module of its name."""
    return getattr(import_module(f"pliant.cli.{name}"), name.capitalize())


def commands() -> dict[str, type]:
    """Name to command, all imported."""
    return {name: command(name) for name in NAMES}


FORMER = {"choose": "identify", "identify-robot": "identify"}
"""Former names of commands, which still work but are not shown."""


def read(words: Sequence[str], note: Callable[[str], None] | None = None) -> Runs:
    """The command that `words` ask for; `note` reports former names.

    Raises:
        SystemExit: they cannot be read, or asked for help, which has been shown.
        PliantError: an option has an empty value, or one that no command can mean.
    """
    if not words or words[0] in ("-h", "--help", "--help-all"):
        show_commands(ABOUT, NAMES)
        raise SystemExit(0)
    name, everything = FORMER.get(words[0], words[0]), "--help-all" in words
    if name not in NAMES:
        refuse("no such command", found=name, accepted=NAMES)
    kind: Any = command(name)
    if everything or {"-h", "--help"} & {*words}:
        show_help(kind, name, everything=everything)
        raise SystemExit(0)
    given, said = present(words, options_of(kind))
    if note is not None:
        for text in said:
            note(text)
    check_words(given)
    return separated(tyro.cli(kind, args=ordered(kind, given[1:]), config=CONFIG))


def advice(words: Sequence[str], culprit: str | None) -> str | None:
    """A corrected command line, if an option was followed by several words.

    Args:
        words: the command line that failed.
        culprit: the offending word, if known.
    """
    if not words or words[0] not in NAMES:
        return None
    fields = [field.name for field, hint, _ in flat(command(words[0])) if is_repeated(hint)]
    meant = with_commas(words, fields, culprit)
    return f"several values of an option are joined by commas: {meant}" if meant else None


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
    """The command line with present names, and notes about those that changed.

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
    """The option that takes keys, and the key that replaced a former option."""
    key = name[2:].replace("-", "_")
    if former == "identify-robot" and key == "device":
        return "--plan", "device_output"
    if command == "identify" and key in VALUES:
        return "--plan", key
    if command in READERS:
        from pliant.io.recording_facts import RecordingFacts  # NumPy, which help does without

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
        """The same options as laws, and the extensions that each model has by default."""
        if self.command != "choose" and not self.models:
            return []
        said = ["--law", "friction=" + ",".join(self.models) if self.models else MODELS]
        extended = any(word.strip('"').startswith("extension=") for word in found)
        usual = self.command == "choose" and not self.plain and not extended
        return [*said, *(["--plan", "extension=usual"] if usual else [])]
