"""Actuator files: TOML in, a checked `Actuator` out, and back.

`format` is the version of the file format, "major.minor". Additions raise the minor number. A change of
meaning raises the major number, and a reader for the previous meaning is added. A file without it is from
before versions and has format "1.0". A file newer than this Pliant knows is refused, because parts of its
meaning could be lost.

Laws from outside the package are opened only from the file's own folder or below: when a file is written,
its laws' files are copied beside it, unless they are there.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tomlkit
from pydantic import Field, StringConstraints

from pliant.assemble import OWN, Actuator, Ensemble, Fact, How, Number, assemble, check_laws
from pliant.assemble.parameters import TOLERANCE
from pliant.catalogue import (
    Physics,
    actuator_files,
    find,
    law_files,
    load_law,
    load_topology,
    ports,
    topology_files,
)
from pliant.errors import PliantError, check_kind, located
from pliant.files import as_path
from pliant.io.output import prepare_place, rescued, write_whole
from pliant.io.validated import Strict, read_toml, validated
from pliant.ports import NULL
from pliant.subset import read


def reference(part: Physics, folder: Path | None = None) -> str:
    """Name of a law or topology in an actuator file.

    Args:
        part: one of the catalogue, referenced by its name, or one from outside, by its file.
        folder: of the actuator file; without one, files are named by their whole path.
    """
    known = topology_files() if part.kind == "topology" else law_files(part.kind)
    if known.get(part.name) == part.path:
        return part.name
    if folder is None:
        return str(part.path)
    if part.path.is_relative_to(folder.resolve()):
        return part.path.relative_to(folder.resolve()).as_posix()
    return _copy_name(part, folder)


def write_own_laws(parts: list[Physics], folder: Path) -> None:
    """Copy laws that `reference` names by a file in `folder`, unless they are there."""
    for part in parts:
        path = folder / reference(part, folder)
        if path.suffix == ".py" and path.resolve() != part.path and not path.exists():
            write_whole(path, read(part.path).text)


def _copy_name(part: Physics, folder: Path) -> str:
    """The law's own name, unless another file has it."""
    text = read(part.path).text
    path = folder / part.path.name
    try:
        taken = path.exists() and path.read_bytes() != text.encode()
    except OSError:
        taken = True
    if not taken:
        return path.name
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{path.stem}_{mark}.py"


FORMAT = (1, 3)
"""The newest known format, and the one that is written."""

_SHORTEST = 4
"""Letters and digits of a device's name."""

_Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class _Number(Strict):
    value: float
    unit: _Text
    source: _Text
    how: How
    low: float | None = None
    high: float | None = None
    std: float | None = None


class _Fact(Strict):
    fact: _Text
    value: float
    unit: _Text
    source: _Text
    voltage: float | None = None
    tolerance: float = TOLERANCE


class _Ensemble(Strict):
    parameters: list[_Text]
    fits: int
    values: list[list[float]]


class _File(Strict):
    format: str = "1.0"
    title: _Text
    device: _Text
    maker: str = ""
    topology: _Text
    laws: dict[str, _Text]
    sources: dict[str, _Text]
    parameters: dict[str, dict[str, _Number]]
    bench: dict[str, _Number] = Field({})
    datasheet: list[_Fact] = Field([])
    ensemble: _Ensemble | None = None
    identification: dict[str, Any] = Field({})


def load_actuator(name: str | Path | Actuator) -> Actuator:
    """Load the actuator with this name in the catalogue, or from the TOML file at this path.

    An `Actuator` is returned unchanged.

    Raises:
        PliantError: there is none, or its file has a fault; names file and key.
    """
    check_kind(
        name,
        (str, Path, Actuator),
        "actuator",
        "a name, a TOML file, or what load_actuator returned",
    )
    if isinstance(name, Actuator):
        return name
    if isinstance(name, str):
        joint, equals, one = name.partition("=")
        if equals and not Path(name).exists():
            raise PliantError(
                "is an actuator of a robot's joint",
                found=name,
                accepted=f"{one}, or --robot MODEL" if joint else one,
            )
        if name not in actuator_files() and (files := _files_of(name)):
            raise PliantError(
                "is a device, and an actuator is one of its files",
                found=name,
                accepted=", ".join(files),
            )
        return read_actuator(find("actuator", name, actuator_files()))
    if not name.is_file():
        raise PliantError("no such actuator file", file=name)
    return read_actuator(name.resolve())


def _files_of(device: str) -> list[str]:
    """Names of the catalogue whose device or title contains this text, the closest and richest first."""
    wanted = _bare(device)
    if len(wanted) < _SHORTEST:
        return []
    found: list[tuple[bool, str, str]] = []
    for name, path in actuator_files().items():
        document = read_toml(path)
        texts = [_bare(str(document.get(key, ""))) for key in ("device", "title")]
        if any(wanted in text for text in texts):
            found.append((texts[0] == wanted, _model_of(name), name))
    return [name for *_, name in sorted(found, reverse=True)]


def _model_of(name: str) -> str:
    model = re.search(r"_(m\d)$", name)
    return model[1] if model else ""


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def read_actuator(path: Path) -> Actuator:
    """The actuator in the TOML file at `path`, checked."""
    with located(path):
        document = read_toml(path)
        _check_format(document.get("format", "1.0"))
        return _assembled(validated(_File, document), path)


def _check_format(version: object) -> None:
    """Check the version before anything else: a newer format may differ everywhere."""
    found = re.fullmatch(r"(\d{1,4})\.(\d{1,4})", version) if isinstance(version, str) else None
    known = "{}.{}".format(*FORMAT)
    if found is None:
        raise PliantError("is not a version", field="format", found=version, accepted=f'"{known}"')
    if (int(found[1]), int(found[2])) > FORMAT:
        raise PliantError(
            "is newer than this Pliant reads",
            field="format",
            found=version,
            accepted=f'up to "{known}": update Pliant',
        )


def _assembled(file: _File, path: Path) -> Actuator:
    with located(path, "topology"):
        topology = load_topology(file.topology, path)
    with located(path):
        check_laws(topology, file.laws)
    laws: dict[str, Physics] = {}
    for port, family in ports(topology).items():
        with located(path, f"laws.{port}"):
            laws[port] = load_law(family, file.laws.get(port, NULL), path)
    for group in file.parameters:
        if group not in {OWN, *laws}:
            raise PliantError(
                f"topology {topology.name} has no such port",
                field="parameters",
                found=group,
                accepted=[OWN, *laws],
            )
    return assemble(
        Actuator(
            name=path.stem,
            title=file.title,
            device=file.device,
            topology=topology,
            laws=laws,
            numbers={
                f"{group}.{key}": Number(**number.model_dump())
                for group, numbers in file.parameters.items()
                for key, number in numbers.items()
            },
            sources=file.sources,
            bench={key: Number(**number.model_dump()) for key, number in file.bench.items()},
            identification=file.identification,
            path=path,
            maker=file.maker,
            datasheet=tuple(Fact(**fact.model_dump()) for fact in file.datasheet),
            ensemble=None if file.ensemble is None else _ensemble(file.ensemble),
        )
    )


def write_actuator(actuator: Actuator, path: str | Path, *, overwrite: bool = False) -> None:
    """Write an actuator file, completely or not at all.

    Laws of your own are copied beside it, unless they are in its folder or below.

    Args:
        actuator: to be written. path: of the TOML file. overwrite: replace a file that is there.

    Raises:
        PliantError: the path cannot be written, or has a file that may not be replaced.
    """
    check_kind(actuator, Actuator, "actuator", "what load_actuator or identify returned")
    path = as_path(path, "the path of the TOML file")
    prepare_place(path, overwrite=overwrite)
    write_own_laws([actuator.topology, *actuator.laws.values()], path.parent)
    write_whole(path, actuator_text(actuator, path.parent))


def write_or_rescue(actuator: Actuator, path: Path) -> PliantError | None:
    """Write it, replacing an existing file; if that fails, write it elsewhere, so that the result is not lost.

    Returns:
        None, or the error, with the path of the file written instead.
    """
    try:
        write_actuator(actuator, path, overwrite=True)
    except PliantError as error:
        return rescued(path, actuator_text(actuator), error)
    return None


def actuator_text(actuator: Actuator, folder: Path | None = None) -> str:
    """The TOML text of an actuator; for a file in `folder`, as seen from there."""
    document = tomlkit.document()
    document["format"] = "{}.{}".format(*FORMAT)
    if any(number.low is not None for number in actuator.all_numbers.values()):
        document.add(tomlkit.comment(BOUNDS))
    document["title"] = actuator.title
    document["device"] = actuator.device
    if actuator.maker:
        document["maker"] = actuator.maker
    document["topology"] = reference(actuator.topology, folder)
    document["laws"] = {port: reference(law, folder) for port, law in actuator.chosen_laws.items()}
    document["sources"] = dict(actuator.sources)
    parameters = tomlkit.table(is_super_table=True)
    for group in (OWN, *actuator.laws):
        mine = {
            name.partition(".")[2]: actuator.numbers[name]
            for name in actuator.fields
            if name.startswith(f"{group}.")
        }
        if mine:
            parameters[group] = _numbers(mine)
    document["parameters"] = parameters
    if actuator.bench:
        document["bench"] = _numbers(actuator.bench)
    if actuator.datasheet:
        document["datasheet"] = _facts(actuator.datasheet)
    if actuator.ensemble is not None:
        document["ensemble"] = _ensemble_table(actuator.ensemble)
    if actuator.identification:
        document["identification"] = dict(actuator.identification)
    return tomlkit.dumps(document)


BOUNDS = "low, high: range of a search, mostly guesses; the uncertainty of a number is its std"
"""A comment of files that are written."""
DIGITS = 6
"""Digits of an ensemble's numbers in a file: far more than any fit determines."""


def _ensemble(file: _Ensemble) -> Ensemble:
    lengths = {len(row) for row in file.values}
    if lengths != {len(file.parameters)}:
        raise PliantError(
            "needs a row of numbers for each set",
            field="ensemble.values",
            found=", ".join(map(str, sorted(lengths))) or None,
            accepted=f"rows of {len(file.parameters)} numbers",
        )
    return Ensemble(tuple(file.parameters), np.array(file.values), file.fits)


def _ensemble_table(ensemble: Ensemble) -> Any:
    table = tomlkit.table()
    table["parameters"] = list(ensemble.names)
    table["fits"] = ensemble.fits
    rows = tomlkit.array()
    for row in ensemble.values.tolist():
        rows.add_line([float(f"{x:.{DIGITS}g}") for x in row])
    table["values"] = rows.multiline(True)
    return table


def _facts(facts: Sequence[Fact]) -> Any:
    tables: Any = tomlkit.aot()
    for fact in facts:
        table = tomlkit.table()
        for name, value in asdict(fact).items():
            if value is not None:
                table[name] = value
        tables.append(table)
    return tables


def _numbers(numbers: Mapping[str, Number]) -> Any:
    table = tomlkit.table()
    for key, number in numbers.items():
        inline = tomlkit.inline_table()
        for name in ("value", "unit", "source", "how", "low", "high", "std"):
            if (value := getattr(number, name)) is not None:
                inline[name] = value
        table[key] = inline
    return table
