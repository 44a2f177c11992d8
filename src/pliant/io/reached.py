"""Errors of other programs' fits of a device, each with its source: `data/reached.toml`."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import Field

from pliant.catalogue import PACKAGE
from pliant.errors import located
from pliant.io.validated import Strict, read_toml, validated

FILE = PACKAGE / "data" / "reached.toml"


@dataclass(frozen=True, kw_only=True)
class Reached:
    """Errors of other programs' fits of a device: mean absolute errors of the position, open loop.

    Attributes:
        device: as actuators name it.
        on: which logs, and whether they were fitted.
        errors: model to error [rad]; empty where only a ratio is printed.
        closer_than_m1: how many times smaller the best error is than that of M1 [1]; else None.
        how, source: where the figures come from.
        digests: SHA-256 of the very logs, where they come with Pliant.
    """

    device: str
    on: str
    errors: dict[str, float]
    closer_than_m1: float | None
    how: str
    source: str
    digests: frozenset[str]

    @property
    def best(self) -> tuple[str, float] | None:
        """The model with the smallest error, and that error [rad]."""
        if not self.errors:
            return None
        model = min(self.errors, key=lambda one: self.errors[one])
        return model, self.errors[model]

    def fitted_to(self, digests: Iterable[str]) -> bool:
        """Whether the errors are of fits to just these logs, and so can be compared."""
        return bool(self.digests) and frozenset(digests) == self.digests

    def __str__(self) -> str:
        """The figure and the logs it is of, in words."""
        if self.best is not None:
            return f"{1e3 * self.best[1]:.1f} mrad ({self.best[0]}), {self.on}"
        return f"the best model {self.closer_than_m1} times closer than M1, on {self.on}"


def reached(device: str) -> list[Reached]:
    """Errors of other programs' fits of `device`; nothing where no source is known."""
    return [one for one in all_reached() if one.device == device]


@cache
def all_reached() -> tuple[Reached, ...]:
    """All figures of other programs, in the order of the file."""
    with located(FILE):
        found = validated(_File, read_toml(FILE)).reached
    return tuple(
        Reached(
            device=one.device,
            on=one.on,
            errors={model: 1e-3 * error for model, error in one.mae_mrad.items()},
            closer_than_m1=one.closer_than_m1,
            how=one.how,
            source=one.source,
            digests=_digests(FILE.parent / one.logs) if one.logs else frozenset(),
        )
        for one in found
    )


def _digests(folder: Path) -> frozenset[str]:
    files = folder.glob("*.json")
    return frozenset(hashlib.sha256(file.read_bytes()).hexdigest() for file in files)


class _Entry(Strict):
    device: str
    logs: str = ""
    on: str
    mae_mrad: dict[str, float] = Field(default_factory=dict[str, float])
    closer_than_m1: float | None = None
    how: str
    source: str


class _File(Strict):
    reached: list[_Entry]
