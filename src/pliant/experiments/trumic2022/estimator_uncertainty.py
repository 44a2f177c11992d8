"""Effect of a wrong rigid-body model on the estimated stiffness of an arm of two qbmoves.

After Trumić et al. 2022, Fig. 3: inertia, mass, length and centre of mass wrong by 20 %, friction,
encoders with steps of 2e-4 rad.
"""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.estimate.dynamics_mujoco import MujocoDynamics
from pliant.estimate.estimator import Estimate, StiffnessEstimator
from pliant.experiments.support.compliant_truth import Truth, encoder_log
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.experiments.trumic2022 import panels
from pliant.experiments.trumic2022.two_link_truth import (
    ARM,
    JOINT,
    Friction,
    TwoLink,
    TwoLinkMotion,
    moved,
    paper_motion,
    simulate,
)

NAME = "estimator_uncertainty"
TITLE = "Stiffness of two qbmoves with masses, lengths and inertias wrong by 20 %"

SOURCES = {
    "courses": "section IV-C, and a variant",
    "draws, seed": "assumed",
    "motion.moving, motion.duration, motion.amplitude, motion.omega, motion.preset, motion.learning, motion.contracting, motion.preset_omega, motion.hold": "assumed: of the random variant, and the presets of both",
    "motion.dt": "assumed: as in the experiments of section V, T = 5 ms",
    "wrong": "section IV-C",
    "quantum": "Fig. 3",
    "friction.coulomb, friction.viscous": "Fig. 3: mu_s = mu_v = 0.2, read as N m and N m s/rad",
    "friction.presliding": "assumed",
    "scored_from": "assumed",
}

KINDS = {"mass": "mass", "centre": "centre of mass", "length": "length", "inertia": "inertia"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        courses: of the motors: "paper", one slow sinusoid, pi/6 rad/s, for each equilibrium (Fig. 3;
            its amplitudes are assumed); "random", draws of two sinusoids.
        draws: random motions of the arm. seed: "held-out", or "development".
        motion: of the motors. wrong: by what part the model is. quantum: encoder step [rad].
        friction: of the links; the paper's mu_s = mu_v = 0.2, read as N m and N m s/rad.
        scored_from: [s].
    """

    courses: tuple[Literal["paper", "random"], ...] = ("paper", "random")
    draws: int = 2
    seed: Literal["held-out", "development"] = "held-out"
    motion: TwoLinkMotion = field(default_factory=lambda: TwoLinkMotion(moving=1e3, duration=45.0))
    wrong: float = 0.2
    quantum: float = 2e-4
    friction: Friction = field(
        default_factory=lambda: Friction(coulomb=0.2, presliding=100.0, viscous=0.2)
    )
    scored_from: float = 25.0


def models(wrong: float) -> dict[str, TwoLink]:
    """The true arm, and arms with one kind of number wrong, in each link and in both.

    An inertia 20 % smaller is left out: the paper's I = m l^2 is already the smallest for m at l.
    """
    arms = {"exact": ARM}
    for kind, words in KINDS.items():
        for factor in (1.0 - wrong, 1.0 + wrong):
            sign = f"{100.0 * (factor - 1.0):+.0f} %"
            for link, name in enumerate(("first link", "last link")):
                arms[f"{words} {sign}, {name}"] = ARM.scaled(kind, link, factor)
            both = ARM.scaled(kind, 0, factor).scaled(kind, 1, factor)
            arms[f"{words} {sign}, both links"] = both
    return {name: arm for name, arm in arms.items() if min(arm.inertia) > 0.0}


def estimate(settings: Settings, truth: Truth, arm: TwoLink) -> tuple[Estimate, list[str]]:
    """Online estimates with the model of `arm`, and the estimator's warnings."""
    made = StiffnessEstimator(MujocoDynamics(arm.model()), [JOINT, JOINT], settings.motion.dt)
    return panels.fitted(made, encoder_log(truth, settings.quantum))


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Every model on every motion."""
    chosen = settings or Settings()
    rows: list[Row] = []
    figures: list[Path] = []
    for course in chosen.courses:
        truths = _truths(course, chosen)
        drawn: dict[str, Floats] = {}
        over_time: dict[str, Floats] = {}
        for name, arm in models(chosen.wrong).items():
            row, errors = _judged(f"{course} motion: {name}", arm, truths, chosen)
            rows.append(row)
            drawn[name] = 100.0 * np.nanmean(np.concatenate(errors), axis=0)
            if "+" in name and name.endswith("both links"):
                over_time[name] = errors[0]
        for name, part in _alone(chosen).items():
            row, errors = _judged(f"{course} motion: {name}", ARM, _truths(course, part), part)
            rows.append(row)
            over_time[name] = errors[0]
        figures += [_figure(drawn, course, folder), _panels(over_time, course, chosen, folder)]
    return Outcome(rows=rows, figures=figures, notes=_notes(chosen))


def _alone(settings: Settings) -> dict[str, Settings]:
    """Friction alone and encoder steps alone, with the exact arm."""
    smooth = replace(settings.friction, coulomb=0.0, viscous=0.0)
    return {
        "exact, friction alone": replace(settings, quantum=0.0),
        "exact, encoder steps alone": replace(settings, friction=smooth),
    }


def _truths(course: str, settings: Settings) -> list[Truth]:
    motion, friction = settings.motion, settings.friction
    if course == "paper":
        return [moved(motion, friction, paper_motion(motion))]
    return [simulate(motion, friction, settings.seed, k) for k in range(settings.draws)]


def _judged(
    what: str, arm: TwoLink, truths: list[Truth], settings: Settings
) -> tuple[Row, list[Floats]]:
    """The row of one model, and (T, 2) relative errors of both joints in each motion."""
    first = round(settings.scored_from / settings.motion.dt)
    errors: list[Floats] = []
    z: list[float] = []
    told: set[str] = set()
    for truth in truths:
        found, words = estimate(settings, truth, arm)
        ratio = found.sigma[first:] / truth.sigma[first:] - 1.0
        errors.append(ratio)
        deviation = found.sigma_std[first:] / truth.sigma[first:]
        z.append(float(np.sqrt(np.nanmean((ratio / deviation) ** 2))))
        told |= {_short(text) for text in words}
    mean = 100.0 * np.nanmean(np.concatenate(errors), axis=0)
    here = f"mean error {mean[0]:+.2f} % shoulder, {mean[1]:+.2f} % elbow"
    note = f"up to {max(z):.2g} standard deviations; warned: {', '.join(sorted(told)) or 'nothing'}"
    return Row(what, "", here, note), errors


def _short(text: str) -> str:
    """Short name of a warning."""
    joint, _, words = text.partition(": ")
    kinds = {
        "no spring": "misfit",
        "leverage": "leverage",
        "friction": "negative friction",
        "the stiffness": "negative stiffness",
        "the motor": "skew, or the model",
    }
    return next((f"{joint} {k}" for start, k in kinds.items() if words.startswith(start)), words)


def _notes(settings: Settings) -> list[str]:
    f = settings.friction
    return [
        "Given by the paper: the motion at pi/6 rad/s, 20 %, both frictions, the encoders (Fig. 3), the links of its "
        "set-up A (section V-B). The springs' preset and the amplitudes are assumed.",
        f"Random motion: {settings.draws} {settings.seed} draws. All are of {settings.motion.duration:g} s, scored from "
        f"{settings.scored_from:g} s; friction: Coulomb {f.coulomb} N m with presliding, viscous "
        f"{f.viscous} N m s/rad; encoder steps {settings.quantum:g} rad.",
        "The exact model is warned of too, for a skew: friction that yields before it slides is none of the "
        "estimator's terms.",
        "Errors of scale pass straight through: with all masses 20 % too high the stiffness is "
        "20 % too high, the residual as small as with the exact model, and nothing in the data can "
        "tell. The standard deviation covers noise only, as the number of deviations shows. "
        "`pliant stiffness` says for each recording what such errors would do.",
        "Inertia hardly matters to a vertical arm at these speeds; for a horizontal one it does.",
    ]


def _figure(drawn: dict[str, Floats], course: str, folder: Path) -> Path:
    figure, ax = new_figure(width=8.0, height=7.0)
    places = np.arange(len(drawn))
    values = np.array(list(drawn.values()))
    for joint, name in enumerate(("shoulder", "elbow")):
        ax.barh(places + 0.2 - 0.4 * joint, values[:, joint], height=0.4, label=name)
    ax.set_yticks(places, list(drawn))
    ax.set(xlabel="mean error of the stiffness [%]", title=f"{course} motion")
    ax.invert_yaxis()
    ax.legend()
    return save_figure(figure, folder, f"model_errors_{course}")


def _panels(errors: dict[str, Floats], course: str, settings: Settings, folder: Path) -> Path:
    """Relative errors over time, a panel for each cause, as in Fig. 3."""
    figure, axes = new_figure(2, 3, width=11.0, height=5.5)
    for ax, (name, error) in zip(axes.ravel(), errors.items(), strict=False):
        time = settings.scored_from + settings.motion.dt * np.arange(len(error))
        for joint, colour in enumerate(("k", "r")):
            percent = 100.0 * np.abs(error[:, joint])
            ax.plot(time, percent, colour, lw=0.8, label=f"joint {joint + 1}")
        ax.set(title=name, xlabel="time [s]", ylabel="relative error [%]")
        ax.set_ylim(bottom=0.0)
    axes[0, 0].legend(fontsize=8)
    return save_figure(figure, folder, f"errors_over_time_{course}")
