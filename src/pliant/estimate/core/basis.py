"""The torque of the springs as a sum of known functions of the positions, all normalised."""

from pliant.estimate.core.state import (
    ADJUSTER,
    COUNT_OF_TERMS,
    MOTOR,
    PHI,
    PHI_POWER,
    X_POWER,
    Array,
    State,
    X,
    compiled,
)


@compiled
def power(x: float, n: int) -> float:
    """x^n by multiplication; n from 0."""
    y = 1.0
    for _ in range(n):
        y *= x
    return y


@compiled
def basis_row(s: State, i: int, at: Array, slope: bool, out: Array) -> None:
    """The torque basis of joint i at positions `at`, or its derivative by the deflection.

    Both are normalised: the derivative is by phi / phi_scale.
    """
    n = len(s.layout)
    adjuster = s.layout[i, ADJUSTER]
    x = at[n + adjuster] / s.scales[i, X] if adjuster >= 0 else 1.0
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        phi = (at[i] - at[n + s.terms[i, t, MOTOR]]) / s.scales[i, PHI]
        j, m = s.terms[i, t, PHI_POWER], s.terms[i, t, X_POWER]
        out[t] = (j * power(phi, j - 1) if slope else power(phi, j)) * power(x, m)


@compiled
def paper_row(s: State, i: int, dt: float, out: Array) -> None:
    """The rate of the torque basis: the states of the observer, motors differenced alike."""
    n = len(s.layout)
    adjuster = s.layout[i, ADJUSTER]
    for t in range(len(out)):
        out[t] = 0.0
    x, dx = 1.0, 0.0
    if adjuster >= 0:
        x = s.raw[1, n + adjuster] / s.scales[i, X]
        dx = (s.raw[2, n + adjuster] - s.raw[1, n + adjuster]) / (dt * s.scales[i, X])
    for t in range(s.layout[i, COUNT_OF_TERMS]):
        c = n + s.terms[i, t, MOTOR]
        phi = (s.raw[1, i] - s.raw[1, c]) / s.scales[i, PHI]
        dphi = (s.raw[2, i] - s.raw[2, c]) / (dt * s.scales[i, PHI]) - phi / dt
        j, m = s.terms[i, t, PHI_POWER], s.terms[i, t, X_POWER]
        out[t] = j * power(phi, j - 1) * dphi * power(x, m)
        if m > 0:
            out[t] += power(phi, j) * m * power(x, m - 1) * dx
