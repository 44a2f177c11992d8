"""Record of the settings that `attach` made on each joint, as data and as text."""

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.assemble import Actuator
from pliant.engines.spec.formers import Former
from pliant.engines.spec.joint_numbers import Numbers
from pliant.engines.spec.messages import Caution, worded
from pliant.engines.spec.randomise import Draws, randomise
from pliant.engines.spec.readings import Readings, Simulations
from pliant.engines.spec.steps import Steps
from pliant.engines.spec.sticking import Sticking
from pliant.errors import check_known
from pliant.words import counted


@dataclass(frozen=True)
class Attached(Readings):
    """One joint and its actuator; also reads the actuator's state and torques."""

    joint: str
    """Name of the joint in the model."""
    name: str
    """Name in the model: the joint's, or that of the actuator it replaced."""
    actuator: Actuator
    """Laws and numbers of what was attached."""
    replaced: Numbers
    """Armature, damping and friction of the model's joint that were replaced by the actuator's."""
    steps: Steps
    """Its demands on the timestep."""
    kept: Numbers = ()
    """Those that the joint keeps in addition to the actuator's."""
    formers: tuple[Former, ...] = ()
    """Actuators of the model that it replaced; it has the name and place of the first."""
    command_range: tuple[float, float] | None = None
    """Limits of the command that MuJoCo applies, in the device's unit; None: no limits."""
    force_range: tuple[float, float] | None = None
    """[N m] Limits of the torque that MuJoCo applies; None: no limits."""
    gear: float = 1.0
    """[rad/rad, rad/m] Radians of the actuator for one of the joint, without sign."""

    def __repr__(self) -> str:
        return f"<Attached {self.joint}: {self.actuator.name}>"

    def __str__(self) -> str:
        text = f"{self.joint}: {self.actuator.name} ({self.actuator.title})"
        if self.formers:
            text += f"; in the place of {' and '.join(map(str, self.formers))}"
        if self.replaced:
            text += f"; replaces the joint's {', '.join(map(str, self.replaced))}"
        if self.kept:
            text += f"; the joint keeps its {', '.join(map(str, self.kept))}"
        if self.gear != 1.0:
            text += (
                f"; goals, limits and motor angles are in turns of the actuator, {self.gear:.4g} per turn of the"
                " joint; torques that are read are the joint's"
            )
        if self.command_range is not None:
            text += "; commands {:g} to {:g}".format(*self.command_range)
        if self.force_range is not None:
            text += "; torque {:g} to {:g} N m".format(*self.force_range)
        if self.steps.mobility > 0.0:
            text += (
                "; if its spring is too stiff for the timestep, the joint moves in sub-steps too"
            )
        if self.steps.substeps > 1:
            text += f"; {self.steps.substeps} sub-steps of the actuator in each step"
        return text


@dataclass(frozen=True)
class Attachment:
    """Record of the settings that `attach` made; `str()` describes them.

    Attributes:
        joints: each joint and its actuator. sticking: settings for friction that holds.
        warnings: settings of this model that conflict with them, with kind, joint and numbers,
            including those of `sticking`; `attach` also issues them as `PliantWarning`.
        notes: parts of the model that were left out.
    """

    joints: tuple[Attached, ...]
    sticking: Sticking | None
    warnings: tuple[Caution, ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, joint: str) -> Attached:
        """Entry of a joint: what was attached to it.

        Raises:
            PliantError: nothing was attached to this joint.
        """
        entries = {entry.joint: entry for entry in self.joints}
        check_known(joint, entries, "nothing was attached to this joint")
        return entries[joint]

    def __repr__(self) -> str:
        return f"<Attachment: {counted(len(self.joints), 'joint')}; str() lists the settings>"

    def randomise(
        self,
        batch_or_model: "mujoco.MjModel | Simulations",
        draws: Draws | None = None,
        *,
        seed: "int | np.random.Generator | None" = None,
        spread: float = 1.0,
    ) -> dict[str, NDArray[np.intp]]:
        """Give each simulation its own actuators, each with one of the sets of numbers drawn.

        Quantities that depend on a number are updated too: armature and frictionloss of the joint,
        sub-steps, slip. Numbers of the bench (`plant.…`) are ignored. Other joints' armatures are
        taken as attached when sub-steps are chosen.

        Args:
            batch_or_model: an `mjModel`, or a `mujoco.batch.Batch` of n simulations, compiled after
                `attach`.
            draws: joint to parameter to its (K,) values in SI units, where row k of all of them is one
                set; or to the CSV file that `pliant identify --plan draws=FILE` writes. None: the sets in the
                actuators themselves (`Actuator.ensemble`), for those that have them, with delays up
                to the attached one.
            seed: random seed of the choice of rows.
            spread: factor on the distance of each number from the attached one, limited to the bounds in
                its actuator's file (without any, to the range of its law); delays are limited to the
                attached one. The draws from `identify` cover about half of unseen data; it reports the
                factor that covers 90 %.

        Returns:
            Joint to the (n,) rows used; one row for an `mjModel`.

        Raises:
            PliantError: no such joint or parameter, columns of different length, a value outside its
                law's range, a command delay longer than the attached one, or a spring too stiff for
                the timestep.
        """
        return randomise(self.joints, batch_or_model, draws, seed, spread)

    def column(self, joint: str, parameter: str) -> int:
        """The column of `actuator_user` that holds `parameter` ("friction.K_c") on `joint`.

        Raises:
            PliantError: nothing was attached to this joint, or its actuator has no such parameter.
        """
        actuator = self[joint].actuator
        actuator.check_names([parameter])
        return list(actuator.fields).index(parameter)

    def __str__(self) -> str:
        lines = [str(joint) for joint in self.joints]
        if self.sticking is not None:
            lines.append(self.sticking.reason)
        return "\n".join([*lines, *self.notes, *(f"warning: {x}" for x in worded(self.warnings))])
