"""One-line messages for a command line that cannot be read: what is missing, or what is not accepted."""

import dataclasses
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Literal, NoReturn, get_args, get_origin

from pliant.cli.help import aliases, flat, invocation, sentence
from pliant.cli.options import option
from pliant.errors import PliantError


def ordered(command: type, words: Sequence[str]) -> list[str]:
    """The words of a command, reordered so that arguments follow options; they may be mixed.

    Raises:
        SystemExit: with the line: there is no such option or argument, an option has no value or
            one that is not a number, or something required is missing.
        PliantError: a switch has a value, an option one that is not among its choices.
    """
    known = {invocation(f.name, hint)[0]: (f, hint, text) for f, hint, text in flat(command)}
    for f, hint, text in [*known.values()]:
        known |= dict.fromkeys(aliases(hint), (f, hint, text))
    options = [name for name in known if name.startswith("--")]
    places = [name for name in known if name not in options]
    begun, arguments = list[str](), list[str]()
    given, rest = set[str](), iter(words)
    for word in rest:
        if word.startswith("-") and not word.startswith("--"):  # there are no short options
            near = [name for name in options if name[2] == word[1:2]]
            refuse("no such option", found=word, accepted=near or options)
        if not word.startswith("--"):
            arguments.append(word)
            continue
        name, equals, value = word.partition("=")
        name = name.replace("_", "-")
        if name not in options:
            refuse("no such option", found=name, accepted=options)
        given.add(name)
        begun.append(word)
        field, hint, text = known[name]
        if len(invocation(field.name, hint)) > 1:
            begun += [] if equals else [value := next(rest, "--")]
            _check_value(name, hint, value, text)
        elif equals:
            raise PliantError("takes no value", field=name, found=value)
    several = {name for name in places if get_origin(get_args(known[name][1])[0]) is tuple}
    if len(arguments) > len(places) and not several:
        extra, accepted = arguments[len(places)], ", ".join(places) or "options"
        refuse("takes no such argument", found=extra, accepted=accepted)
    given |= several.union(places[: len(arguments)])
    for name, (field, _, text) in known.items():
        if name not in given and field.default is field.default_factory is dataclasses.MISSING:
            refuse("is missing", field=name, accepted=sentence(text))
    return begun + arguments


def refuse(problem: str, **parts: Any) -> NoReturn:
    """End with a line about the command line.

    Raises:
        SystemExit: with it.
    """
    raise SystemExit(str(PliantError(problem, **parts)))


def _check_value(name: str, hint: Any, value: str, text: str) -> None:
    if value.startswith("--"):
        refuse("has no value", field=name, accepted=sentence(text))
    kinds = {hint, *(one for part in get_args(hint) for one in (part, *get_args(part)))}
    choices = [word for one in kinds if get_origin(one) is Literal for word in get_args(one)]
    if choices and value not in choices:
        raise PliantError("is not a choice", field=name, found=value, accepted=choices)
    kind = float if float in kinds else int if int in kinds else str
    with suppress(ValueError):
        kind(value)
        return
    accepted = "a number" if kind is float else "a whole number"
    refuse("is not a number", field=name, found=value, accepted=accepted)


def options_of(command: type) -> list[str]:
    """The options of a command, those of its groups too."""
    return [option(field.name) for field, _, _ in flat(command)]
