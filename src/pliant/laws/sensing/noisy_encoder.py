"""An encoder with noise before quantization: white noise, and a bias that wanders.

    measured = quantum floor((x + bias + std n) / quantum + 1/2)        n normal, new in every step
    bias' = r bias + drift sqrt(1 - r^2) m,  r = exp(-h / wander)       Source: Gauss-Markov process

n and m are normal: two uniform numbers by Box and Muller (1958). The generator's numbers are part of the
state, so copies and rollouts of a state continue in the same way; `seed` sets the start. Joints with the
same seed have the same noise: give each its own. A controller with a rate of its own sees the noise of the
steps in which it runs.

Left out: noise of the speed, which is taken as exact; errors that repeat every turn.
"""

from math import cos, exp, floor, log, pi, sin, sqrt
from typing import Annotated, NamedTuple

from pliant.laws.sensing._wichmann_hill import Place, seeded, turned, uniform


class P(NamedTuple):
    std: Annotated[float, "rad", (0.0, 0.1)]  # standard deviation of the white part
    drift: Annotated[float, "rad", (0.0, 0.1)]  # standard deviation of the bias
    wander: Annotated[float, "s", (1e-2, 1e6)]  # time over which the bias is forgotten
    quantum: Annotated[float, "rad", (0.0, 0.1)]  # step of the encoder, 0 for none
    seed: Annotated[float, "1", (0.0, 30000.0)]  # whole number, one for each joint


REDUCES_TO = {
    "encoder": {"std": 0.0, "drift": 0.0},
    "ideal": {"std": 0.0, "drift": 0.0, "quantum": 0.0},
}


class S(NamedTuple):
    x: Annotated[float, "1"]  # first of the generator's numbers
    y: Annotated[float, "1"]  # second of the generator's numbers
    z: Annotated[float, "1"]  # third of the generator's numbers
    white: Annotated[float, "1"]  # noise of this step over its standard deviation
    bias: Annotated[float, "rad"]  # present bias


def start(p: P) -> S:
    first = turned(turned(seeded(p.seed)))
    second = turned(first)
    far = sqrt(-2.0 * log(uniform(first)))
    turn = 2.0 * pi * uniform(second)
    return S(second.x, second.y, second.z, far * cos(turn), p.drift * far * sin(turn))


def step(s: S, p: P, h: float) -> S:
    first = turned(Place(s.x, s.y, s.z))
    second = turned(first)
    far = sqrt(-2.0 * log(uniform(first)))
    turn = 2.0 * pi * uniform(second)
    kept = exp(-h / p.wander)
    news = p.drift * sqrt(max(1.0 - kept * kept, 0.0)) * far * sin(turn)
    return S(second.x, second.y, second.z, far * cos(turn), kept * s.bias + news)


def measured(s: S, x: float, p: P) -> float:
    seen = x + s.bias + p.std * s.white
    if p.quantum > 0.0:
        return p.quantum * floor(seen / p.quantum + 0.5)
    return seen
