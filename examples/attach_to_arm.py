"""Give the joints of an arm the servos that they have in reality, and step it."""

from pathlib import Path

import mujoco

import pliant

SERVOS = {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6", "wrist": "xl330_bam_m6"}


def main() -> None:
    spec = mujoco.MjSpec.from_file(str(Path(__file__).with_name("arm.xml")))
    print(pliant.attach(spec, SERVOS))
    model = spec.compile()
    data = mujoco.MjData(model)
    for joint in SERVOS:
        data.actuator(joint).ctrl[0] = 0.6  # goal position [rad]
    while data.time < 2.0:
        mujoco.mj_step(model, data)
    for joint in SERVOS:
        print(f"{joint}: {data.joint(joint).qpos[0]:.3f} rad of 0.600, held by friction and gain")


if __name__ == "__main__":
    main()
