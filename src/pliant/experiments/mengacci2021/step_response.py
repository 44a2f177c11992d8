"""Step responses of four compliant actuators, soft and stiff: Mengacci et al. 2021, Fig. 8.

One joint lifts 0.2 kg at 0.04 m against gravity, with ideal motors (operation mode 3).
"""

from dataclasses import dataclass
from math import cos
from pathlib import Path

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.trials import Motion
from pliant.engines.spec.joints import references
from pliant.experiments.support.benches import GRAVITY, Segment, Statics, driven, one_joint
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.extras import extra_module
from pliant.io.actuator_file import load_actuator
from pliant.robots.mode import with_mode

NAME = "step_response"
TITLE = "Step responses of four compliant actuators, soft and stiff (Mengacci 2021, Fig. 8)"

SOURCES = {
    "mass, length, step": "section 4.1",
    "own_inertia, damping": "assumed: the paper does not give the link",
    "elevation": "assumed: horizontal at q = 0",
    "duration": "assumed",
    "timestep": "assumed: as the ringing of the stiffest needs it",
    "coarse": "assumed: for comparison",
    "CASES": "section 4.1: stiffness of the series-elastic joints, pivot of AwAS-II, presets of BAVS and qbmove",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        mass, length: of the load [kg], [m], and step: of the equilibrium [rad], Fig. 8.
        own_inertia: of the link without the load [kg m^2].
        damping: of the joint [N m s/rad].
        elevation: of the link at q = 0 [rad].
        duration: [s]. timestep: [s], as the ringing of the stiffest needs it. coarse: [s]
            of a second run, for comparison.
    """

    mass: float = 0.2
    length: float = 0.04
    step: float = 0.8
    own_inertia: float = 0.002
    damping: float = 0.02
    elevation: float = 0.0
    duration: float = 8.0
    timestep: float = 1e-4
    coarse: float = 1e-3

    @property
    def inertia(self) -> float:
        """About the joint [kg m^2]."""
        return self.own_inertia + self.mass * self.length**2


@dataclass(frozen=True)
class Case:
    """One actuator at one stiffness."""

    device: str
    which: str
    actuator: str
    preset: float
    paper: str


CASES = (
    Case("Walkman SEA", "soft", "sea_walkman_200", 0.0, "–"),
    Case("Walkman SEA", "stiff", "sea_walkman_400", 0.0, "–"),
    Case("AwAS-II", "soft", "awas_ii", 0.005, "sags visibly"),
    Case("AwAS-II", "stiff", "awas_ii", 0.04, "no visible sag"),
    Case("BAVS", "soft", "bavs", 0.001, "–"),
    Case("BAVS", "stiff", "bavs", 0.22, "–"),
    Case("qbmove Advanced", "soft", "qbmove_advanced_equal", 0.2, "sags visibly"),
    Case("qbmove Advanced", "stiff", "qbmove_advanced_equal", 0.6, "no visible sag"),
)


def run(settings: Settings | None, folder: Path) -> Outcome:
    """All eight step responses, against an integrator and the static balance."""
    settings = settings or Settings()
    rows: list[Row] = []
    figure, axes = new_figure(4, 2, width=10.0, height=10.0)
    panels = dict(zip(dict.fromkeys(case.device for case in CASES), axes, strict=True))
    worst = 0.0
    for case in CASES:
        actuator = load_actuator(case.actuator)
        motion = step(actuator, case.preset, settings, settings.timestep)
        q, rest = motion.position("joint"), balance(actuator, case.preset, settings)
        worst = max(worst, abs(float(q[-1]) - rest))
        rows += _rows(case, actuator, q, rest, settings)
        for axis in panels[case.device]:
            axis.plot(motion.time, q, lw=1.0, label=case.which)
    rows.append(
        Row(
            "largest distance of a steady state from the root of the static balance",
            "–",
            f"{worst:.1e} rad",
            "bar 1e-4 rad; both sides use the same springs: it tests the engine, not the spring",
        )
    )
    for device, pair in panels.items():
        for axis, until in zip(pair, (0.2, 3.0), strict=True):  # the ringing, and the rest
            axis.axhline(settings.step, color="0.7", lw=0.8)
            axis.set(title=device, xlabel="time [s]", ylabel="q [rad]", xlim=(0.0, until))
        pair[1].legend()
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=NOTES)


def _rows(
    case: Case, actuator: Actuator, q: Floats, rest: float, settings: Settings
) -> tuple[Row, Row]:
    rough = step(actuator, case.preset, settings, settings.coarse).position("joint")
    exact = integrated(actuator, case.preset, settings)
    return (
        Row(
            f"{case.device}, {case.which}: sag below {settings.step:g} rad",
            case.paper,
            f"{1e3 * (settings.step - q[-1]):.2f} mrad",
            f"rests at {q[-1]:.6f} rad, balance {rest:.6f} rad",
        ),
        Row(
            f"{case.device}, {case.which}: first peak",
            "figure only",
            f"{q.max():.3f} rad",
            f"integrator {exact:.3f} rad; at {1e3 * settings.coarse:g} ms {rough.max():.3f} rad",
        ),
    )


def step(actuator: Actuator, preset: float, settings: Settings, timestep: float) -> Motion:
    """The joint after the command jumps from 0, with ideal motors."""
    load = Segment(
        mass=settings.mass,
        centre=settings.length,
        inertia=settings.inertia,
        length=settings.length,
    )
    spec = one_joint(load, timestep=timestep, damping=settings.damping, zero=settings.elevation)
    steps = round(settings.duration / timestep)
    given = preset if references(actuator) > 1 else None
    return driven(spec, {"joint": with_mode(actuator, 3)}, steps, {"joint": settings.step}, given)


def integrated(actuator: Actuator, preset: float, settings: Settings, until: float = 0.3) -> float:
    """The highest angle [rad] by scipy's integrator with tight tolerances on the same springs."""
    springs = Statics(actuator)
    weight = settings.mass * GRAVITY * settings.length

    def rates(t: float, y: Floats) -> list[float]:
        pull = springs.torque(settings.step, preset, float(y[0]))
        load = weight * cos(y[0] + settings.elevation) + settings.damping * y[1]
        return [y[1], (pull - load) / settings.inertia]

    def speed(t: float, y: Floats) -> float:
        return y[1]

    integrate = extra_module("scipy.integrate", "identify")
    run = integrate.solve_ivp(
        rates, (0.0, until), [0.0, 0.0], "DOP853", events=speed, rtol=1e-9, atol=1e-11
    )
    return float(run.y_events[0][:, 0].max())


def balance(actuator: Actuator, preset: float, settings: Settings) -> float:
    """Angle [rad] at which the spring's torque equals that of the load's weight."""
    weight = settings.mass * GRAVITY * settings.length
    return Statics(actuator).rest(
        settings.step, preset, lambda q: -weight * cos(q + settings.elevation)
    )


NOTES = (
    "Given by the paper: 0.2 kg at 0.04 m, a step of 0.8 rad, operation mode 3, and the soft and stiff "
    "settings: SEA 200 and 400 N m/rad, AwAS-II 0.005 and 0.04 m, BAVS 0.001 and 0.22 rad, qbmove "
    "0.2 and 0.6 rad (Fig. 8).",
    "Assumed: inertia of the link 0.002 kg m^2 in addition to the load's, joint damping 0.02 N m s/rad, "
    "horizontal at q = 0. The paper states none of them.",
    "AwAS-II reaches 3556 N m/rad, which on 0.0023 kg m^2 is too stiff for a step of 1 ms: there its "
    "joint moves with the spring in sub-steps that damp its ringing. The simulation takes 0.1 ms. "
    "The steady state is not affected.",
    "The integrator is scipy's DOP853; it shares the springs' law with the simulation, and nothing "
    "else. The tests hold both against the springs written out again.",
    "The qbmove is the toolbox's default, two equal springs of 0.0019 N m and 9 1/rad.",
)
