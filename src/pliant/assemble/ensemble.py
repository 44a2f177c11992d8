"""Sets of numbers that fit equally well as the file's own: one fit cannot distinguish them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble.checks import check_range
from pliant.catalogue import Field
from pliant.errors import PliantError, check_known


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Equally good numbers of an actuator, represented by its own.

    Attributes:
        names: (D,) parameters, `port.symbol` or `plant.symbol`.
        values: (K, D) in SI units, a row for each set.
        fits: number of rows, from the first, that are fits, whose median motion is the prediction; the first is
            the representative. The other rows are draws around them, spread to cover held-out logs.
    """

    names: tuple[str, ...]
    values: Floats
    fits: int

    def __post_init__(self) -> None:
        shape = self.values.shape
        if len(shape) != 2 or shape[1] != len(self.names) or not self.names:
            raise PliantError(
                "needs a row of numbers for each set",
                field="ensemble.values",
                found=f"{' x '.join(map(str, shape))}",
                accepted=f"rows of {len(self.names)} numbers",
            )
        if not 1 <= self.fits <= len(self.values):
            accepted = f"1 to {len(self.values)}"
            raise PliantError(
                "out of range", field="ensemble.fits", found=self.fits, accepted=accepted
            )

    def __repr__(self) -> str:
        return f"<Ensemble of {self.fits} fits and {len(self.values) - self.fits} draws>"

    def without(self, names: Collection[str]) -> "Ensemble | None":
        """The same without these numbers, which are known otherwise; None if none is left."""
        kept = [k for k, name in enumerate(self.names) if name not in names]
        if not kept:
            return None
        left = tuple(self.names[k] for k in kept)
        return Ensemble(left, self.values[:, kept], self.fits)

    def of_fits(self) -> Floats:
        """(fits, D) the separate fits."""
        return self.values[: self.fits]

    def of_draws(self) -> Floats:
        """(K - fits, D) the draws around them."""
        return self.values[self.fits :]

    def columns(self, names: Iterable[str]) -> dict[str, Floats]:
        """Parameter to its (K,) values, for those of `names` that it has."""
        wanted = set(names)
        return {n: self.values[:, k] for k, n in enumerate(self.names) if n in wanted}

    def check(self, fields: Mapping[str, Field]) -> None:
        """Refuse a name that is not a parameter, and a number outside its law's range.

        Raises:
            PliantError: which one.
        """
        for k, name in enumerate(self.names):
            check_known(name, fields, "no such parameter", "ensemble.parameters")
            for value in (float(np.min(self.values[:, k])), float(np.max(self.values[:, k]))):
                check_range(f"ensemble: {name}", value, fields[name])
