"""Help on one screen: what a command does, an example, its common options, the names of the rest."""

import ast
import dataclasses
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout, suppress
from importlib.util import find_spec
from typing import Annotated, Any, Literal, TextIO, cast, get_args, get_origin, get_type_hints

import tyro
from docstring_parser import parse

from pliant.cli.options import Output, Rare, option

NARROW, WIDEST = 80, 100
"""Terminal width below which an option's text goes under it, and maximum width of a line."""
CONFIG = (
    tyro.conf.OmitSubcommandPrefixes,
    tyro.conf.OmitArgPrefixes,
    tyro.conf.FlagCreatePairsOff,
)


def show_help(command: type, name: str, *, everything: bool) -> None:
    """Print the help of `command`, which is called `name`."""
    paragraphs = _paragraphs(command.__doc__ or "")
    examples = [part for part in paragraphs if part.startswith("Example")]
    kept = paragraphs if everything else [paragraphs[0], *examples]
    print("\n\n".join(map(_wrapped, kept)), end="\n\n")
    shown, rest = (command, []) if everything else _brief(command)
    if shutil.get_terminal_size().columns < NARROW:
        print(f"usage: pliant {name} [OPTIONS]\n")
        print("\n".join(_below(shown)))
    else:
        with suppress(SystemExit), redirect_stdout(cast("TextIO", _WithFoldedUsage(sys.stdout))):
            tyro.cli(shown, prog=f"pliant {name}", args=["--help"], description="", config=CONFIG)
    if rest:
        print(_wrapped(f"Also {', '.join(rest)}: see --help-all."))


class _WithFoldedUsage:
    """Standard output for tyro, which wraps everything except its usage line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a line or a part of one."""
        return self._stream.write(_wrapped(text, later="    ") if "usage:" in text else text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def show_commands(about: str, names: Sequence[str]) -> None:
    """Print what there is: `about` the program, and the first paragraph of each command's docstring."""
    print("usage: pliant COMMAND [OPTIONS]\n")
    print("\n\n".join(map(_wrapped, about.split("\n\n"))), end="\n\n")
    widest = max(map(len, names)) + 3
    for name in names:
        print(_wrapped(_paragraphs(_docstring(name))[0], name.ljust(widest), " " * widest))


def _docstring(name: str) -> str:
    """Docstring of a command, from its source: importing all of them takes a second."""
    loader: Any = getattr(find_spec(f"pliant.cli.{name}"), "loader", None)
    tree = ast.parse(loader.get_source(f"pliant.cli.{name}"))
    kinds = [x for x in tree.body if isinstance(x, ast.ClassDef) and x.name.lower() == name]
    return ast.get_docstring(kinds[0]) or ""


def _paragraphs(docstring: str) -> list[str]:
    text = parse(docstring)
    between = "\n\n" if text.blank_after_short_description else "\n"
    whole = f"{text.short_description or ''}{between}{text.long_description or ''}"
    return [" ".join(part.split()) for part in whole.split("\n\n") if part.strip()]


def _wrapped(text: str, first: str = "", later: str = "") -> str:
    """Text at the width of the terminal, behind what its first and its later lines begin with."""
    return textwrap.fill(
        " ".join(text.split()),
        min(shutil.get_terminal_size().columns, WIDEST),
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _below(command: type) -> Iterator[str]:
    """Lines of the options, each with its text below it, for a terminal too narrow for two columns."""
    indent = " " * 4
    for field, hint, text in flat(command):
        words = [*invocation(field.name, hint), *_default(field)]
        given = [part.help for part in _settings(hint) if isinstance(getattr(part, "help", 0), str)]
        yield _wrapped(" ".join(words), later=indent)
        yield _wrapped(given[0] if given else text, indent, indent)


def invocation(name: str, hint: Any) -> list[str]:
    """The option, or nothing for a positional argument, and its value as the help writes it."""
    settings = _settings(hint)
    kind = get_args(hint)[0] if settings else hint
    metavars = [m for part in settings if (m := getattr(part, "metavar", None))]
    if get_origin(kind) is Literal:
        metavars = ["{" + ",".join(map(str, get_args(kind))) + "}"]
    if not metavars and kind is not bool:
        metavars = [getattr(kind, "__name__", "value").upper()]
    return [*([] if tyro.conf.Positional in settings else [option(name)]), *metavars[:1]]


def aliases(hint: Any) -> tuple[str, ...]:
    """Other names of an option."""
    return tuple(name for part in _settings(hint) for name in getattr(part, "aliases", None) or ())


def _default(field: Any) -> list[str]:
    """A default that is a number or a word, in brackets."""
    plain = isinstance(field.default, str | int | float) and not isinstance(field.default, bool)
    return [f"(default: {field.default})"] if plain and field.default != "" else []


def _settings(hint: Any) -> tuple[Any, ...]:
    """Settings of an annotation, besides the type."""
    return getattr(hint, "__metadata__", ())


def _brief(command: type) -> tuple[type, list[str]]:
    """A dataclass of the common options, each explained in one sentence; names of the others."""
    kept: list[Any] = []
    rest: list[str] = []
    for field, hint, text in fields(command):
        if hint is Output:
            kept.append(_shortened(*next(fields(Output))))
            rest += [option(one.name) for one, _, _ in list(fields(Output))[1:]]
        elif dataclasses.is_dataclass(hint):
            rest += [option(one.name) for one in dataclasses.fields(hint)]
        elif any(isinstance(part, Rare) for part in getattr(hint, "__metadata__", ())):
            rest.append(option(field.name))
        else:
            kept.append(_shortened(field, hint, text))
    return dataclasses.make_dataclass(command.__name__, kept, kw_only=True), rest


def fields(command: type) -> Iterator[tuple[Any, Any, str]]:
    """Each field, its annotation and its help."""
    hints = get_type_hints(command, include_extras=True)
    said = (parse(kind.__doc__ or "").params for kind in reversed(command.__mro__))
    words = {one.arg_name: one.description or "" for params in said for one in params}
    for field in dataclasses.fields(command):
        yield field, hints[field.name], words.get(field.name, "")


def flat(command: type) -> Iterator[tuple[Any, Any, str]]:
    """The same, with the fields of a group in its place."""
    for field, hint, text in fields(command):
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            yield from flat(hint)
        else:
            yield field, hint, text


def _shortened(field: Any, hint: Any, text: str) -> tuple[str, Any, Any]:
    """The same field for `make_dataclass`, with the first sentence of its help."""
    said = tyro.conf.arg(help=f"{sentence(text)}." if text else "")
    default = {"default": field.default, "default_factory": field.default_factory}
    given = {name: one for name, one in default.items() if one is not dataclasses.MISSING}
    return field.name, Annotated[hint, said], dataclasses.field(**given)


def sentence(text: str) -> str:
    """The first sentence of a help, without its stop."""
    return " ".join(text.split()).partition(". ")[0].rstrip(".")
