"""Help on one screen: what a command does, an example, its common options, the names of the rest."""

import dataclasses
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, get_type_hints

import tyro
from docstring_parser import parse

from pliant.cli.options import Output, Rare
from pliant.cli.several import option

CONFIG = (
    tyro.conf.OmitSubcommandPrefixes,
    tyro.conf.OmitArgPrefixes,
    tyro.conf.FlagCreatePairsOff,
)


def show_help(command: type, name: str, *, everything: bool) -> None:
    """Print the help of `command`, which is called `name`."""
    paragraphs = _paragraphs(command)
    kept = paragraphs if everything else [paragraphs[0], *_examples(paragraphs)]
    print("\n\n".join(map(_wrapped, kept)), end="\n\n")
    shown, rest = (command, []) if everything else _brief(command)
    with suppress(SystemExit):
        tyro.cli(shown, prog=f"pliant {name}", args=["--help"], description="", config=CONFIG)
    if rest:
        print(_wrapped(f"Also {', '.join(rest)}: see `pliant {name} --help-all`."))


def summary(command: type) -> str:
    """Summary of a command: the first paragraph of its docstring."""
    return _paragraphs(command)[0]


def _paragraphs(command: type) -> list[str]:
    text = parse(command.__doc__ or "")
    between = "\n\n" if text.blank_after_short_description else "\n"
    whole = f"{text.short_description or ''}{between}{text.long_description or ''}"
    return [" ".join(part.split()) for part in whole.split("\n\n") if part.strip()]


def _examples(paragraphs: list[str]) -> list[str]:
    return [part for part in paragraphs if part.startswith("Example")]


def _wrapped(text: str) -> str:
    width = min(shutil.get_terminal_size().columns, 100)
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def _brief(command: type) -> tuple[type, list[str]]:
    """A dataclass of the common options, each explained in one sentence; names of the others."""
    kept: list[Any] = []
    rest: list[str] = []
    for field, hint, text in _fields(command):
        if hint is Output:
            kept.append(_shortened(*next(_fields(Output))))
            rest += [option(one.name) for one, _, _ in list(_fields(Output))[1:]]
        elif dataclasses.is_dataclass(hint):
            rest += [option(one.name) for one in dataclasses.fields(hint)]
        elif any(isinstance(part, Rare) for part in getattr(hint, "__metadata__", ())):
            rest.append(option(field.name))
        else:
            kept.append(_shortened(field, hint, text))
    return dataclasses.make_dataclass(command.__name__, kept, kw_only=True), rest


def _fields(command: type) -> Iterator[tuple[Any, Any, str]]:
    """Each field, its annotation and its help."""
    hints = get_type_hints(command, include_extras=True)
    words = {one.arg_name: one.description or "" for one in parse(command.__doc__ or "").params}
    for field in dataclasses.fields(command):
        yield field, hints[field.name], words.get(field.name, "")


def _shortened(field: Any, hint: Any, text: str) -> tuple[str, Any, Any]:
    """The same field for `make_dataclass`, with the first sentence of its help."""
    sentence = " ".join(text.split()).partition(". ")[0].rstrip(".")
    said = tyro.conf.arg(help=f"{sentence}." if sentence else "")
    default = {"default": field.default, "default_factory": field.default_factory}
    given = {name: one for name, one in default.items() if one is not dataclasses.MISSING}
    return field.name, Annotated[hint, said], dataclasses.field(**given)
