"""The stiffness estimator running alongside a MuJoCo simulation.

    attachment = pliant.attach(spec, {"elbow": "qbmove_maker_pro"})     # and model = spec.compile()
    live = LiveStiffness.of_actuators(model, attachment, load_dynamics("arm.xml"))
    live.update(data).sigma                                             # after each mj_step

The estimator gets what encoders would measure: positions of links and motors, every `period`. An
actuator of Pliant turns its motor before the engine moves the link, so the spring acts on positions
of the two that are one sub-step apart; these positions are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.readings import actuator_on, ratio_in
from pliant.engines.spec.slots import AGE, STATE
from pliant.errors import PliantError, check_known
from pliant.estimate.dynamics import Dynamics
from pliant.estimate.estimator import Estimate, StiffnessEstimator
from pliant.estimate.settings import EstimatorSettings, Joint, Mode
from pliant.io.encoder_file import KINDS, MOTORS, Kind

PERIOD = 0.005
"""[s] Between two samples."""
_COUNTS: dict[int, Kind] = {1: "sea", 2: "avsa"}


@dataclass(frozen=True)
class _Motor:
    """Source of a motor's position: an index in `act` or `qpos`, and the gear to divide by."""

    in_act: bool
    place: int
    gear: float = 1.0


@dataclass(frozen=True)
class _Encoders:
    """Places of the encoders in a model, and the times of its motors' positions."""

    motors: tuple[_Motor, ...]
    ages: tuple[int, ...]
    """Indices in `act` that are 0 until the actuator has run."""
    ahead: tuple[float, ...]
    """[s] For each link: how much older its motors' positions are."""


class LiveStiffness:
    """Stiffness estimator that reads the encoders of a running simulation.

    Attributes:
        estimator: the `StiffnessEstimator` itself, to freeze, reset or save.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        dynamics: Dynamics,
        joints: Sequence[Joint],
        encoders: _Encoders,
        period: float,
        mode: Mode,
        settings: EstimatorSettings | None,
    ) -> None:
        self._step = float(model.opt.timestep)
        self._every = round(period / self._step)
        if self._every < 1 or abs(self._every * self._step - period) > 1e-6 * period:
            raise PliantError(
                "is not a multiple of the model's timestep",
                field="period",
                found=period,
                accepted=f"multiples of {self._step:g} s",
            )
        self.estimator = StiffnessEstimator(
            dynamics, joints, self._every * self._step, mode=mode, settings=settings
        )
        self._links = [int(model.joint(name).qposadr[0]) for name in dynamics.names]
        self._dofs = [int(model.joint(name).dofadr[0]) for name in dynamics.names]
        self._motors, self._ages = encoders.motors, encoders.ages
        self._ahead = np.array(encoders.ahead)
        self._last: int | None = None
        self._estimate: Estimate | None = None

    @classmethod
    def of_actuators(
        cls,
        model: mujoco.MjModel,
        attachment: Attachment,
        dynamics: Dynamics,
        *,
        joints: Mapping[str, Joint] | None = None,
        period: float = PERIOD,
        mode: Mode = "torque",
        settings: EstimatorSettings | None = None,
    ) -> "LiveStiffness":
        """Estimator for joints with compliant actuators of Pliant.

        Args:
            model: that runs.
            attachment: what `pliant.attach` returned.
            dynamics: of the links, whose joints all have such an actuator.
            joints: joint to the estimator's assumptions on it, instead of the kind's defaults.
            period: [s] between samples, a number of timesteps.
            mode, settings: of the estimator.

        Raises:
            PliantError: a joint has no compliant actuator, or the period is no number of timesteps.
        """
        attached = {entry.joint: entry.actuator for entry in attachment.joints}
        steps = {entry.joint: entry.steps.substeps for entry in attachment.joints}
        found: list[Joint] = []
        motors: list[_Motor] = []
        ages: list[int] = []
        ahead: list[float] = []
        for name in dynamics.names:
            check_known(name, attached, "no actuator was attached to this joint")
            kind = _kind(name, attached[name])
            found.append((joints or {}).get(name, Joint(kind=kind)))
            number = actuator_on(model, name)
            first = int(model.actuator_actadr[number])
            gear = ratio_in(model, number)
            ages.append(first + AGE)
            ahead.append(float(model.opt.timestep) / steps[name])
            state = attached[name].state
            thetas = [k for k, one in enumerate(state) if one.endswith(".theta")]
            for motor, k in zip(MOTORS[kind], thetas, strict=True):
                motors.append(_Motor(True, first + STATE + k, 1.0 if motor == "adjuster" else gear))
        encoders = _Encoders(tuple(motors), tuple(ages), tuple(ahead))
        return cls(model, dynamics, found, encoders, period, mode, settings)

    @classmethod
    def of_joints(
        cls,
        model: mujoco.MjModel,
        motors: Mapping[str, str | Sequence[str]],
        dynamics: Dynamics,
        *,
        joints: Mapping[str, Joint] | None = None,
        period: float = PERIOD,
        mode: Mode = "torque",
        settings: EstimatorSettings | None = None,
    ) -> "LiveStiffness":
        """Estimator for a model whose motors are joints of their own.

        Args:
            model: that runs.
            motors: joint of a link to the joint of its motor, or of its two motors, whose
                positions are counted on the joint side of the gear.
            dynamics: of the links alone: `load_dynamics(path, joints=[...])`.
            joints, period, mode, settings: as for `of_actuators`.

        Raises:
            PliantError: a joint is not in the model or has no motor, or the period is no number of
                timesteps.
        """
        known = [model.joint(k).name for k in range(model.njnt)]
        found: list[Joint] = []
        places: list[_Motor] = []
        for name in dynamics.names:
            own = motors.get(name, ())
            names = [own] if isinstance(own, str) else list(own)
            for one in (name, *names):
                check_known(one, known, "no such joint in the model")
            joint = (joints or {}).get(name)
            if joint is None and len(names) not in _COUNTS:
                raise PliantError(
                    "motor channel missing",
                    field=f"joint {name}",
                    found=names,
                    accepted="one motor, or two",
                )
            found.append(joint or Joint(kind=_COUNTS[len(names)]))
            if len(names) != len(found[-1].motors):
                raise PliantError(
                    "motor channel missing",
                    field=f"joint {name}",
                    found=names,
                    accepted=", ".join(found[-1].motors),
                )
            places += [_Motor(False, int(model.joint(one).qposadr[0])) for one in names]
        encoders = _Encoders(tuple(places), (), (0.0,) * len(found))
        return cls(model, dynamics, found, encoders, period, mode, settings)

    def update(self, data: mujoco.MjData) -> Estimate | None:
        """The newest estimate of `data`; call it after each step, it takes a sample when one is due.

        After a reset, or if steps were skipped, the window is refilled and everything learned is
        kept.

        Returns:
            None before the first sample.
        """
        now = round(float(data.time) / self._step)
        if now % self._every or now == self._last or any(data.act[k] == 0.0 for k in self._ages):
            return self._estimate
        if self._last is not None and now - self._last != self._every:
            self.estimator.interrupt()
        self._last = now
        theta = [
            float((data.act if motor.in_act else data.qpos)[motor.place]) / motor.gear
            for motor in self._motors
        ]
        q = data.qpos[self._links] - self._ahead * data.qvel[self._dofs]
        self._estimate = self.estimator.step(q, np.array(theta))
        return self._estimate


def _kind(name: str, actuator: Actuator) -> Kind:
    topology = actuator.topology.name
    if topology not in KINDS:
        raise PliantError(
            "has no spring to estimate",
            field=f"joint {name}",
            found=f"{actuator.name} ({topology})",
            accepted=KINDS,
        )
    return KINDS[topology]
