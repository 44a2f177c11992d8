"""The torque law of a compliant joint, from static or slow recordings of its torque.

    found = fit_torque_characteristic(q, tau, theta)         # theta (N, 2): two motors
    found.parameters, found.curve.stiffness, found.curve.low, found.curve.high

Error figures and their meaning (stiffness estimation: section 9):

    c          100 sqrt(mean(((tau - fit) / max(|tau|, floor))^2)), with its floor. How well the
               torque is explained; no interval for the stiffness, which is often far better known
    band       of the stiffness, from refits to resampled blocks of the recording: noise, no model
               error
    branches   fitted to the way up and tried on the way down, and the reverse: hysteresis, which
               no resampling shows
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.estimate import torque_law
from pliant.extras import extra_module

_special = extra_module("scipy.special", "identify")

FEWEST_BLOCKS = 8
BINS = 10
ALIKE = 0.8
"""Correlation of two halves of a recording from which their residuals count as the same."""


def torque_error(tau: Floats, residual: Floats, floor: float) -> float:
    """Error c [%]: the residual relative to the torque, whose magnitude is at least `floor` [N m]."""
    return 100.0 * float(np.sqrt(np.mean((residual / np.maximum(np.abs(tau), floor)) ** 2)))


def block_length(residual: Floats) -> int:
    """Twice the correlation length of a residual [samples], for block resampling."""
    centred = residual - residual.mean()
    power = float(centred @ centred)
    longest = max(len(residual) // FEWEST_BLOCKS, 1)
    if power == 0.0:
        return 1
    total = 1.0
    for lag in range(1, longest):
        correlation = float(centred[lag:] @ centred[:-lag]) / power
        if correlation < 0.05:
            break
        total += 2.0 * correlation
    return int(min(max(np.ceil(2.0 * total), 1), longest))


def widening(blocks: float, parameters: int) -> float:
    """Factor that widens a 95 % band from few resampled blocks.

    The residual is smaller than the noise because parameters were fitted to it, and a normal quantile
    is too small for few blocks: sqrt(m / (m - P)) t(m - P) / t(infinity).
    """
    free = max(blocks - parameters, 2.0)
    quantile = float(_special.stdtrit(free, 0.975) / _special.ndtri(0.975))
    return quantile * float(np.sqrt((free + parameters) / free))


def repeats(phi: Floats, residual: Floats) -> bool:
    """Whether the residual is the same function of the deflection in both halves of a recording."""
    edges = np.linspace(float(phi.min()), float(phi.max()), BINS + 1)
    bins = np.clip(np.searchsorted(edges, phi, "right") - 1, 0, BINS - 1)
    half = np.arange(len(phi)) < len(phi) // 2
    counts = [np.bincount(bins[rows], minlength=BINS) for rows in (half, ~half)]
    shared = (counts[0] > 0) & (counts[1] > 0)
    if shared.sum() < BINS - 2:
        return False
    first, second = (
        np.bincount(bins[rows], residual[rows], BINS)[shared] / count[shared]
        for rows, count in zip((half, ~half), counts, strict=True)
    )
    if first.std() == 0.0 or second.std() == 0.0:
        return False
    return float(np.corrcoef(first, second)[0, 1]) > ALIKE


FLOOR = 0.05
"""Smallest torque that counts in c, as a fraction of the largest |tau|."""
POINTS = 101
"""Points of the stiffness curve."""
HYSTERESIS = 0.5
"""[%] of the stiffness: less is not reported."""
MUCH = 2.0
"""[%] of the stiffness: always reported, however wide the band."""
EXACT = 1e-9
"""[rad] Residual due to rounding: torque over stiffness."""
LEAST_BRANCH = 0.2
"""Smallest branch, as a fraction of all samples."""


def fit_torque_characteristic(
    q: ArrayLike,
    tau: ArrayLike,
    theta: ArrayLike = 0.0,
    *,
    law: str = "sinh_spring",
    offsets: tuple[torque_law.Offset, ...] = (),
    branch: ArrayLike | None = None,
    refits: int = 100,
    seed: int = 1,
) -> torque_law.TorqueCharacteristic:
    """Fit the springs of a joint to its recorded torque.

    Args:
        q: (N,) [rad] link angle.
        tau: (N,) [N m] elastic torque, positive for positive deflection.
        theta: (N, m) or (m,) [rad] the motors; one spring for each.
        law: of the family compliance, for every spring: "sinh_spring", "linear_spring", ...
        offsets: "angle", a zero error of the angle; "torque", one of the torque sensor.
        branch: (N,) a number for each branch; by default given by the direction of q.
        refits: number of refits to resampled blocks, for the band.
        seed: random seed of the resampling.

    Raises:
        PliantError: the arrays do not fit together, are too short, hold a value that is not finite,
            or the torque falls with the deflection.
    """
    if refits < 20:
        raise PliantError("too few for a band", field="refits", found=refits, accepted="from 20")
    data = torque_law.checked(q, tau, theta)
    model = torque_law.TorqueLaw(law, data.theta.shape[1], offsets)
    _check_enough(data, model)
    whole = torque_law.fitted(model, data)
    residual = data.tau - model.torque(whole.parameters, data)
    block = block_length(residual)
    drawn = _resampled(model, data, whole.parameters, block, refits, np.random.default_rng(seed))
    wider = widening(len(data.q) / block, len(model.names))
    curve = _curve(model, data, whole.parameters, drawn, wider)
    branches = _branches(model, data, whole.parameters, _branch_of(data, branch))
    phi = data.q - data.theta.mean(axis=1)
    floor = FLOOR * float(np.abs(data.tau).max())
    return torque_law.TorqueCharacteristic(
        law=law,
        names=tuple(model.names),
        units=tuple(model.units),
        parameters=whole.parameters,
        std=drawn.std(axis=0),
        residual=residual,
        c=torque_error(data.tau, residual, floor),
        floor=floor,
        below=float(np.mean(np.abs(data.tau) < floor)),
        block=block,
        curve=curve,
        branches=branches,
        warnings=_warnings(model, whole, phi, residual, block, curve, branches),
    )


def _check_enough(data: torque_law.TorqueData, model: torque_law.TorqueLaw) -> None:
    fewest = max(torque_law.FEWEST * len(model.names), 2 * FEWEST_BLOCKS)
    if len(data.q) < fewest:
        raise PliantError(
            "too few samples",
            field="q",
            found=len(data.q),
            accepted=f"from {fewest} for {len(model.names)} parameters",
        )
    phi = (data.q[:, None] - data.theta).mean(axis=1)
    spread = phi - phi.mean()
    slope = float(spread @ data.tau) / float(spread @ spread)
    if slope < 0.0:
        raise PliantError(
            "falls with the deflection: its sign, or link and motor are swapped",
            field="tau",
            found=f"{slope:.4g} N m/rad",
            accepted="tau positive for positive q - theta",
        )


def _resampled(
    model: torque_law.TorqueLaw,
    data: torque_law.TorqueData,
    start: Floats,
    block: int,
    refits: int,
    rng: np.random.Generator,
) -> Floats:
    """(R, P) Parameters of refits to blocks drawn with replacement."""
    count = len(data.q)
    drawn: list[Floats] = []
    for _ in range(refits):
        first = rng.integers(0, count - block + 1, -(-count // block))
        rows = (first[:, None] + np.arange(block)).ravel()[:count]
        drawn.append(torque_law.fitted(model, data.rows(rows), start).parameters)
    return np.array(drawn)


def _curve(
    model: torque_law.TorqueLaw, data: torque_law.TorqueData, p: Floats, drawn: Floats, wider: float
) -> torque_law.StiffnessCurve:
    theta = np.median(data.theta, axis=0)
    phi = data.q[:, None] - data.theta
    left, right = float((phi.min(axis=0) + theta).max()), float((phi.max(axis=0) + theta).min())
    if not left < right:
        left, right = float(data.q.min()), float(data.q.max())
    q = np.linspace(left, right, POINTS)
    at = torque_law.TorqueData(q=q, theta=np.tile(theta, (POINTS, 1)), tau=np.zeros(POINTS))
    band = np.percentile([model.stiffness(one, at) for one in drawn], [2.5, 97.5], axis=0)
    stiffness = model.stiffness(p, at)
    low, high = stiffness + wider * (band - stiffness)
    return torque_law.StiffnessCurve(
        q=q,
        theta=theta,
        torque=model.torque(p, at),
        stiffness=stiffness,
        low=low,
        high=high,
    )


def _branch_of(
    data: torque_law.TorqueData, branch: ArrayLike | None
) -> dict[str, NDArray[np.bool_]]:
    """Name to its samples; empty where there is one branch only."""
    if branch is not None:
        given = np.asarray(branch, np.float64)
        if given.shape != data.q.shape:
            problem, shape = "wrong number of values for these samples", str(data.q.shape)
            raise PliantError(problem, field="branch", found=given.shape, accepted=shape)
        found = {f"branch {value:g}": given == value for value in np.unique(given)}
    else:
        phi = (data.q[:, None] - data.theta).mean(axis=1)
        rate = np.gradient(phi)
        rising = rate[np.maximum.accumulate(np.where(rate != 0.0, np.arange(len(rate)), 0))] > 0.0
        found = {"rising": rising, "falling": ~rising}
    kept = {name: rows for name, rows in found.items() if rows.mean() >= LEAST_BRANCH}
    return kept if len(kept) > 1 else {}


def _branches(
    model: torque_law.TorqueLaw,
    data: torque_law.TorqueData,
    p: Floats,
    branches: dict[str, NDArray[np.bool_]],
) -> tuple[torque_law.BranchError, ...]:
    largest = float(np.abs(data.tau).max())
    reference = model.stiffness(p, data)
    found: list[torque_law.BranchError] = []
    for name, rows in branches.items():
        if rows.sum() < torque_law.FEWEST * len(model.names):
            continue
        other = data.rows(~rows)
        own = torque_law.fitted(model, data.rows(rows), p).parameters
        error = other.tau - model.torque(own, other)
        difference = np.abs(model.stiffness(own, data) / reference - 1.0)
        tried = ", ".join(one for one in branches if one != name)
        found.append(
            torque_law.BranchError(
                fitted=name,
                tried=tried,
                torque=100.0 * float(np.sqrt(np.mean(error**2))) / largest,
                stiffness=100.0 * float(difference.max()),
            )
        )
    return tuple(found)


def _warnings(
    model: torque_law.TorqueLaw,
    whole: torque_law.Fit,
    phi: Floats,
    residual: Floats,
    block: int,
    curve: torque_law.StiffnessCurve,
    branches: tuple[torque_law.BranchError, ...],
) -> tuple[str, ...]:
    said: list[str] = []
    if not whole.converged:
        said.append("the search did not end by itself: more samples, or another law")
    if whole.weak < torque_law.WEAK:
        said.append(
            "this recording does not determine all parameters; it does determine the stiffness"
        )
    x = model.encode(whole.parameters)
    low, high = model.bounds()
    for name, value, least, most in zip(model.names, x, low, high, strict=True):
        if value - least < 1e-6 or most - value < 1e-6:
            said.append(f"{name} stopped at the bound of its range")
    exact = float(np.abs(residual).max()) < EXACT * curve.stiffness.max()
    if not exact and repeats(phi, residual):
        said.append(
            "the residual repeats at the same deflections: the law has not the form of "
            "this spring, which the band does not cover"
        )
    elif not exact and block >= len(residual) // FEWEST_BLOCKS:
        said.append(
            "the residual is one long wave, due to hysteresis or a law of the wrong form: "
            "the band is too narrow"
        )
    if curve.stiffness.min() <= 0.0:
        said.append("the stiffness is not positive everywhere")
    if not branches:
        said.append("the deflection goes one way only: hysteresis cannot be seen")
    worst = max((one.stiffness for one in branches), default=0.0)
    if worst > max(min(2.0 * curve.spread, MUCH), HYSTERESIS):
        said.append(
            f"between the branches the stiffness differs by up to {worst:.2g} %: "
            "hysteresis, which the band does not cover"
        )
    return tuple(said)
