"""The same actuator in the joint engine and in MuJoCo (1 ms), on 6 s of recorded commands.

First the one that is identified here, by the default search, from the 12 logs: what counts is that
it behaves in MuJoCo as in the engine that it was fitted in. Then published ones.
"""

import dataclasses

import numpy as np

from pliant import load_actuator, read_logs, with_law
from pliant.engines.joint.engine import JointEngine
from pliant.engines.mujoco.batch.trials import replay
from pliant.identification import identify
from pliant.io.log import Log, example_logs


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    recorded = read_logs(example_logs())
    out = [identified(recorded)]
    for device in ("xl330", "mx106", "erob80_100"):
        for model in ("m1", "m4", "m6"):
            actuator = load_actuator(f"{device}_bam_{model}")
            engine = JointEngine(actuator)
            logs = recorded
            if device != "xl330":
                gain, supply = actuator.value("control.kp"), actuator.value("own.voltage")
                logs = [dataclasses.replace(log, gain=gain, supply=supply) for log in recorded]
            apart = [_difference(engine, actuator, log) for log in logs]
            out.append(
                (
                    f"joint engine against MuJoCo, {device} {model.upper()} [mrad]",
                    f"mean {np.mean(apart):.5f}, worst {max(apart):.5f}",
                    "<= 0.3",
                )
            )
    return out


def identified(recorded: list[Log]) -> tuple[str, str, str]:
    """The XL330 as `pliant identify` leaves it, every log as it was fitted."""
    servo = load_actuator("xl330_bam_m6")
    servo = with_law(with_law(servo, "timing", "command_delay"), "driver", "pulsed_supply")
    found = identify(servo, recorded)
    runs = {entry.log.name: entry for entry in found.fitted.entries}
    apart = {
        log.name: 1e3
        * float(np.mean(np.abs(runs[log.name].simulated - replay(found.actuator, log))))
        for log in recorded
    }
    worst = max(apart, key=lambda name: apart[name])
    log = runs[worst].log
    return (
        f"identified XL330 (M6, delay, pulsed supply) in MuJoCo at 1 ms against the joint "
        f"engine, {len(apart)} logs as recorded [mrad]",
        f"mean {np.mean([*apart.values()]):.3f}, worst {apart[worst]:.3f} ({log.trajectory}, "
        f"gain {log.gain:g}); {sum(x > 0.3 for x in apart.values())} beyond 0.3; fit "
        f"{1e3 * found.fitted.mae:.1f}",
        "<= 0.3",
    )


def _difference(engine, actuator, log) -> float:
    return 1e3 * float(np.mean(np.abs(engine.rollout(log).position - replay(actuator, log))))


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
