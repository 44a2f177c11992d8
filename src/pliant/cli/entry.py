"""One command line: read, run, and every way in which it can end."""

import json
import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, Any, Protocol

from pliant.cli.argv import expanded
from pliant.cli.terminal import INTERRUPTED, Terminal, printable
from pliant.errors import PliantError

_ABOUT = """Simulated robot joints that behave like measured ones: identify an actuator from
recorded logs, put it on a robot in MuJoCo, compare.

Begin with `pliant demo`. `pliant COMMAND --help` explains a command; `pliant --version` tells the
version. Exit status: 0 done, 1 an input cannot be used, 2 the command line cannot be read, 130
interrupted."""


class Runs(Protocol):
    """A command whose options have been read."""

    def run(self, terminal: Terminal) -> int:
        """Do it, and return the exit status."""
        ...


def run(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv`, or the process's own; see `pliant.cli.main`."""
    words = list(sys.argv[1:] if argv is None else argv)
    terminal = Terminal(as_json="--json" in words)
    debug = "--debug" in words or os.environ.get("PLIANT_DEBUG", "") not in ("", "0")
    try:
        if words == ["--version"]:
            sys.stdout.write(f"pliant {version('pliant')}\n")
            return 0
        return _parsed(words).run(terminal)
    except SystemExit as end:
        return _usage(end, terminal)
    except KeyboardInterrupt:
        return _failed(terminal, {"error": "interrupted; nothing was kept"}, INTERRUPTED)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123 - the reader has gone
        return 1
    except PliantError as error:
        if debug:
            traceback.print_exc()
        return _failed(terminal, error.as_dict(), 1)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        if debug:
            traceback.print_exc()
        return _failed(terminal, _unexpected(error), 1)


def _parsed(words: list[str]) -> Runs:
    import tyro

    from pliant.cli.actuators import Actuators
    from pliant.cli.characterise import Characterise
    from pliant.cli.check import Check
    from pliant.cli.choose import Choose
    from pliant.cli.demo import Demo
    from pliant.cli.evaluate import Evaluate
    from pliant.cli.identify import Identify
    from pliant.cli.identify_robot import IdentifyRobot
    from pliant.cli.reproduce import Reproduce
    from pliant.cli.show import Show
    from pliant.cli.simulate import Simulate
    from pliant.cli.stiffness import Stiffness

    def named(kind: Any, name: str) -> Any:
        return Annotated[kind, tyro.conf.subcommand(name)]

    commands: Any = (
        named(Demo, "demo")
        | named(Identify, "identify")
        | named(IdentifyRobot, "identify-robot")
        | named(Choose, "choose")
        | named(Evaluate, "evaluate")
        | named(Simulate, "simulate")
        | named(Check, "check")
        | named(Actuators, "actuators")
        | named(Show, "show")
        | named(Reproduce, "reproduce")
        | named(Stiffness, "stiffness")
        | named(Characterise, "characterise")
    )
    return tyro.cli(
        commands,
        prog="pliant",
        description=_ABOUT,
        args=expanded(words) or ["--help"],
        config=(
            tyro.conf.OmitSubcommandPrefixes,
            tyro.conf.OmitArgPrefixes,
            tyro.conf.FlagCreatePairsOff,
        ),
    )


def _usage(end: SystemExit, terminal: Terminal) -> int:
    """What the reader of the command line says when it gives up, or has shown its help."""
    code = end.code if isinstance(end.code, int) else 2
    if code and terminal.as_json:
        error = "the command line cannot be read; see stderr"
        sys.stdout.write(json.dumps({"error": error}) + "\n")
    return code


def _failed(terminal: Terminal, error: dict[str, Any], code: int) -> int:
    if terminal.as_json:
        terminal.result(error)
    else:
        terminal.note("pliant: " + printable(str(error["error"])).replace("\n", " "))
    return code


def _unexpected(error: Exception) -> dict[str, Any]:
    kind = type(error).__name__
    return {
        "error": f"unexpected {kind}: {error}; this is a fault of Pliant: please report it with "
        "the output of the same command with --debug"
    }
