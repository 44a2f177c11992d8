"""Torques of a series-elastic joint, and all signals of four joints of `centauro`: Kamedula et al. 2016, Figs. 8 and 9.

Positions and velocities of link and motor, torques of transmission and motor.
"""

from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion
from pliant.experiments.support.recipe import new_figure, save_figure

SHOWN = {
    "shoulder": "arm_left_shoulder_pitch",
    "elbow": "arm_left_elbow",
    "hip pitch": "leg_1_hip",
    "hip yaw": "leg_1_yaw",
}
"""The paper's name of a joint to the name here."""


def torques(motion: Motion, joint: str, goal: Floats) -> tuple[Floats, Floats]:
    """(T,) Torque of the transmission and of the motor [N m].

    k (theta - q) + d (omega - dq),   clip(k_p (goal - theta), +-limit)
    """
    assert motion.attached is not None
    units = {entry.joint: entry.actuator for entry in motion.attached.joints}
    k, d, kp, limit = (
        units[joint].value(name)
        for name in ("spring.k", "spring.d", "control.k_p", "control.limit")
    )
    theta, omega = (motion.state(joint, f"rotor.{name}") for name in ("theta", "omega"))
    transmission = k * (theta - motion.position(joint)) + d * (omega - motion.velocity(joint))
    return transmission, np.clip(kp * (goal - theta), -limit, limit)


def figure(motion: Motion, joints: list[str], goals: Floats, folder: Path, *, since: float) -> Path:
    """Three rows of signals from `since` [s] on, for each of the four joints that the robot has."""
    shown = {word: joint for word, joint in SHOWN.items() if joint in joints}
    drawing, axes = new_figure(3, max(len(shown), 1), width=14.0, height=8.0)
    columns = np.reshape(axes, (3, -1)).T
    begin = int(np.searchsorted(motion.time, since))
    every = slice(begin, None, 10)
    for column, (word, joint) in zip(columns, shown.items(), strict=False):
        goal = goals[:, joints.index(joint)]
        transmission, motor = torques(motion, joint, goal)
        pairs = (
            ("position [rad]", motion.position(joint), motion.state(joint, "rotor.theta")),
            ("velocity [rad/s]", motion.velocity(joint), motion.state(joint, "rotor.omega")),
            ("torque [N m]", transmission, motor),
        )
        for axis, (unit, one, two) in zip(column, pairs, strict=True):
            names = ("transmission", "motor") if unit.startswith("torque") else ("link", "motor")
            axis.plot(motion.time[every], one[every], label=names[0])
            axis.plot(motion.time[every], two[every], "--", label=names[1])
            axis.set(xlabel="time [s]", ylabel=unit)
            axis.legend(fontsize=8)
        column[0].plot(motion.time[every], goal[every], color="0.6", lw=0.8, label="reference")
        column[0].legend(fontsize=8)
        column[0].set_title(word)
    return save_figure(drawing, folder, "centauro_signals")
