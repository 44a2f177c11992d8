"""Joints and settings as the arrays and numbers that the compiled core works on."""

from collections.abc import Sequence

import numpy as np

from pliant.arrays import Floats, Integers
from pliant.errors import PliantError
from pliant.estimate.core import state as core
from pliant.estimate.filters import MIDDLE_RATE, SPEED, box_kernels, matched
from pliant.estimate.joint import Joint, next_power
from pliant.estimate.settings import EstimatorSettings, Mode

MODES: dict[str, int] = {"torque": core.TORQUE, "rotatum": core.ROTATUM, "paper": core.PAPER}
_FRICTION = {"torque": 3, "rotatum": 1, "paper": 1}
"""Columns beside the spring's: viscous, Coulomb, constant; the last two have no rate."""


def joint_of_channel(joints: Sequence[Joint], names: Sequence[str]) -> list[str]:
    """The names of all motor channels, in their order."""
    return [
        f"{name}.{motor}"
        for name, joint in zip(names, joints, strict=True)
        for motor in joint.motors
    ]


def frozen_options(mode: Mode, dt: float, settings: EstimatorSettings) -> core.Options:
    """The numbers that stay."""
    if mode not in MODES:
        raise PliantError("no such mode", field="mode", found=mode, accepted=list(MODES))
    if not 0.0 < dt < np.inf:
        raise PliantError("not a time step", field="dt", found=dt, accepted="above 0 [s]")
    paper, noise = mode == "paper", _noise(mode, dt, settings)
    as_published = paper and not settings.smooth_first
    memory = 1.0 if settings.memory is None else float(np.exp(-0.5 * dt / settings.memory))
    return core.Options(
        mode=MODES[mode],
        dt=float(dt),
        smooth=int(paper and settings.smooth_first),
        memory=memory,
        prior=float(settings.prior),
        steady_speed=0.0 if paper else float(settings.steady_speed),
        coulomb_speed=float(settings.coulomb_speed),
        gate=0.0 if paper else float(settings.gate) ** 2,
        floor=0.0 if paper else float(settings.torque_floor),
        patience=float(settings.patience),
        window=4.0 if as_published else float(settings.boxes * settings.width),
        momentum_noise=noise[0],
        rows_noise=noise[1],
        extrapolated=float(settings.warn_leverage),
        skew=float(settings.warn_skew),
        misfit=float(settings.warn_misfit),
        change=float(settings.warn_change),
        friction=int(settings.friction),
    )


def new_buffers(
    joints: Sequence[Joint], mode: Mode, dt: float, settings: EstimatorSettings
) -> tuple[Floats, Integers]:
    """The buffers of the core before the first sample."""
    chosen = frozen_options(mode, dt, settings)
    kernels = _kernels(mode, dt, settings)
    b = max(len(joint.terms) for joint in joints)
    e = max(len(joint.lacked) for joint in joints) if mode == "torque" else 0
    p = b + (_FRICTION[mode] if settings.friction else 0)
    motors = sum(len(joint.motors) for joint in joints)
    numbers, integers = core.buffers(len(joints), motors, b, e, p, kernels.shape[1])
    numbers[: core.OPTIONS] = chosen
    state = core.views(numbers, integers)
    state.out[:] = np.nan
    state.out[core.STATUS], state.out[core.FLAGS :] = core.WARMING_UP, 0.0
    state.residuals[:] = np.nan
    state.kernels[:] = kernels
    state.info[:, range(p), range(p)] = 1.0 / np.sqrt(settings.prior)
    state.trial[:, range(p + 1 + e), range(p + 1 + e)] = core.TRIAL_PRIOR / np.sqrt(settings.prior)
    state.scales[:] = [
        [j.deflection_scale, j.adjuster_scale, j.torque_scale, _steepness(j.powers)] for j in joints
    ]
    state.terms[:], state.layout[:] = _layout(joints, b)
    state.lacked[:] = _lacked(joints, e)
    return numbers, integers


def stiffness_rows(state: core.EstimatorState, q: Floats, theta: Floats) -> Floats:
    """(…, n, b) What the parameters are multiplied with to give the stiffness at any positions."""
    terms, layout, scales = state.terms, state.layout, state.scales
    rows = np.zeros((*q.shape, terms.shape[1]))
    for i, (count, adjuster) in enumerate(layout):
        phi_scale, x_scale, torque_scale = scales[i, :3]
        for t in range(count):
            motor, j, m = terms[i, t]
            phi = (q[..., i] - theta[..., motor]) / phi_scale
            x = theta[..., adjuster] / x_scale if adjuster >= 0 else 1.0
            rows[..., i, t] = torque_scale / phi_scale * j * phi ** (j - 1) * x**m
    return rows


def _kernels(mode: Mode, dt: float, settings: EstimatorSettings) -> Floats:
    """(4, L) for rows and the rest, momentum, speed, and the rate of the basis.

    Mode "paper" smooths positions by the third, and takes the basis' rate in the middle of four of them.
    """
    k0, k1, k2 = box_kernels(settings.boxes, settings.width, dt)
    if mode == "paper":
        mean, none = np.pad(k0, (3, 0)), np.zeros(len(k0) + 3)
        return np.array([none, none, mean, np.convolve(k0, MIDDLE_RATE / dt)])
    momentum, rows = matched(k2, k1) if mode == "rotatum" else matched(k1, k0)
    return np.array([rows, momentum, np.pad(k0, 1), np.pad(k1, 1)])


def _noise(mode: Mode, dt: float, settings: EstimatorSettings) -> tuple[float, float]:
    """Variances under the kernels of the momentum and of the rows, of white noise of the positions."""
    rows, momentum, _, rates = _kernels(mode, dt, settings)
    if mode == "paper" and settings.smooth_first:
        return 0.0, float(rates @ rates)
    if mode == "paper":
        return np.inf, np.inf  # what encoders make of third differences is not looked into
    return float(np.sum(np.convolve(momentum, SPEED / dt) ** 2)), float(rows @ rows)


def _steepness(powers: Sequence[int]) -> float:
    """Mean square slope of the first polynomial that a basis of `powers` lacks, over all it has.

    Each has a mean square of one: Legendre polynomials, whose slopes' is (2 k + 1) k (k + 1) / 2.
    """

    def steep(k: int) -> float:
        return (2 * k + 1) * k * (k + 1) / 2

    return steep(next_power(powers)) / sum(steep(k) for k in powers)


def _lacked(joints: Sequence[Joint], e: int) -> Integers:
    """(n, e, 3) as the terms are laid out."""
    lacked = np.zeros((len(joints), e, 3), np.int64)
    channel = 0
    for i, joint in enumerate(joints):
        for t, term in enumerate(joint.lacked[:e]):
            lacked[i, t] = channel + term.motor, term.power, term.adjuster_power
        channel += len(joint.motors)
    return lacked


def _layout(joints: Sequence[Joint], b: int) -> tuple[Integers, Integers]:
    terms = np.zeros((len(joints), b, 3), np.int64)
    layout = np.zeros((len(joints), 2), np.int64)
    channel = 0
    for i, joint in enumerate(joints):
        layout[i] = len(joint.terms), channel + 1 if joint.kind == "svsa" else -1
        for t, term in enumerate(joint.terms):
            terms[i, t] = channel + term.motor, term.power, term.adjuster_power
        channel += len(joint.motors)
    return terms, layout
