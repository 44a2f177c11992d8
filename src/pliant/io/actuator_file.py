"""Actuator files: TOML in, a checked `Actuator` out, and back."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import tomlkit
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from pliant.assemble import OWN, Actuator, How, Number, assemble, check_laws
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
from pliant.errors import PliantError
from pliant.io.output import check_output, write_whole

_Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class _Number(_Strict):
    value: float
    unit: _Text
    source: _Text
    how: How
    low: float | None = None
    high: float | None = None
    std: float | None = None


class _File(_Strict):
    title: _Text
    device: _Text
    topology: _Text
    laws: dict[str, _Text]
    sources: dict[str, _Text]
    parameters: dict[str, dict[str, _Number]]
    bench: dict[str, _Number] = {}
    identification: dict[str, Any] = {}


def load_actuator(name: str | Path) -> Actuator:
    """The actuator with this name in the catalogue, or in the TOML file at this path.

    Raises:
        PliantError: there is none, or its file is refused; the message names file and key.
    """
    if isinstance(name, str):
        return read_actuator(find("actuator", name, actuator_files()))
    if not name.is_file():
        raise PliantError("no such actuator file", file=name)
    return read_actuator(name.resolve())


def read_actuator(path: Path) -> Actuator:
    """The actuator in the file at `path`, checked."""
    file = _parsed(path)
    topology = load_topology(file.topology, path)
    check_laws(topology, file.laws, path)
    families = ports(topology)
    laws = {port: load_law(family, file.laws[port], path) for port, family in families.items()}
    for group in file.parameters:
        if group not in {OWN, *laws}:
            raise PliantError(
                f"topology {topology.name} has no such port",
                file=path,
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
        )
    )


def _parsed(path: Path) -> _File:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # numbers too long, brackets too deep
        raise PliantError("is not TOML", file=path, found=str(error)) from None
    try:
        return _File.model_validate(document)
    except ValidationError as error:
        raise _refused(path, error) from None


def _refused(path: Path, error: ValidationError) -> PliantError:
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return PliantError("is missing", file=path, field=field)
    if first["type"] == "extra_forbidden":
        depth = len(first["loc"])
        known = _File.model_fields if depth == 1 else _Number.model_fields
        return PliantError(
            "unknown key", file=path, field=field, found=str(first["loc"][-1]), accepted=known
        )
    if first["type"] == "model_type":
        return PliantError(
            "is not a table",
            file=path,
            field=field,
            found=first["input"],
            accepted="{ value = ..., unit = ..., source = ..., how = ... }",
        )
    problem = first["msg"][0].lower() + first["msg"][1:]
    return PliantError(problem, file=path, field=field, found=first["input"])


def write_actuator(actuator: Actuator, path: str | Path, *, overwrite: bool = False) -> None:
    """Write the file that `load_actuator` reads, whole or not at all.

    Raises:
        PliantError: the place cannot be written, or holds a file that may not be replaced.
    """
    check_output(Path(path), overwrite=overwrite)
    write_whole(Path(path), actuator_text(actuator))


def actuator_text(actuator: Actuator) -> str:
    """The TOML text of an actuator."""
    document = tomlkit.document()
    document["title"] = actuator.title
    document["device"] = actuator.device
    document["topology"] = _reference(actuator.topology)
    document["laws"] = {port: _reference(law) for port, law in actuator.laws.items()}
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
    if actuator.identification:
        document["identification"] = dict(actuator.identification)
    return tomlkit.dumps(document)


def _reference(part: Physics) -> str:
    """A name of the catalogue as it is; the path of a file from outside."""
    known = topology_files() if part.kind == "topology" else law_files(part.kind)
    return part.name if known.get(part.name) == part.path else str(part.path)


def _numbers(numbers: Mapping[str, Number]) -> Any:
    table = tomlkit.table()
    for key, number in numbers.items():
        inline = tomlkit.inline_table()
        for name in ("value", "unit", "source", "how", "low", "high", "std"):
            if (value := getattr(number, name)) is not None:
                inline[name] = value
        table[key] = inline
    return table
