"""Every callback a few times on models small enough for valgrind."""

import mujoco

import pliant

WHEEL = '<body><joint name="{0}" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/></body>'
WRITTEN = (
    '<mujoco><extension><plugin plugin="pliant.xl330_bam_m6"/></extension><worldbody>'
    f"{WHEEL.format('a')}</worldbody><actuator>"
    '<plugin name="a" joint="a" plugin="pliant.xl330_bam_m6"/></actuator></mujoco>'
)
STEPS = 5


def attached(*actuators: str) -> mujoco.MjModel:
    """Wheels on one axis each, driven by these."""
    bodies = "".join(WHEEL.format(f"j{k}") for k in range(len(actuators)))
    spec = mujoco.MjSpec.from_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
    pliant.attach(spec, {f"j{k}": name for k, name in enumerate(actuators)})
    return spec.compile()


def moved(model: mujoco.MjModel, data: mujoco.MjData) -> None:
    """Some steps, a reset, and some more."""
    for _ in range(2):
        data.ctrl[:] = 0.3
        mujoco.mj_step(model, data, nstep=STEPS)
        mujoco.mj_resetData(model, data)


def main() -> None:
    """Run all models."""
    servos = attached("xl330_bam_m6"), attached("xl330_bam_m6", "qbmove_maker_pro")
    for model in (*servos, mujoco.MjModel.from_xml_string(WRITTEN)):
        moved(model, mujoco.MjData(model))
    print("moved")


if __name__ == "__main__":
    main()
