"""The torque of the springs as a sum of known functions of the positions, all normalised.

What is known of p parameters x is an upper triangle R and a vector z with R x = z, side by side. An
equation row . x = y is rotated in by Givens rotations: there is no covariance that could lose its
positive definiteness.
"""

from math import sqrt

from pliant.arrays import Matrix, Vector
from pliant.estimate.core import state as core
from pliant.estimate.core.state import EstimatorState
from pliant.lower.memory import apart


def power(x: float, n: int) -> float:
    """x^n by multiplication; n from 0."""
    y = 1.0
    for _ in range(n):
        y *= x
    return y


def basis_row(s: EstimatorState, i: int, at: Vector, slope: bool, out: Vector) -> None:
    """The torque basis of joint i at positions `at`, or its derivative by the deflection.

    Both are normalised: the derivative is by phi / phi_scale.
    """
    n = len(s.layout)
    adjuster = s.layout[i, core.ADJUSTER]
    x = at[n + adjuster] / s.scales[i, core.X] if adjuster >= 0 else 1.0
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        phi = (at[i] - at[n + s.terms[i, t, core.MOTOR]]) / s.scales[i, core.PHI]
        j, m = s.terms[i, t, core.PHI_POWER], s.terms[i, t, core.X_POWER]
        out[t] = (j * power(phi, j - 1) if slope else power(phi, j)) * power(x, m)


def lacked(s: EstimatorState, i: int, t: int, at: Vector) -> float:
    """Function t of those that the torque basis of joint i lacks, at positions `at`."""
    n, adjuster, m = len(s.layout), s.layout[i, core.ADJUSTER], s.lacked[i, t, core.X_POWER]
    phi = (at[i] - at[n + s.lacked[i, t, core.MOTOR]]) / s.scales[i, core.PHI]
    along = power(at[n + adjuster] / s.scales[i, core.X], m) if adjuster >= 0 else 1.0
    return power(phi, s.lacked[i, t, core.PHI_POWER]) * along


def basis_and_stiffness(s: EstimatorState, i: int, at: Vector, out: Vector) -> float:
    """The torque basis of joint i at positions `at`; returns the stiffness there, as `stiffness`."""
    n, adjuster = len(s.layout), s.layout[i, core.ADJUSTER]
    x = at[n + adjuster] / s.scales[i, core.X] if adjuster >= 0 else 1.0
    total, motor, phi = 0.0, -1, 0.0
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        if s.terms[i, t, core.MOTOR] != motor:
            motor = s.terms[i, t, core.MOTOR]
            phi = (at[i] - at[n + motor]) / s.scales[i, core.PHI]
        j = s.terms[i, t, core.PHI_POWER]
        steep = power(phi, j - 1) * power(x, s.terms[i, t, core.X_POWER])
        out[t] = steep * phi
        total += j * steep * s.parameters[i, t]
    return total


def stiffness(s: EstimatorState, i: int, at: Vector) -> float:
    """Stiffness of joint i at positions `at` by the current parameters; normalised."""
    total = 0.0
    basis_row(s, i, at, True, s.slope)
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        total += s.slope[t] * s.parameters[i, t]
    return total


def newest_rows(s: EstimatorState, i: int, at: Vector, slope: Vector, value: Vector) -> float:
    """The basis of joint i at `at` into `value`, its derivative into `slope`, as `basis_row`.

    Returns:
        The variance of the stiffness by the noise of the encoders at `at`; normalised.
    """
    n, first, adjuster = len(s.layout), s.terms[i, 0, core.MOTOR], s.layout[i, core.ADJUSTER]
    x = at[n + adjuster] / s.scales[i, core.X] if adjuster >= 0 else 1.0
    a = b = turned = phi = 0.0
    last = -1
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        motor, j, m = (
            s.terms[i, t, core.MOTOR],
            s.terms[i, t, core.PHI_POWER],
            s.terms[i, t, core.X_POWER],
        )
        if motor != last:
            phi, last = (at[i] - at[n + motor]) / s.scales[i, core.PHI], motor
        curved, along = power(phi, j - 2), power(x, m)
        steep = curved * phi if j > 1 else 1.0  # phi^(j-1)
        slope[t] = j * steep * along
        value[t] = steep * phi * along
        weight = j * s.parameters[i, t]
        bend = weight * (j - 1) * curved * along
        if motor == first:
            a += bend
        else:
            b += bend
        if m > 0:
            turned += weight * steep * m * power(x, m - 1) / s.scales[i, core.X]
    total = (
        (a + b) ** 2 * s.encoder[i]
        + a**2 * s.encoder[n + first]
        + b**2 * s.encoder[n + first + (b != 0.0)]
    ) / s.scales[i, core.PHI] ** 2
    return total + turned**2 * s.encoder[n + adjuster] if adjuster >= 0 else total


def middle(raw: Matrix, c: int) -> float:
    """Position of channel c in the middle of its four newest; exact to the cube of time."""
    return (9.0 * (raw[2, c] + raw[3, c]) - raw[1, c] - raw[4, c]) / 16.0


def middle_rate(raw: Matrix, c: int) -> float:
    """Its change from one sample to the next there, too low by what the third difference is (`estimate.layout`)."""
    return (9.0 * (raw[3, c] - raw[2, c]) + raw[4, c] - raw[1, c]) / 12.0


@apart
def published_row(s: EstimatorState, i: int, dt: float, out: Vector) -> None:
    """The rate of the torque basis; motors are differenced as the link is (`window`)."""
    n, raw = len(s.layout), s.raw
    adjuster = s.layout[i, core.ADJUSTER]
    for t in range(len(out)):
        out[t] = 0.0
    x, dx = 1.0, 0.0
    if adjuster >= 0:
        x = raw[1, n + adjuster] / s.scales[i, core.X]
        dx = (raw[2, n + adjuster] - raw[1, n + adjuster]) / (dt * s.scales[i, core.X])
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        c = n + s.terms[i, t, core.MOTOR]
        phi = (raw[1, i] - raw[1, c]) / s.scales[i, core.PHI]
        dphi = (raw[2, i] - raw[1, i] - raw[2, c] + raw[1, c]) / (dt * s.scales[i, core.PHI])
        j, m = s.terms[i, t, core.PHI_POWER], s.terms[i, t, core.X_POWER]
        out[t] = j * power(phi, j - 1) * dphi * power(x, m)
        if m > 0:
            out[t] += power(phi, j) * m * power(x, m - 1) * dx


@apart
def rotate_in(info: Matrix, row: Vector, memory: float) -> None:
    """The equation `row` = [psi | y], (r + 1,), into `info`; `row` is used up.

    Args:
        info: (r, r + 1) R and z.
        memory: sqrt(lambda), what becomes of all older rows; 1 forgets nothing.
    """
    count, width = info.shape
    for i in range(count):
        old, new = info[i, i] * memory, row[i]
        square = old * old + new * new
        if square == 0.0:
            continue
        shrink = 1.0 / sqrt(square)
        c, s = shrink * old, shrink * new
        for j in range(i, width):
            above = info[i, j] * memory
            info[i, j] = c * above + s * row[j]
            row[j] = c * row[j] - s * above


@apart
def solve(info: Matrix, p: int, x: Vector) -> None:
    """The p unknowns."""
    for i in range(p - 1, -1, -1):
        rest = info[i, p]
        for j in range(i + 1, p):
            rest -= info[i, j] * x[j]
        x[i] = rest / info[i, i]


@apart
def variance(info: Matrix, psi: Vector, p: int, work: Vector) -> float:
    """Psi (R'R)^-1 psi', for noise of variance 1."""
    total = 0.0
    for i in range(p):
        rest = psi[i]
        for j in range(i):
            rest -= info[j, i] * work[j]
        work[i] = rest / info[i, i]
        total += work[i] * work[i]
    return total
