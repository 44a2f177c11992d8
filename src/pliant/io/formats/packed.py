"""Messages as raw bytes in one piece of memory, to be looked at together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Packed:
    """N messages.

    Attributes:
        data: (B,) bytes, with others between them perhaps.
        starts, lengths: (N,) [bytes] of each message in it.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @staticmethod
    def of(raws: Sequence[bytes]) -> "Packed":
        """Messages one behind the other."""
        lengths = np.array([len(raw) for raw in raws], np.int64)
        starts = np.cumsum(lengths) - lengths
        return Packed(np.frombuffer(b"".join(raws), np.uint8), starts, lengths)

    def __len__(self) -> int:
        """N."""
        return len(self.starts)

    def each(self) -> Iterator[bytes]:
        """The messages one by one."""
        for start, length in zip(self.starts.tolist(), self.lengths.tolist(), strict=True):
            yield self.data[start : start + length].tobytes()

    def tables(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
        """For each length: numbers of the messages that have it, and these as (n, length)."""
        for length in np.unique(self.lengths).tolist():
            rows = np.flatnonzero(self.lengths == length)
            if length == 0:
                yield rows, np.empty((len(rows), 0), np.uint8)
                continue
            windows = np.lib.stride_tricks.sliding_window_view(self.data, length)
            yield rows, windows[self.starts[rows]]
