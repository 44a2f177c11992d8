"""Parts of the residual: noise, which averages out, and what no spring of this form explains.

The noise of encoders is forgotten after one kernel, so that residuals one kernel apart have nothing
in common but what lasts: a basis that is cut short, a wrong model, friction of another form. A
residual that swings may have no correlation at just that distance, hence a second, twice as far.
"""

from math import isnan, sqrt

from pliant.estimate.core import state as core
from pliant.estimate.core.state import EstimatorState, Options

LONGEST = 2000.0
"""Samples over which the residual's variance is taken."""
LASTS = 10000.0
"""Samples over which its lasting part is taken: small beside the noise, it needs more of them."""
FADE = 4.0
"""The mean over the first samples forgets them as the fourth power of their number: the parameters
were not known then."""
SETTLED = 50.0
"""Windows of accepted samples, from which on the parameters are good enough to test the data."""
STRIDE = 4
"""Samples from one equation that is tested to the next; those between are much like them."""

ALIKE = 0.5
"""Windows after which noise is independent: about one over the sum of a kernel's squares."""
MOST_LEFT = 0.5
"""Part of the regressand's mean square that is left where springs and friction explain anything."""
SURELY = 2.0
"""Times the noise that encoders explain: what is beyond has another cause."""
LIKELY = 3.0
"""Standard deviations of chance, beyond which a lasting residual is reckoned with."""
COUNTED = 0.6
"""Part of the attenuation by noisy deflections that is reckoned with: the link's noise is in the torque
too, and takes back about half of it in mode "rotatum", little in mode "torque"."""
MOST_NOISE = 0.9
"""Part of the first regressor's power beyond which noise is not reckoned: the true stiffness may then be anything."""
PAPERS_OWN = 4.0 / sqrt(20.0)
"""Product of the differences (1, -3, 3, -1) and (0, 0, 1, -1) over the norm of the first: what the
jerk's noise and that of the speed share."""


def note_residual(s: EstimatorState, i: int, error: float) -> None:
    """Compare the newest residual, if there is one, with those of one and two kernels before."""
    line, m = s.residuals[i], s.memory[i]
    two = len(line)
    at = s.counts[core.SEEN] % two
    oldest = line[at]
    line[at] = error
    if isnan(error):
        return
    part = max(min(FADE / (m[core.COUNT] + 1.0), 1.0), 1.0 / LASTS)
    for k in range(core.LAGS):
        before = at - two // 2 - k * two // (2 * core.LAGS - 2)
        other = oldest if k == core.LAGS - 1 else line[before + two if before < 0 else before]
        if not isnan(other):
            s.lasting[i, k] += (error * other - s.lasting[i, k]) * part


def lasting(s: EstimatorState, o: Options, i: int, sure: float) -> float:
    """Mean square of what lasts of the residual, normalised.

    What chance would give `sure` standard deviations out is taken off.
    """
    m = s.memory[i]
    count = min(max(m[core.COUNT], 1.0) / FADE, LASTS)
    chance = sure * m[core.VARIANCE] * sqrt(min(o.window / count, 1.0))
    found = 0.0
    for k in range(core.LAGS):
        found = max(found, abs(s.lasting[i, k]))
    return min(max(found - chance, 0.0), m[core.VARIANCE])


def unaveraged(s: EstimatorState, o: Options, i: int) -> float:
    """The same, and all that encoders do not explain: for a deviation, rather too much.

    In fast motion what lasts may have no correlation at any of the distances looked at.
    """
    beyond = s.memory[i, core.VARIANCE] - SURELY * encoders_noise(s, o, i)
    return max(lasting(s, o, i, LIKELY), beyond, 0.0)


def lacking(s: EstimatorState, o: Options, i: int) -> float:
    """Mean square of the residual that the first terms lacked by the basis explain, normalised.

    They are tried beside the basis (`learning`). Noise that hides what lasts of the residual hides little of
    what is alike to one known function.
    """
    m, found = s.memory[i], 0.0
    for t in range(s.parameters.shape[1] + 1, s.trial.shape[1]):
        found += s.trial[i, t, -1] ** 2
    chance = LIKELY**2 * m[core.VARIANCE] * max(ALIKE * o.window / STRIDE, 1.0)
    if chance > 0.0:
        found *= min(max(found / chance - 1.0, 0.0), 1.0)
    return max(found / max(m[core.TRIED], 1.0), m[core.LACKED])


def explained(s: EstimatorState, o: Options, i: int) -> bool:
    """Whether springs and friction explain anything of the torque, or might: else this is no joint of this kind."""
    m = s.memory[i]
    return m[core.COUNT] < SETTLED * o.window or m[core.VARIANCE] < MOST_LEFT * m[core.POWER]


def encoders_noise(s: EstimatorState, o: Options, i: int) -> float:
    """Variance of the residual by the noise of the encoders, normalised."""
    m = s.memory[i]
    inertia = m[core.PUSHED] / m[core.MOVED] if m[core.MOVED] > 0.0 else 0.0  # squared
    sigma = s.out[core.SIGMA, i]
    stiff = sigma * sigma if sigma == sigma else 0.0
    total = o.momentum_noise * inertia * s.encoder[i] + o.rows_noise * stiff * _deflection(s, i)
    return total / s.scales[i, core.TAU] ** 2


def _deflection(s: EstimatorState, i: int) -> float:
    """Variance of the deflection by the noise of the encoders [rad^2]."""
    motor = 0.0
    for t in range(s.layout[i, core.COUNT_OF_TERMS]):
        motor = max(motor, s.encoder[len(s.layout) + s.terms[i, t, core.MOTOR]])
    return s.encoder[i] + motor


def attenuated(s: EstimatorState, o: Options, i: int, here: float, sigma: float) -> float:
    """Deviation of the stiffness by noise in the regressors, which averaging leaves in; normalised.

    With regressors of power S and noise of power N in them, K S + B over S + N is learned instead of
    K: section 4 of the stiffness estimation. That is K less N / (S + N) of it, or less N / S of what is
    learned. `here` is one over all samples' S + N; B, the noise that
    regressors and torque share, takes back about half of N where both are smoothed, and is all that
    counts in the paper's mode, whose residual it makes.
    """
    m = s.memory[i]
    count = m[core.COUNT] if o.memory == 1.0 else min(m[core.COUNT], 1.0 / (1.0 - o.memory**2))
    if o.mode == core.PAPER and o.smooth == 0:
        shared = PAPERS_OWN * sqrt(m[core.VARIANCE] * s.encoder[i]) / (o.dt * s.scales[i, core.PHI])
        return count * here * shared
    noise = count * o.rows_noise * _deflection(s, i) / s.scales[i, core.PHI] ** 2
    share = min(noise / s.info[i, 0, 0] ** 2, MOST_NOISE)
    return COUNTED * here * noise * abs(sigma) / (1.0 - share)
