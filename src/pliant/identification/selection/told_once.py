"""Findings told once, though two fits of one command come upon them.

A comparison tells how recordings differ before it begins, as all its fits see them so; the fit to all logs
finds the same again, for the model that was taken. What it found stands in its file.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

_MEASURED = re.compile(r"[+-]?\d+(?:\.\d+)?(?= (?:ms|%|K|mrad))")
"""A number of a finding, without which it is the same finding; days and gains are not measured."""


@dataclass
class Told:
    """Which findings were told already; their numbers may differ."""

    _known: set[str] = field(default_factory=set[str])

    def through(self, note: Callable[[str], None]) -> Callable[[str], None]:
        """`note`, told only what nobody was told before."""

        def tell(text: str) -> None:
            finding = _MEASURED.sub("", text)
            if finding not in self._known:
                self._known.add(finding)
                note(text)

        return tell
