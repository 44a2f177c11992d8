"""Verdict on a fit: errors beside the encoder's step, the motion, and the starting actuator."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from pathlib import Path

import numpy as np
from pydantic import Field

from pliant.arrays import Floats
from pliant.catalogue import PACKAGE
from pliant.errors import located
from pliant.io.validated import Strict, read_toml, validated
from pliant.words import mrad

FILE = PACKAGE / "data" / "reached.toml"


class Reached(Strict):
    """Errors of other programs' fits of a device: mean absolute errors of the position, open loop.

    Attributes:
        device: as actuators name it.
        logs: folder beside the file that holds the very logs, if they come with Pliant.
        on: which logs, and whether they were fitted.
        mae_mrad: model to error; empty where only a ratio is printed.
        closer_than_m1: how many times smaller the best error is than that of M1 [1]; else None.
        how, source: where the figures come from.
    """

    device: str
    logs: str = ""
    on: str
    mae_mrad: dict[str, float] = Field(default_factory=dict[str, float])
    closer_than_m1: float | None = None
    how: str
    source: str

    @property
    def best(self) -> tuple[str, float] | None:
        """The model with the smallest error, and that error [rad]."""
        if not self.mae_mrad:
            return None
        model = min(self.mae_mrad, key=lambda one: self.mae_mrad[one])
        return model, 1e-3 * self.mae_mrad[model]

    def fitted_to(self, digests: Iterable[str]) -> bool:
        """Whether the errors are of fits to exactly the logs with these SHA-256, and so can be compared."""
        return bool(self.logs) and frozenset(digests) == _digests(FILE.parent / self.logs)

    def __str__(self) -> str:
        """The figure and the logs it is of, in words."""
        if self.best is not None:
            return f"{1e3 * self.best[1]:.1f} mrad ({self.best[0]}), {self.on}"
        return f"the best model {self.closer_than_m1} times closer than M1, on {self.on}"


class _File(Strict):
    reached: list[Reached]


def reached(device: str) -> list[Reached]:
    """Errors of other programs' fits of `device`; nothing where no source is known."""
    return [one for one in all_reached() if one.device == device]


@cache
def all_reached() -> tuple[Reached, ...]:
    """All figures of other programs, in the order of the file."""
    with located(FILE):
        return tuple(validated(_File, read_toml(FILE)).reached)


@cache
def _digests(folder: Path) -> frozenset[str]:
    return frozenset(hashlib.sha256(x.read_bytes()).hexdigest() for x in folder.glob("*.json"))


@dataclass(frozen=True)
class Bar:
    """One error, as a row of the terminal's table and a bar of the report.

    Attributes:
        name: whose. error: in mrad. share: of the motion. width: of the bar [%]. own: this fit's.
    """

    name: str
    error: str
    share: str
    width: float
    own: bool


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Mean absolute errors [rad] of a fit, and those to compare it with.

    Attributes:
        fitted: on the logs fitted. held_out: on logs that the fit did not use.
        unseen: name of these, "gain 800".
        second: the held-out error is of a second, shorter fit without these logs.
        begun, begun_unseen: errors of the starting actuator, on the logs fitted and on those
            held out. begun_name: its name.
        others: smallest error of other programs' fits to the same logs; None where none is known.
        others_name: name of that fit. about_others: sentences on other programs' errors with this device,
            their logs and source.
        step: encoder's step [rad]. motion: mean range of the motion [rad].
        again: mean distance between runs of one command [rad]; None: no command was repeated.
    """

    fitted: float
    motion: float
    held_out: float | None = None
    unseen: str = ""
    second: bool = False
    begun: float | None = None
    begun_unseen: float | None = None
    begun_name: str = ""
    others: float | None = None
    others_name: str = ""
    about_others: tuple[str, ...] = ()
    step: float | None = None
    again: float | None = None

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        if not isfinite(self.fitted):
            return "Not usable: the simulation diverges on the logs it was fitted to."
        if self.held_out is None:
            share = f"{self._share(self.fitted)} of the motion{self._others('; ')}"
            return (
                f"Follows the logs it was fitted to within {mrad(self.fitted)} mrad ({share}) on "
                "average; no other log has tested it."
            )
        if not isfinite(self.held_out):
            return f"Not usable beyond its own logs: the simulation diverges on {self.unseen}."
        error = f"{mrad(self.held_out)} mrad ({self._share(self.held_out)} of the motion)"
        return (
            f"Predicts {self.unseen}, not seen by the fit, to {error}{self._compared()}; "
            f"{mrad(self.fitted)} mrad on the logs it was fitted to{self._others(', where ')}."
        )

    def _others(self, joint: str) -> str:
        """Smallest error of another program's fit to the same logs, where one is known."""
        return (
            ""
            if self.others is None
            else f"{joint}another program's fit reaches {mrad(self.others)} mrad"
        )

    def _compared(self) -> str:
        """Error on unseen logs compared with that of the starting actuator, in words."""
        if self.held_out is None or self.begun_unseen is None:
            return ""
        if not isfinite(self.begun_unseen):
            return f", where {self.begun_name} diverges"
        if self.held_out > 0.95 * self.begun_unseen:
            return f", no closer than {self.begun_name} ({mrad(self.begun_unseen)} mrad)"
        ratio = self.begun_unseen / max(self.held_out, 1e-9)
        return f", {ratio:.1f} times closer than {self.begun_name}"

    @property
    def bars(self) -> list[Bar]:
        """The same figures, to be compared."""
        rows: list[tuple[str, float | None, bool]] = [
            ("this fit, logs fitted", self.fitted, True),
            (
                f"this fit without it, {self.unseen}"
                if self.second
                else f"this fit, {self.unseen}",
                self.held_out,
                True,
            ),
            (f"{self.begun_name}, logs fitted", self.begun, False),
            (f"{self.begun_name}, {self.unseen}", self._begun_elsewhere, False),
            (self.others_name, self.others, False),
            ("distance between repetitions", self.again, False),
            ("encoder's step", self.step, False),
        ]
        known = [(name, error, own) for name, error, own in rows if error is not None]
        largest = max([error for _, error, _ in known if isfinite(error)], default=1.0) or 1.0
        return [
            Bar(
                name,
                f"{mrad(error)} mrad" if isfinite(error) else "diverged",
                self._share(error),
                round(100.0 * min(error / largest, 1.0), 1) if isfinite(error) else 100.0,
                own,
            )
            for name, error, own in known
        ]

    @property
    def _begun_elsewhere(self) -> float | None:
        """Error of the starting actuator on unseen logs, unless these are all logs in turn."""
        return None if self.begun_unseen == self.begun else self.begun_unseen

    @property
    def note(self) -> str:
        """Note on how the figures were obtained."""
        text = (
            "Mean absolute position error, simulated open loop from the first sample; shares are of "
            f"the mean range of the motion, {self.motion:.2f} rad."
        )
        if self.again is not None:
            text += " Errors below the distance between repetitions are not meaningful."
        if self.second:
            text += f" {self.unseen[:1].upper()}{self.unseen[1:]}: predicted by a second, shorter fit to the other logs."
        return text

    def _share(self, error: float) -> str:
        if not isfinite(error) or self.motion <= 0.0:
            return ""
        share = 100.0 * error / self.motion
        return f"{share:.1f} %" if share < 99.95 else f"{share:.0f} %"


def beside_others(verdict: Verdict, devices: Iterable[str], digests: Iterable[str]) -> Verdict:
    """`verdict` with errors of fits by other programs, as far as a source is known.

    Args:
        verdict: of a fit. devices: of its actuators. digests: SHA-256 of the logs fitted.
    """
    known = [one for device in dict.fromkeys(devices) for one in reached(device)]
    fitted = frozenset(digests)
    same = [(*one.best, one) for one in known if one.best is not None and one.fitted_to(fitted)]
    if not same:
        about = [f"Fitted by others, {one.device}: {one}. Source: {one.source}." for one in known]
        return replace(verdict, about_others=tuple(about))
    model, error, one = min(same, key=lambda entry: entry[1])
    return replace(
        verdict,
        others=error,
        others_name=f"another program's {model}, logs fitted",
        about_others=(f"The other program's {model}: {one.source}.",),
    )


def motion_range(positions: Iterable[Floats]) -> float:
    """Mean over recordings of the range of the position [rad]."""
    return float(np.mean([np.ptp(position) for position in positions]))
