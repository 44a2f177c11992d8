"""Pages of the commands, from what the parser itself says to `--help`."""

import contextlib
import io
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from docstring_parser import parse

from pliant.cli import main
from pliant.cli.command_line import commands

NEEDS = {
    "demo": "see everything work once, in a minute",
    "check": "find faults in logs, actuators, laws and robot models",
    "identify": "make actuator files from recordings of a joint or a robot; find the model that they justify",
    "evaluate": "measure how well an actuator predicts logs",
    "plan": "find out which runs of a servo to record next",
    "record": "record logs of a Dynamixel or Feetech servo, or of a simulated one",
    "convert": "convert LeRobot data sets, bags and others to CSV, Parquet or rosbag2",
    "replay": "see recordings of a robot beside their simulation, and what explains each joint's error",
    "simulate": "simulate a robot with its actuators, without writing a program",
    "view": "watch a robot, a log or an experiment in the browser, and change its parameters",
    "export": "take an actuator to another simulator, or into firmware",
    "tune": "find the gains at which servos settle fast, without overshoot or limit cycle",
    "compensate": "make a robot's joints follow a motion, and settle where they are wanted",
    "ros": "connect a simulated robot to ROS 2 nodes, without a ROS installation",
    "plot": "plot logs, actuators and tables over time",
    "stiffness": "estimate a joint's stiffness over time from its encoders",
    "characterise": "fit a spring's law to a recording of torque and angle",
    "actuators": "search the published actuators",
    "show": "see an actuator's laws, parameters and their sources",
    "reproduce": "repeat the experiments of published papers",
    "cache": "see how much compiled code is kept, or delete it",
}
"""Need that each command answers: the table "Which one do I need?"."""


@dataclass
class Box:
    """One box of the help: its title, what it says first, its options."""

    title: str
    about: list[str] = field(default_factory=list[str])
    options: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])


def names() -> list[str]:
    """The commands that there are."""
    return list(commands())


def _help(command: list[str]) -> str:
    """Output of `pliant COMMAND --help-all`."""
    raw = io.BytesIO()  # a wide terminal would get the boxes side by side
    out = io.TextIOWrapper(raw, encoding="utf-8")  # boxes are drawn where the encoding has them
    with _environment(COLUMNS="80", NO_COLOR="1", TERM="dumb"), contextlib.redirect_stdout(out):
        main([*command, "--help-all"])
    out.flush()
    return raw.getvalue().decode("utf-8")


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def _boxes(text: str) -> tuple[str, list[Box]]:
    """Text before the boxes, and the boxes."""
    boxes: list[Box] = []
    before: list[str] = []
    for line in text.splitlines():
        if opened := re.match(r"╭─ (.+?) ─*╮", line):
            boxes.append(Box(opened[1]))
        elif line.startswith("│") and boxes:
            _take(boxes[-1], line[1:-1].rstrip())
        elif not boxes:
            before.append(line)
    return "\n".join(before).strip(), boxes


def _take(box: Box, line: str) -> None:
    inner = line[1:]
    if not inner.strip() or set(inner.strip()) == {"─"}:
        if inner.strip():
            # What came until now was no option but the description.
            box.about = [" ".join(part for part in option if part) for option in box.options]
            box.options = []
        return
    if inner.startswith(" ") and box.options:
        name, said = box.options[-1]
        box.options[-1] = (name, f"{said} {inner.strip()}".strip())
        return
    name, _, said = re.sub(r"\s{2,}", "\0", inner.strip(), count=1).partition("\0")
    box.options.append((name, said))


def page(command: str) -> str:
    """Markdown of one command."""
    before, boxes = _boxes(_help([command]))
    usage, lines = "", [f"# pliant {command}", ""]
    for paragraph in before.split("\n\n"):
        text = re.sub(r"\s+", " ", paragraph).strip()
        if text.startswith("Example"):
            lines += ["```sh", text.partition(":")[2].strip(), "```", ""]
        elif text.startswith("usage:"):
            usage = text.removeprefix("usage:").strip()
        else:
            lines += [text, ""]
    lines += ["```text", usage, "```", ""]
    for box in boxes:
        lines += _options(box)
    return "\n".join(lines)


def _options(box: Box) -> list[str]:
    options = [(name, said) for name, said in box.options if not name.startswith("-h")]
    if not options:
        return []
    lines = [f"## {box.title.capitalize()}", "", *box.about, ""]
    for name, said in options:
        shown = said.replace("<", "\\<").replace("*", "\\*").replace("|", "\\|")
        lines += [f"`{name}`", f": {shown}", ""]
    return lines


def table() -> str:
    """Markdown of "Which one do I need?"."""
    rows = [
        f"| {NEEDS[name]} | [`pliant {name}`](/generated/commands/{name}.md) |" for name in names()
    ]
    return "\n".join(["| to … | command |", "|---|---|", *rows, ""])


def keys(form: type) -> str:
    """Markdown of the keys that an option takes, from the docstring of their form."""
    rows = [
        f"| `{one.arg_name}` | {' '.join((one.description or '').split())} |"
        for one in parse(form.__doc__ or "").params
    ]
    return "\n".join(["| key | |", "|---|---|", *rows, ""]).replace("*", "\\*")


def index_page() -> str:
    """Markdown of the list of commands."""
    lines = ["# Commands", "", "Which one do I need?", "", table()]
    lines += [
        "",
        "Each page is what `pliant COMMAND --help-all` says. Exit status: 0 done, 1 an input",
    ]
    lines += ["cannot be used, 2 the command line cannot be read, 130 interrupted.", ""]
    lines += ["```{toctree}", ":hidden:", "", *names(), "```", ""]
    return "\n".join(lines)
