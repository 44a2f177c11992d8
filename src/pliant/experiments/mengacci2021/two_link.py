"""Two qbmove segments in a vertical or horizontal plane, for the experiments of Mengacci et al."""

from dataclasses import dataclass
from math import pi

import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import Motion, controls, played
from pliant.engines.spec.names import PRESET
from pliant.experiments.mengacci2021.springs import PLUGIN
from pliant.experiments.support.benches import DAMPING, FLANGE_AND_CUBE, FRICTION, chain
from pliant.io.actuator_file import load_actuator
from pliant.robots.mode import with_mode

JOINTS = ("shoulder", "elbow")


@dataclass(frozen=True, kw_only=True)
class Arm:
    """The arm, with what the paper leaves open.

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
        spec = chain(
            [FLANGE_AND_CUBE] * 2,
            list(JOINTS),
            timestep=timestep,
            friction=self.friction,
            damping=self.damping + damping,
            gravity=self.gravity,
            zero=-0.5 * pi,
            tip_mass=self.tip_mass,
        )
        # Else friction yields under a steady load: a soft elbow that sticks would creep by 70 mrad in 10 s.
        spec.option.noslip_iterations = 5
        units = [with_mode(load_actuator(name), self.mode) for name in self.actuators]
        attached = attach(spec, dict(zip(JOINTS, units, strict=True)))
        model = spec.compile()
        given: dict[str, Floats | float] = dict.fromkeys(JOINTS, goal)
        given |= {f"{joint}{PRESET}": preset for joint in JOINTS}
        return played(model, controls(model, len(goal), given), attached=attached)


def equilibria(motion: Motion) -> Floats:
    """(T, 2) Means of each joint's motors [rad]: what the paper draws as the link's equilibrium."""
    pairs = [[motion.state(joint, f"rotor_{n}.theta") for n in (1, 2)] for joint in JOINTS]
    return np.mean(pairs, axis=1).T
