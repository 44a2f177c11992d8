"""A recording as read from a file, before and while its faults are looked for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from pliant.arrays import Floats
from pliant.io.validated import Strict

AMBIENT = "thermal.ambient"
"""The number of an actuator at which its winding starts [K]."""
ZERO_CELSIUS = 273.15
"""[K]"""
TEMPERATURES = (-40.0, 125.0)
"""[degC] what the sensors of servos are made for."""


def possible(readings: Floats) -> bool:
    """Whether (N,) readings [degC] are all what a servo can have."""
    low, high = TEMPERATURES
    return bool(np.all((readings >= low) & (readings <= high)))


def unread(readings: Floats) -> bool:
    """Whether (N,) readings are 0 throughout, as of a recorder that does not read them."""
    return not bool(readings.any())


Bools = NDArray[np.bool_]

UNITS: Mapping[str, str] = {
    "time": "s",
    "position": "rad",
    "goal": "rad",
    "enabled": "0 or 1",
    "velocity": "rad/s",
    "voltage": "V",
    "torque": "N m",
    "temperature": "degC",
}
"""The channels a log can have, each with the unit it has inside."""

Positive = Annotated[float, Field(gt=0.0)]
NotNegative = Annotated[float, Field(ge=0.0)]


class Header(Strict):
    """The constants of one run; None where the file does not say."""

    device: str | None = None
    trajectory: str | None = None
    mass: NotNegative | None = None
    """[kg] point mass at `length`; 0: the bare arm."""
    length: Positive | None = None
    """[m]"""
    arm_mass: NotNegative | None = None
    """[kg] uniform rod of `length`."""
    gain: NotNegative | None = None
    """Firmware P-gain, in the firmware's own unit."""
    derivative_gain: NotNegative | None = None
    """D-gain, in the firmware's own unit."""
    supply: Positive | None = None
    """[V] nominal supply."""


@dataclass(frozen=True, eq=False)
class Table:
    """Equally long channels in the units of `UNITS`, and where each row stands in the file.

    `names` gives the file's own name of a channel, `where` the file's name of a row
    (`"entries[{}]"`, `"line {}"`), and `gaps` marks rows that lack one of their values
    (those values are NaN).
    """

    channels: Mapping[str, Floats]
    names: Mapping[str, str]
    rows: NDArray[np.int64]
    where: str
    gaps: Bools
    notes: tuple[str, ...] = ()
    """Notes on what was done to make them equally long."""

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, channel: str) -> bool:
        return channel in self.channels

    @property
    def time(self) -> Floats:
        """[s] as in the file, not yet from 0."""
        return self.channels["time"]

    def finite(self, channel: str) -> bool:
        """Whether the channel is there and free of NaN and infinities."""
        return channel in self.channels and bool(np.isfinite(self.channels[channel]).all())

    def keep(self, rows: Bools | NDArray[np.intp]) -> "Table":
        """The same table with these rows (a mask, or indices in a new order)."""
        return replace(
            self,
            channels={name: values[rows] for name, values in self.channels.items()},
            rows=self.rows[rows],
            gaps=self.gaps[rows],
        )

    def put(self, channel: str, values: Floats) -> "Table":
        """The same table with this channel, new or instead of the old one."""
        return replace(self, channels={**self.channels, channel: values})

    def without(self, channel: str) -> "Table":
        """The same table without this channel."""
        return replace(
            self, channels={name: v for name, v in self.channels.items() if name != channel}
        )

    def row(self, index: int) -> str:
        """The file's own name of a row, for messages."""
        return self.where.format(int(self.rows[index]))

    def interpolate(self, channel: str, bad: Bools) -> "Table":
        """Put a line over time through the good neighbours, continued at the ends."""
        values = self.channels[channel].copy()
        time, good = self.time, np.flatnonzero(~bad)
        right = np.clip(np.searchsorted(good, np.flatnonzero(bad)), 1, len(good) - 1)
        a, b = good[right - 1], good[right]
        slope = (values[b] - values[a]) / (time[b] - time[a])
        values[bad] = values[a] + slope * (time[bad] - time[a])
        return self.put(channel, values)
