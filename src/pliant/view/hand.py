"""A load in a robot's hand: a point mass at the centre of mass of its last body."""

import mujoco
import numpy as np

__all__ = ["MOST", "hand_of", "set_load"]

MOST = 2.0
"""Heaviest load, as a multiple of the mass that the joints carry."""


def hand_of(model: mujoco.MjModel, joints: tuple[str, ...]) -> tuple[int, float]:
    """The last body behind the joints, and the heaviest load [kg] for it.

    The last body is the one with the most bodies between it and the first joint; of several, the
    heaviest.
    """
    first = int(model.joint(joints[0]).bodyid[0])
    depth = {first: 0}
    for body in range(first + 1, model.nbody):
        parent = int(model.body_parentid[body])
        if parent in depth:
            depth[body] = depth[parent] + 1
    hand = max(depth, key=lambda body: (depth[body], float(model.body_mass[body])))
    return hand, MOST * float(np.sum(model.body_mass[list(depth)]))


def set_load(model: mujoco.MjModel, hand: int, own: float, mass: float) -> None:
    """Give the hand, whose own mass is `own` [kg], a load [kg]."""
    model.body_mass[hand] = own + mass
    mujoco.mj_setConst(model, mujoco.MjData(model))  # of other data: it writes the first pose there
