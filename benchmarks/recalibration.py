"""A published actuator recalibrated to 4 logs of another unit, judged on the unit's other 8."""

import time

from pliant import load_actuator, read_logs
from pliant.identification import evaluate, hold_out, identify
from pliant.identification.problem.posterior import Prior
from pliant.io.log import example_logs


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    published = load_actuator("xl330_bam_m6")
    out: list[tuple[str, str, str]] = []
    for gain in ("100", "200", "800"):
        other, own = hold_out(read_logs(example_logs()), f"gain={gain}")
        began = time.monotonic()
        found = identify(published, own, held_out=other, prior=Prior(published))
        seconds = time.monotonic() - began
        assert found.held_out is not None
        before = evaluate(published, own).mae, evaluate(published, other).mae
        out.append(
            (
                f"XL330 M6 recalibrated to the 4 logs of gain {gain} [s]",
                f"{seconds:.0f}; these logs {1e3 * before[0]:.1f} -> "
                f"{1e3 * found.fitted.mae:.1f} mrad, the other 8 {1e3 * before[1]:.1f} -> "
                f"{1e3 * found.held_out.mae:.1f}",
                "<= 20",
            )
        )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
