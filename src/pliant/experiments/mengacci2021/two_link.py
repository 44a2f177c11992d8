"""Springs that the qbmove Advanced of Mengacci et al. may have had, and two such segments in a plane.

The paper uses one name for the device of Figs. 8 and 10 to 15 and prints springs only once, in section
4.3: those identified on the two-joint arm, whose two joints differ. For all others, section 3.3 refers to
the released plugin. No set reproduces every figure:

    Fig. 8 and 12    the plugin's defaults: the soft joint sags, the stiff arm rings and reaches its goal
    Fig. 11          not the defaults: 0.15 rad is 0.021 N m of spring against 0.025 N m of friction
    Fig. 13          every set: the stiff arm falls short by less
    Fig. 14          none: AlterEgo's push the box to its goal, the second identified pair is stopped; half of
                     AlterEgo's do both
    Fig. 15          the identified ones, as the paper says

So Figs. 8, 12 and 13 use the plugin's, Figs. 11 and 15 the identified ones; the tables of Figs. 11 to 14 also
show the others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import pi
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.trials import Motion
from pliant.experiments.support.benches import DAMPING, FLANGE_AND_CUBE, FRICTION, chain, driven
from pliant.io.actuator_file import load_actuator
from pliant.robots.mode import with_mode

SOURCES = {
    "PLUGIN": "section 3.3: the released plugin, its defaults",
    "SPRINGS": "section 3.3: the released plugin; section 4.3: identified; AlterEgo robot's description; the "
    "manufacturer's manual",
}

PLUGIN = ("qbmove_advanced_equal", "qbmove_advanced_equal")
"""Actuators of shoulder and elbow."""
SPRINGS: Mapping[str, tuple[str, str]] = {
    "the plugin's defaults": PLUGIN,
    "identified (section 4.3)": ("qbmove_ilc_joint_1", "qbmove_ilc_joint_2"),
    "AlterEgo's": ("qbmove_advanced_alterego", "qbmove_advanced_alterego"),
    "the manual's": ("qbmove_advanced", "qbmove_advanced"),
}
"""Origin of the springs to the actuators of shoulder and elbow."""


JOINTS = ("shoulder", "elbow")


@dataclass(frozen=True, kw_only=True)
class Arm:
    """The arm, with the choices that the paper leaves open.

    Attributes:
        actuators: of shoulder and elbow. mode: operation mode.
        gravity: hanging at q = 0 in a vertical plane, or in a horizontal one.
        damping: [N m s/rad] and friction [N m] of the joints. tip_mass: [kg].
    """

    actuators: tuple[str, str] = PLUGIN
    mode: int = 6
    gravity: bool = True
    damping: float = DAMPING
    friction: float = FRICTION
    tip_mass: float = 0.0

    def moved(self, goal: Floats, preset: float, timestep: float, damping: float = 0.0) -> Motion:
        """The motion after (T,) equilibria of both joints [rad]; `damping` is added to theirs."""
        spec = self.spec(timestep, damping)
        # Otherwise friction creeps under a steady load: a soft elbow that sticks would move by 70 mrad in 10 s.
        spec.option.noslip_iterations = 5
        return driven(spec, self.units(), len(goal), dict.fromkeys(JOINTS, goal), preset)

    def spec(self, timestep: float, damping: float = 0.0) -> mujoco.MjSpec:
        """Both segments and the tip, without actuators."""
        return chain(
            [FLANGE_AND_CUBE] * 2,
            list(JOINTS),
            timestep=timestep,
            friction=self.friction,
            damping=self.damping + damping,
            gravity=self.gravity,
            zero=-0.5 * pi,
            tip_mass=self.tip_mass,
        )

    def units(self) -> dict[str, Actuator]:
        """Joint to actuator, in its mode."""
        units = [with_mode(load_actuator(name), self.mode) for name in self.actuators]
        return dict(zip(JOINTS, units, strict=True))


def draw(axes: Iterable[Any], which: str, time: Floats, q: Floats, equilibrium: Floats) -> None:
    """Each joint's link and, dotted, its equilibrium [rad] over time [s], both (T, 2), on an axis of its own."""
    for k, axis in enumerate(axes):
        line = axis.plot(time, q[:, k], label=f"link, {which}")[0]
        told = {"color": line.get_color(), "ls": ":", "label": f"θ_eq, {which}"}
        axis.plot(time, equilibrium[:, k], **told)


def equilibria(motion: Motion) -> Floats:
    """(T, 2) Mean of each joint's motors [rad], which the paper plots as the link's equilibrium."""
    pairs = [[motion.state(joint, f"rotor_{n}.theta") for n in (1, 2)] for joint in JOINTS]
    return np.mean(pairs, axis=1).T
