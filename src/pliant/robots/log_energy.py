"""Energy of the actuator of a bench in recorded motions, as its simulation spends it; for tables and files.

    energy = energy_of_log("mx106_bam_m4", log)
    energy.drawn[0, 0], energy.copper_loss[0, 0], energy.friction[0, 0]     # [J]

    electrical = copper loss + mechanical,  mechanical = friction + gained by the load

Powers are taken at the samples of the log; friction of a servo is that of its joint.

Left out: electronics. Recorded current and voltage are not used.
"""

from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.engines.joint.simulate import simulate
from pliant.errors import PliantError
from pliant.identification.problem.evaluation import Evaluation
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.lower.law import lower_actuator
from pliant.robots.mode import motor_numbers
from pliant.robots.power import SPENT, Energy, energy_over, traced
from pliant.robots.robot_energies import SHOWN, Parts, parts_of, sum_of


def energy_of_log(
    actuator: Actuator | str | Path, log: Log, *, settings: JointSettings | None = None
) -> Energy:
    """The energies of one joint, (1, 2) and (1,), over a log simulated open loop.

    Args:
        actuator: with the numbers of its bench; or its name, or its file.
        log: the recording.
        settings: step, command convention and supply of the joint engine.

    Raises:
        PliantError: the topology does not say its powers, or an actuator with springs was off for a time.
    """
    engine = JointEngine(load_actuator(actuator), settings=settings)
    batch = LogBatch([log], engine)
    values = batch.applied(engine.values(), 0)
    if motor_numbers(engine.actuator):
        return _with_springs(engine, batch, values)
    return _of_servo(engine, batch, values)


def _with_springs(engine: JointEngine, batch: LogBatch, values: Floats) -> Energy:
    if not batch.on.all():
        raise PliantError(
            "the energy of springs is not known while their motors are off", file=batch.logs[0].path
        )
    changes = dict(zip(engine.names, values.tolist(), strict=True))
    first, speed = batch.first[0]
    trace = simulate(engine, batch.time, batch.goal, start=(first, speed), changes=changes)
    own = {name: changes[name] for name in engine.actuator.fields}
    actuator = engine.actuator.with_values(own, "log", "measured")
    return energy_over(trace.time, traced(actuator, trace))


def _of_servo(engine: JointEngine, batch: LogBatch, values: Floats) -> Energy:
    laws = lower_actuator(engine.actuator, "llvm", *SPENT)
    if "electrical_power" not in laws.columns:
        raise PliantError(
            "does not say its power", field=f"topology {engine.actuator.topology.name}"
        )
    run = engine.rollout(batch.logs[0], engine.values())
    v = np.gradient(run.position, batch.time)
    tau, friction = run.torque[:, 0], run.torque[:, 2]
    p = np.tile(values[: len(engine.actuator.fields)], (len(v), 1))
    cool = laws.evaluate("start", np.column_stack([np.zeros(len(v)), p]))
    heat = laws.evaluate("copper_loss", np.column_stack([cool, tau, p]))[:, 0]
    net = laws.evaluate("electrical_power", np.column_stack([cool, tau, v, p]))[:, 0]
    step = np.diff(batch.time)

    def integral(power: Floats) -> Floats:
        """(1, 2) [J] Of the one motor."""
        return np.array([[step @ (0.5 * (power[1:] + power[:-1])), np.nan]])

    return Energy(
        electrical=integral(net),
        drawn=integral(np.maximum(net, 0.0)),
        copper_loss=integral(heat),
        mechanical=integral(tau * v),
        friction=integral(-friction * v),
        damping=np.array([np.nan]),
        elastic=np.array([np.nan]),
        link=np.array([integral((tau + friction) * v)[0, 0]]),
    )


Energies = dict[str, Parts]
"""Log to its quantities."""


def energies(
    actuator: Actuator, *evaluations: Evaluation | None, settings: JointSettings | None = None
) -> Energies:
    """The energies of every log of evaluations; none where the topology does not say its power."""
    found: Energies = {}
    for entry in (entry for one in evaluations if one is not None for entry in one.entries):
        try:
            energy = energy_of_log(actuator, entry.log, settings=settings)
        except PliantError:
            continue
        found[entry.log.name] = parts_of(energy, 0)
    return found


def energy_sums(found: Energies) -> dict[str, str]:
    """Column to the sum over all logs, as text; only what is known of any."""
    sums = sum_of(found.values())
    return {SHOWN[name]: f"{x:.3g}" for name, x in sums.items() if x is not None}
