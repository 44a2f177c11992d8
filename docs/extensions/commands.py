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


def summary(command: str) -> str:
    """First sentence of the command's help."""
    said = re.sub(r"\s+", " ", _boxes(_help([command]))[0])
    return re.split(r"(?<=\.) |: ", said)[0].removesuffix(".")


def keys(form: type) -> str:
    """Markdown of the keys that an option takes, from the docstring of their form."""
    rows = [
        f"| `{one.arg_name}` | {' '.join((one.description or '').split())} |"
        for one in parse(form.__doc__ or "").params
    ]
    return "\n".join(["| key | |", "|---|---|", *rows, ""]).replace("*", "\\*")


def index_page() -> str:
    """Markdown of the list of commands."""
    lines = ["# Commands", "", "To find the command for a task: [](/how_to/which_command.md).", ""]
    lines += ["| command | |", "|---|---|"]
    lines += [f"| [`pliant {name}`]({name}.md) | {summary(name)} |" for name in names()]
    lines += [
        "",
        "Each page is the output of `pliant COMMAND --help-all`. Exit status: 0 done, 1 an input",
    ]
    lines += ["cannot be used, 2 the command line cannot be read, 130 interrupted.", ""]
    lines += ["```{toctree}", ":hidden:", "", *names(), "```", ""]
    return "\n".join(lines)
