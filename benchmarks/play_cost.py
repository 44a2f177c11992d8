"""Cost of play in `mj_step`: as a law of the actuator, and as in MuJoCo's manual, by a second hinge with limits.

Three arms alike (`attach_cost.arm`): position actuators without play; the same with a second hinge in each joint,
free within the gap; attached servos with play as a law, and with their friction, firmware and delay.
"""

import mujoco
from attach_cost import arm, attached, native, ratio, run

import pliant
from pliant.assemble import with_backlash

SERVO = "xl330_bam_m4"
GAP, TEETH, DAMPING = 0.01, 50.0, 0.05
"""[rad, N m/rad, N m s/rad] Assumed: of the order that a servo of this size shows."""
STEP = 0.001
"""[s] At 2 ms the longest of these chains of light links is not stable with such teeth."""
BEHIND = 0.05
"""Part of the motor's inertia that the second hinge has, so that the mass matrix is never singular."""


def two_hinges(joints: int) -> mujoco.MjModel:
    """Position actuators on hinges, behind each a hinge that turns freely within the gap."""
    servo = pliant.load_actuator(SERVO)
    inertia = servo.value("own.armature")
    k_t, resistance = servo.value("motor.k_t"), servo.value("motor.R")
    kp = servo.value("control.gain") * servo.value("control.kp") * servo.value("own.voltage")
    spec = arm(joints, "implicitfast", STEP)
    for k in range(joints):
        motor = spec.joint(f"j{k}")
        motor.damping[0], motor.frictionloss, motor.armature = k_t**2 / resistance, 0.02, inertia
        play = motor.parent.add_joint(name=f"p{k}", type=motor.type, axis=motor.axis)
        play.range, play.limited, play.armature = [-GAP / 2, GAP / 2], True, BEHIND * inertia
        added = spec.add_actuator(
            name=f"j{k}",
            target=f"j{k}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        )
        stiffness = kp * k_t / resistance
        added.gainprm[0], added.biasprm[1] = stiffness, -stiffness
    return spec.compile()


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    for joints in (1, 6, 20, 30):
        loose = with_backlash(
            pliant.load_actuator(SERVO),
            gap=GAP,
            stiffness=TEETH,
            damping=DAMPING,
            encoder="motor",
            source="benchmark",
            how="assumed",
        )
        plain = native(joints, "implicitfast", SERVO, STEP)
        for what, model in (
            ("two hinges", two_hinges(joints)),
            ("attached, without play", attached(joints, "implicitfast", SERVO, STEP)),
            ("attached, play as a law", attached(joints, "implicitfast", loose, STEP)),
        ):
            cost = ratio(lambda a=model: run(a), lambda b=plain: run(b))
            out.append(
                (f"mj_step, {joints} joints: {what} / position actuators", f"{cost:.2f}", "")
            )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
