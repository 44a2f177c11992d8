"""Compliant joints: their cost in MuJoCo, the energy each engine loses, the stiffest spring."""

import mujoco
import numpy as np
from attach_cost import arm, ratio, run

import pliant
from pliant.assemble import with_laws
from pliant.catalogue import ports
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.engines.joint.simulate import simulate

QBMOVE = "qbmove_advanced_alterego"
LINK = 0.01
"""[kg m^2]"""


def chain(joints: int) -> mujoco.MjSpec:
    """The arm of `attach_cost` with the mass of a qbmove segment."""
    spec = arm(joints)
    spec.option.timestep = 1e-3
    for geom in spec.geoms:
        geom.mass = 0.54
    return spec


def native(joints: int) -> mujoco.MjModel:
    """The same arm with MuJoCo's position actuators, of the qbmove's stiffness at preset 0.2."""
    spec = chain(joints)
    for k in range(joints):
        added = spec.add_actuator(
            name=f"j{k}",
            target=f"j{k}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        )
        added.gainprm[0], added.biasprm[1], added.biasprm[2] = 2.0, -2.0, -0.02
    return spec.compile()


def free(name: str) -> pliant.Actuator:
    """The device without controller, friction and losses."""
    actuator = pliant.load_actuator(name)
    new = {"control": "direct_torque", "motor": "ideal_torque", "friction_state": "none"}
    families = ports(actuator.topology)
    actuator = with_laws(actuator, {p: new[f] for p, f in families.items() if f in new})
    lossless = {n: 0.0 for n in actuator.fields if n.endswith((".D", ".d"))}
    return actuator.with_values(lossless, "benchmark", "assumed")


def drift(name: str, step: float) -> float:
    """Largest change of the energy in 3 s of the joint engine, as a part of what swings."""
    actuator = free(name)
    engine = JointEngine(actuator, plant="inertia", settings=JointSettings(max_step=step))
    time = np.arange(0.0, 3.0, 1e-2)
    trace = simulate(engine, time, 0.0, 0.0, start=(0.0, 2.0), changes={"plant.inertia": LINK})
    kinetic = 0.5 * LINK * trace.velocity**2
    for port, law in actuator.laws.items():
        if law.kind == "rotor":
            kinetic = (
                kinetic + 0.5 * actuator.value(f"{port}.J") * trace.state[f"{port}.omega"] ** 2
            )
    energy = kinetic + trace.energy
    return float(np.abs(energy - energy[0]).max() / (0.5 * LINK * 4.0))


def worst_case(timestep: float) -> tuple[str, float]:
    """AwAS-II at its stiffest on a point mass: sub-steps, and how far from the goal it rests."""
    inertia = 3.2e-4
    spec = mujoco.MjSpec.from_string(
        f"""<mujoco><option timestep="{timestep}" gravity="0 0 0"/><worldbody><body>
        <inertial pos="0 0 0" mass=".1" diaginertia="{inertia} {inertia} {inertia}"/>
        <joint name="a" axis="0 0 1"/></body></worldbody></mujoco>"""
    )
    said = pliant.attach(spec, {"a": "awas_ii"})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.8, 0.04
    mujoco.mj_step(model, data, nstep=round(3.0 / timestep))
    return str(said.joints[0].steps.substeps), float(abs(data.qpos[0] - 0.8))


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    spec = chain(20)
    pliant.attach(spec, {f"j{k}": QBMOVE for k in range(20)})
    ours, theirs = spec.compile(), native(20)
    cost = ratio(lambda: run(ours), lambda: run(theirs))
    out = [("mj_step, 20 qbmoves in mode 6 / position actuators", f"{cost:.3f}", "<= 1.5")]
    for name in ("sea_walkman_400", "qbmove_maker_pro", "bavs"):
        found = ", ".join(f"{drift(name, h):.1e}" for h in (1e-3, 1e-4, 1e-5))
        out.append(
            (f"{name}: energy drift in 3 s, joint engine at 1, 0.1, 0.01 ms", found, "stated")
        )
    for h in (1e-3, 5e-3):
        substeps, off = worst_case(h)
        out.append(
            (
                f"AwAS-II, stiff, point mass, {1e3 * h:g} ms: {substeps} sub-steps, off goal",
                f"{off:.1e} rad",
                "stable",
            )
        )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
