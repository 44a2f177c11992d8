"""Joints and settings as arrays and numbers for the compiled core.

With A the trapezoidal mean over w samples and D the difference over w samples divided by w T,

    K0 = A^n,   K1 = D A^(n-1),   K2 = D^2 A^(n-2)             stiffness estimation: section 5

are the same smoothing of a signal, its first and its second derivative, all with the same centre.
D is the exact mean of a derivative, A that of a signal but for (omega T)^2 / 12, so that each D in
the place of an A reads too high by that much. Three taps on the side with more A's take it out:

    F = (-1, 14, -1) / 12,    F A = D / (i omega) (1 + O((omega T)^4))
"""

from collections.abc import Sequence

import numpy as np

from pliant.arrays import Floats, Integers
from pliant.errors import PliantError, check_known
from pliant.estimate.core import state as core
from pliant.estimate.settings import EstimatorSettings, Joint, Mode, next_power

MATCH = np.array([-1.0, 14.0, -1.0]) / 12.0
"""F above."""
WIDEST = 10_000
"""Largest number of samples of a box: longer ones exceed any motion that a stiffness belongs to."""
SPEED = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
"""Times 1/T: speed at the middle of five positions, oldest first; exact to (omega T)^4."""

MIDDLE_RATE = np.array([-1.0, -9.0, 9.0, 1.0]) / 12.0
"""Times 1/T: speed in the middle of four positions, oldest first, too low by (omega T)^2 / 8 as their third difference
is: rates of the torque and of the springs' terms then agree to (omega T)^4."""


def box_kernels(boxes: int, width: int, dt: float) -> tuple[Floats, Floats, Floats]:
    """K0, K1, K2 of `boxes` boxes of `width` samples, (boxes * width + 1,), oldest first.

    Raises:
        PliantError: fewer than two boxes, a width out of range, or a time step that is not above 0.
    """
    if boxes < 2 or not 1 <= width <= WIDEST or not dt > 0.0:
        raise PliantError(
            "not a filter",
            found=f"boxes {boxes}, width {width}, dt {dt}",
            accepted=f"boxes from 2, width from 1 to {WIDEST}, dt above 0 [s]",
        )
    mean = np.ones(width + 1)
    mean[[0, -1]] = 0.5
    mean /= width
    difference = np.zeros(width + 1)
    difference[[0, -1]] = -1.0 / (width * dt), 1.0 / (width * dt)
    kernels: list[Floats] = []
    for order in range(3):
        kernel = np.ones(1)
        for factor in [difference] * order + [mean] * (boxes - order):
            kernel = np.convolve(kernel, factor)
        kernels.append(kernel)
    return kernels[0], kernels[1], kernels[2]


def matched(less_mean: Floats, more_mean: Floats) -> tuple[Floats, Floats]:
    """Two kernels of which the second has one A more, with F on the second; equally long."""
    return np.pad(less_mean, 1), np.convolve(more_mean, MATCH)


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
    check_known(mode, list(MODES), "no such mode", "mode")
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
