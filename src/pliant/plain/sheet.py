"""Texts for every file of plain numbers: their source, their error, and what they lack."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from math import isfinite

from pliant.plain.fit import Reduced
from pliant.plain.servo import KP
from pliant.words import counted, mrad, one_line


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The numbers of joints, and their origin.

    Attributes:
        joints: joint to its numbers; "" for an actuator by itself.
        step: of the simulator [s], if it counts delays in steps.
    """

    joints: Mapping[str, Reduced]
    step: float

    def lines(self) -> Iterator[str]:
        """Lines about them, for people."""
        yield f"Plain numbers by Pliant {version('pliant')}, SI units and radians."
        for origin, joints in _grouped({j: _origin(one) for j, one in self.joints.items()}):
            yield f"{', '.join(filter(None, joints))}: {origin}".removeprefix(": ")
        for price, _ in _grouped({j: _price(one) for j, one in self.joints.items()}):
            yield price
        for one in self.joints.values():
            if one.lacks:
                yield f"What {one.whole.name} does and they cannot, each taken alone, and their price in other uses:"
            for text, far in one.lacks:
                yield f"  {text}: {mrad(far)} mrad"

    def comment(self, mark: str) -> str:
        """The lines, each after `mark`."""
        return "\n".join(f"{mark}{one_line(text)}" for text in self.lines())


def _grouped(said: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Texts with the joints that share them."""
    for text in dict.fromkeys(said.values()):
        yield text, [joint for joint, one in said.items() if one == text]


def _origin(one: Reduced) -> str:
    loads = ", ".join(map(str, one.loads))
    found = f"its simulated motions under {loads}" if loads else "recordings"
    gain = f", P-gain {one.servo.value(KP):g}" if KP in one.whole.fields else ""
    return f"{one.whole.name}, {one.whole.title}; numbers fitted to {found}{gain}"


def _price(one: Reduced) -> str:
    price = one.price
    mean, low, high = map(mrad, (price.plain, min(price.each), max(price.each)))
    if price.whole is None:
        motions = f"mean of {counted(len(price.each), 'motion')} not used in the fit"
        return f"Price of {one.whole.name}: {mean} mrad from the whole actuator, {motions}, {low} to {high}"
    recordings = (
        f"{counted(len(price.each), 'recording')}, each tested with numbers fitted without it"
    )
    return f"Error on {recordings}: {mean} mrad, {low} to {high}; the whole model has {mrad(price.whole)}"


def digits(value: float) -> str:
    """A fitted number, to the digits that count."""
    return f"{value:.6g}" if isfinite(value) else "1e6"
