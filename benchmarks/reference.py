"""The published parameters on the 12 XL330 logs, with the published program's own step."""

from pliant import load_actuator, read_logs
from pliant.engines.joint.engine import JointSettings
from pliant.identification import evaluate
from pliant.io.log import example_logs

PUBLISHED = {"m1": 78.9, "m2": 78.2, "m3": 67.6, "m4": 68.3, "m5": 71.7, "m6": 70.9}
"""[mrad] Mean absolute error that others measured with the published program."""


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    logs = [log.resample(0.005) for log in read_logs(example_logs())]
    out: list[tuple[str, str, str]] = []
    for model, published in PUBLISHED.items():
        actuator = load_actuator(f"xl330_bam_{model}")
        errors = [
            evaluate(actuator, logs, settings=JointSettings(max_step=0.0051, reference=flag)).mae
            for flag in (True, False)
        ]
        out.append(
            (
                f"published {model.upper()} at 5 ms, reference step [mrad]",
                f"{1e3 * errors[0]:.2f} (semi-implicit step: {1e3 * errors[1]:.2f})",
                f"{published} +- 0.5",
            )
        )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
