"""Identify the XL330 from its 12 logs, and again with each gain held out in turn."""

from pliant import load_actuator, read_logs, with_law
from pliant.identification import hold_out, identify
from pliant.io.log import example_logs


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    logs = read_logs(example_logs())
    servo = load_actuator("xl330_bam_m6")
    servo = with_law(with_law(servo, "timing", "command_delay"), "driver", "pulsed_supply")
    full = identify(servo, logs)
    out = [
        (
            "XL330, 12 logs, M6 with delay and pulsed supply [mrad]",
            f"{1e3 * full.fitted.mae:.1f} in {full.seconds:.0f} s, starts "
            + ", ".join(f"{1e3 * cost:.1f}" for cost in full.search.per_start),
            "<= 36",
        )
    ]
    for gain in ("100", "200", "800"):
        kept, other = hold_out(logs, f"gain={gain}")
        fold = identify(servo, kept, held_out=other)
        assert fold.held_out is not None
        out.append(
            (
                f"  gain {gain} held out [mrad]",
                f"{1e3 * fold.held_out.mae:.1f} (fitted {1e3 * fold.fitted.mae:.1f})",
                "report",
            )
        )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
