"""A fit on the terminal: is it good, can I use it, what is not known; the rest with --verbose."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from pliant.cli.terminal import Terminal, columns
from pliant.report.words import attach_line, simulate_line, text_of

if TYPE_CHECKING:
    from pliant.report.unknown import Question
    from pliant.report.verdict import Verdict

MOST = 3
"""Open questions that are shown."""


def say_verdict(verdict: "Verdict", terminal: Terminal) -> None:
    """The sentence, and the errors to compare."""
    terminal.paragraph(verdict.sentence, style="bold")
    rows = [[bar.name, bar.error.removesuffix(" mrad"), bar.share] for bar in verdict.bars]
    head = ["mean absolute error", "mrad", "of motion"]
    terminal.say("\n" + columns(head, rows, numbers=(1, 2)))
    for said in verdict.about_others:
        terminal.paragraph(said, indent=2)


def say_use(files: Mapping[str, Path], terminal: Terminal, model: str = "ROBOT.xml") -> None:
    """The line of Python and the command: joint, or JOINT for one on a bench, to actuator file."""
    if files:
        terminal.copied(f"\nUse it:  {attach_line(files)}")
        terminal.copied(f"         {simulate_line(model, files)}")


def say_robot_use(path: Path, terminal: Terminal) -> None:
    """The same of a robot, by its file."""
    terminal.copied(f"\nUse it:  pliant.attach(spec, {text_of(path)})")
    terminal.copied(f"         pliant simulate {quote(str(path))}")


def say_questions(questions: "Sequence[Question]", terminal: Terminal) -> None:
    """Print the open questions, the most consequential first, each with what would settle it."""
    if not questions:
        return
    terminal.say("\nNot known:")
    shown = questions if terminal.verbose else questions[:MOST]
    said = ""
    for k, (text, settle) in enumerate(shown, 1):
        again = "as before" if settle == said else settle
        terminal.paragraph(f"{k}. {text}." + (f" -> {again}" if settle else ""), indent=3)
        said = settle
    if len(questions) > len(shown):
        terminal.say(f"   {len(questions) - len(shown)} more: --verbose, or the report")
