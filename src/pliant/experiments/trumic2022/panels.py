"""An estimate with its warnings, and panels of it over time, as in Figs. 2 and 6 to 8 of Trumić et al. 2022."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.estimate.estimator import Estimate, StiffnessEstimator, StiffnessWarning
from pliant.experiments.support.compliant_truth import Truth
from pliant.experiments.support.recipe import new_figure, save_figure
from pliant.io.encoder_file import EncoderLog


def fitted(estimator: StiffnessEstimator, log: EncoderLog) -> tuple[Estimate, list[str]]:
    """Online estimates of a fresh estimator, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StiffnessWarning)
        found = estimator.fit(log)
    return found, [str(one.message) for one in caught]


def learned(estimator: StiffnessEstimator, log: EncoderLog) -> Floats:
    """(N, n, p) Parameters that a fresh estimator has learned after each sample."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)
        steps = zip(log.q, log.theta, strict=True)
        return np.array([estimator.step(q, theta).parameters for q, theta in steps])


def save(
    names: Sequence[str], truth: Truth, found: Estimate, parameters: Floats, folder: Path, file: str
) -> Path:
    """The panels of all joints side by side, as `folder/file.png`."""
    figure, axes = new_figure(4, len(names), width=6.0 * len(names), height=9.0)
    for k, column in enumerate(np.reshape(axes, (4, len(names))).T):
        seen = (truth.q[:, k], parameters[:, k], found.sigma[:, k], truth.sigma[:, k])
        draw(list(column), names[k], truth.time, *seen)
    return save_figure(figure, folder, file)


def draw(
    column: Sequence[Any],
    title: str,
    time: Floats,
    q: Floats,
    learned: Floats,
    sigma: Floats,
    true: Floats,
) -> None:
    """Position, learned parameters, stiffness and relative error of one joint, in four panels.

    Args:
        column: four axes. time: (N,) [s]. q: (N,) [rad]. learned: (N, p). sigma, true: (N,) [N m/rad].
    """
    position, parameters, stiffness, error = column
    position.plot(time, q)
    position.set(title=title, ylabel="q [rad]")
    parameters.plot(time, learned, lw=0.8)
    parameters.set(ylabel="parameters learned [1]")
    stiffness.fill_between(time, 0.8 * true, 1.2 * true, alpha=0.2, label="± 20 %")
    stiffness.plot(time, sigma, lw=0.8, label="estimated")
    stiffness.plot(time, true, "--", lw=0.8, label="true")
    stiffness.set(ylabel="stiffness [N m/rad]", ylim=(0.0, 1.3 * float(true.max())))
    stiffness.legend(ncols=3, fontsize=8)
    apart = 100.0 * np.abs(sigma / true - 1.0)
    error.plot(time, apart, lw=0.8)
    late = apart[len(apart) // 4 :]
    top = float(np.nanmax(late)) if np.isfinite(late).any() else 100.0
    error.set(xlabel="time [s]", ylabel="relative error [%]", ylim=(0.0, 1.2 * top))
    for axis in column:
        axis.set_xlim(time[0], time[-1])
