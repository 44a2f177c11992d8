"""The commands, and the command line read into one of them."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pliant.cli.options import repeated, separated, with_commas
from pliant.cli.terminal import Terminal

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


def commands() -> dict[str, type]:
    """Name to command, in the order in which a newcomer meets them."""
    from pliant.cli.actuators import Actuators
    from pliant.cli.cache import Cache
    from pliant.cli.characterise import Characterise
    from pliant.cli.check import Check
    from pliant.cli.compensate import Compensate
    from pliant.cli.convert import Convert
    from pliant.cli.demo import Demo
    from pliant.cli.evaluate import Evaluate
    from pliant.cli.export import Export
    from pliant.cli.identify import Identify
    from pliant.cli.plan import Plan
    from pliant.cli.plot import Plot
    from pliant.cli.record import Record
    from pliant.cli.replay import Replay
    from pliant.cli.reproduce import Reproduce
    from pliant.cli.ros import Ros
    from pliant.cli.show import Show
    from pliant.cli.simulate import Simulate
    from pliant.cli.stiffness import Stiffness
    from pliant.cli.tune import Tune
    from pliant.cli.view import View

    return {
        "demo": Demo,
        "check": Check,
        "convert": Convert,
        "plan": Plan,
        "record": Record,
        "identify": Identify,
        "evaluate": Evaluate,
        "replay": Replay,
        "simulate": Simulate,
        "view": View,
        "export": Export,
        "tune": Tune,
        "compensate": Compensate,
        "ros": Ros,
        "actuators": Actuators,
        "show": Show,
        "plot": Plot,
        "stiffness": Stiffness,
        "characterise": Characterise,
        "reproduce": Reproduce,
        "cache": Cache,
    }


FORMER = {"choose": "identify", "identify-robot": "identify"}
"""Former names of commands, which still work but are not shown."""


def read(words: Sequence[str], note: Callable[[str], None] | None = None) -> Runs:
    """The command that `words` ask for; former names are said by `note`.

    Raises:
        SystemExit: they cannot be read, or ask for help, which has been shown.
        PliantError: an option has an empty value, or one that no command can mean.
    """
    import tyro

    from pliant.cli.former import present
    from pliant.cli.help import CONFIG, show_commands, show_help
    from pliant.cli.options import check_values, check_words
    from pliant.cli.usage import options_of, ordered, refuse

    known = commands()
    if not words or words[0] in ("-h", "--help", "--help-all"):
        show_commands(ABOUT, known)
        raise SystemExit(0)
    name, everything = FORMER.get(words[0], words[0]), "--help-all" in words
    if name not in known:
        refuse("no such command", found=name, accepted=known)
    kind: Any = known[name]
    if everything or {"-h", "--help"} & {*words}:
        show_help(kind, name, everything=everything)
        raise SystemExit(0)
    given, said = present(words, options_of(kind))
    if note is not None:
        for text in said:
            note(text)
    check_words(given)
    parsed = tyro.cli(kind, args=ordered(kind, given[1:]), config=CONFIG)
    command: Runs = separated(parsed)
    check_values(command)
    return command


def advice(words: Sequence[str], culprit: str | None) -> str | None:
    """A corrected command line, where an option was followed by several words.

    Args:
        words: the command line, which could not be used.
        culprit: the word that was at fault, where that is known.
    """
    kind = commands().get(words[0]) if words else None
    if kind is None:
        return None
    groups = [kind, *(f.type for f in dataclasses.fields(kind) if dataclasses.is_dataclass(f.type))]
    fields = [name for group in groups if isinstance(group, type) for name in repeated(group)]
    meant = with_commas(words, fields, culprit)
    return f"several values of an option are joined by commas: {meant}" if meant else None
