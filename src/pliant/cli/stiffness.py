"""`pliant stiffness`."""

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from tyro.conf import Positional

from pliant.cli.options import RARE, Output, Repeated, flag, shown
from pliant.cli.recording import Recording, readable
from pliant.cli.terminal import Terminal, columns, printable
from pliant.csv_rows import csv_text
from pliant.extras import need
from pliant.io.encoder_file import read_joint_log
from pliant.io.output import check_output, write_whole

if TYPE_CHECKING:
    from pliant.estimate.dynamics import Dynamics
    from pliant.estimate.model_error import ModelError
    from pliant.estimate.offline import StiffnessRun
    from pliant.estimate.settings import EstimatorSettings


@dataclass(frozen=True, kw_only=True)
class Stiffness:
    """Estimate the stiffness of compliant joints over time, from encoders and the robot's model.

    No force or torque sensor is needed. Columns: time [s], q_JOINT [rad], and for each joint
    theta_JOINT (one motor), theta_JOINT and adjuster_JOINT (motor and stiffness adjuster), or
    theta_a_JOINT and theta_b_JOINT (two motors).

    Example: pliant stiffness run.csv --robot arm.urdf --report stiffness.html

    Attributes:
        log: Recording at uniform times: *.csv, *.json, a bag or data set whose joints are these columns;
            or, with --live, the topic of a running robot's JointState messages. Ctrl-C ends it.
        robot: Robot model: URDF (*.urdf) or MJCF (*.xml).
        joint: Joints to estimate, in any order; by default all. The others stay in the model's
            reference pose; their columns are ignored.
        live: Estimate while messages come over ROS 2, and send /stiffness_estimate.
        mode: Quantity to fit: the torque, its rate (rotatum; needs --width 12 or more), or the rate by
            the published observer (paper; for comparison).
        width: Samples in each box of the smoothing kernel; use 12 for 12-bit encoders.
        model_error: Test errors of the robot model: masses, centres of mass, lengths, friction this many
            percent too low and too high. Their effect on the stiffness is shown beside it.
        no_smooth_first: In mode paper, difference the positions as they are, as published: too biased
            for encoders.
        memory: Time over which old data are forgotten [s]; by default nothing is forgotten.
        no_friction: Do not learn the friction of the links.
        engine: Library for the rigid-body terms; auto is pinocchio where it is installed, else mujoco.
        output: Estimates to write (*.csv): stiffness and its deviation, torque, rotatum, leverage, status.
        report: Report to write (*.html).
        overwrite: Replace files that exist.
    """

    log: Annotated[Positional[Path], shown("LOG")]
    robot: Annotated[Path, shown("MODEL")]
    joint: Annotated[tuple[str, ...], Repeated, shown("JOINT")] = ()
    live: Annotated[bool, flag()] = False
    mode: Literal["torque", "rotatum", "paper"] = "torque"
    width: int = 5
    model_error: Annotated[float, RARE, shown("PERCENT")] = 20.0
    no_smooth_first: Annotated[bool, RARE, flag()] = False
    memory: Annotated[float | None, RARE, shown("S")] = None
    no_friction: Annotated[bool, RARE, flag()] = False
    engine: Annotated[Literal["auto", "mujoco", "pinocchio"], RARE] = "auto"
    output: Annotated[Path | None, shown("FILE.csv")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    overwrite: Annotated[bool, flag()] = False
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Estimate, and show what came out."""
        from pliant.estimate.dynamics import load_dynamics
        from pliant.estimate.model_error import model_errors
        from pliant.estimate.offline import estimate_log
        from pliant.estimate.settings import EstimatorSettings

        settings = EstimatorSettings(
            width=self.width,
            memory=self.memory,
            friction=not self.no_friction,
            smooth_first=not self.no_smooth_first,
        )
        dynamics = load_dynamics(self.robot, self.engine, self.joint or None)
        facts = self.recording.facts([self.log], terminal)
        reading = readable(facts, self.robot)
        if self.live:
            return self._live(dynamics, dict(reading.rename), settings, terminal)
        recording = read_joint_log(
            self.log, dynamics.names, others=bool(self.joint), reading=reading
        )
        for path in filter(None, (self.output, self.report)):
            check_output(path, overwrite=self.overwrite)
        found = estimate_log(recording, dynamics, mode=self.mode, settings=settings)
        tried = model_errors(found, self.robot, self.model_error / 100.0, engine=self.engine)
        terminal.say(text(found, tried))
        for warning in found.warnings:
            terminal.note(printable(f"warning: {warning}"))
        if self.output is not None:
            write_whole(self.output, as_csv(found))
        if self.report is not None:
            from pliant.report.stiffness_page import stiffness_page

            write_whole(self.report, stiffness_page(found, tried))
        files = {"estimates": self.output, "report": self.report}
        written = {name: str(path) for name, path in files.items() if path}
        terminal.result({**as_plain(found, tried), "files": written})
        return 0

    def _live(
        self,
        dynamics: "Dynamics",
        rename: dict[str, str],
        settings: "EstimatorSettings",
        terminal: Terminal,
    ) -> int:
        """Estimate from messages until Ctrl-C; a line a second."""
        need("cyclonedds", "ros2", (11, 0))
        from pliant.ros.stiffness import TopicStiffness
        from pliant.ros.transport import Transport, domain_of_environment

        live = TopicStiffness(dynamics, rename, self.mode, settings)
        now, shown_at = None, 0.0
        with suppress(KeyboardInterrupt), Transport(domain_of_environment()) as links:
            states = links.subscriber(f"/{str(self.log).lstrip('/')}", "sensor_msgs/msg/JointState")
            sink = links.publisher("/stiffness_estimate", "pliant_msgs/msg/JointStiffness")
            terminal.note(f"waits for {states.topic} ...")
            while True:
                for sample in states.take():
                    if (found := live.taken(sample)) is not None:
                        now = found
                        sink.publish(live.said(now))
                if now is not None and time.monotonic() > shown_at + 1.0:
                    shown_at = time.monotonic()
                    each = zip(dynamics.names, now.sigma, now.sigma_std, now.status, strict=True)
                    terminal.say(
                        ", ".join(f"{n} {x:.4g} +- {s:.2g} ({w.text})" for n, x, s, w in each)
                    )
                time.sleep(0.002)
        sigma = [] if now is None else [float(x) for x in now.sigma]
        known = dict(zip(dynamics.names, sigma, strict=False))
        terminal.result({"stiffness": known, "gaps": live.missed})
        return 0


def text(found: "StiffnessRun", tried: "Sequence[ModelError]") -> str:
    """Tables: each joint, its estimates, and their sensitivity to errors of the model."""
    from pliant.estimate.estimates import MODEL_LIMIT
    from pliant.estimate.model_error import rows as tried_rows

    rows: list[list[str]] = []
    for k, name in enumerate(found.names):
        one = figures(found, k)
        rows.append(
            [
                name,
                found.joints[k].kind,
                *(f"{one[x]:.4g}" for x in ("median", "low", "high")),
                f"{one['std']:.2g}",
                _of_model(tried, k),
                f"{one['leverage']:.3g}",
                f"{100 * one['misfit']:.2g}",
                ", ".join(f"{status} {100 * part:.0f} %" for status, part in one["status"].items()),
            ]
        )
    head = [
        "joint",
        "kind",
        "stiffness [N m/rad]",
        "lowest",
        "highest",
        "std",
        f"model {abs(100 * tried[0].part):.3g} % off",
        "leverage",
        "misfit [%]",
        "status",
    ]
    parts = [columns(head, rows, numbers=(2, 3, 4, 5, 6, 7, 8))]
    learned = [
        [name if k == 0 else "", parameter, f"{value:.6g}", unit]
        for j, name in enumerate(found.names)
        for k, (parameter, value, unit) in enumerate(found.parameters(j))
    ]
    parts.append(columns(["joint", "learned", "value", "unit"], learned, numbers=(2,)))
    if found.mode == "paper":
        parts.append(f"{found.method[0].upper()}{found.method[1:]}.")
    parts.append(fill(MODEL_LIMIT, 96))
    places = tuple(range(1, len(found.names) + 1))
    parts.append(
        columns(["if the model is wrong by", *found.names], tried_rows(tried), numbers=places)
    )
    return "\n\n".join(parts)


def _of_model(tried: "Sequence[ModelError]", joint: int) -> str:
    """Largest change of a joint's stiffness due to the error of the model, of either sign."""
    from pliant.estimate.model_error import worst

    most = worst(tried, joint)
    return "not known" if most is None else f"±{abs(100 * most.change[joint]):.2g} %"


def figures(found: "StiffnessRun", joint: int) -> dict[str, Any]:
    """One joint in numbers; NaN where nothing is known."""
    estimate = found.estimate
    sigma = estimate.sigma[:, joint]
    known = np.isfinite(sigma)
    nan = float("nan")
    return {
        "median": float(np.median(sigma[known])) if known.any() else nan,
        "low": float(sigma[known].min()) if known.any() else nan,
        "high": float(sigma[known].max()) if known.any() else nan,
        "last": float(sigma[-1]),
        "std": float(np.median(estimate.sigma_std[known, joint])) if known.any() else nan,
        "leverage": float(estimate.leverage[known, joint].max()) if known.any() else nan,
        "misfit": float(estimate.misfit[-1, joint]),
        "known": float(known.mean()),
        "status": found.shares(joint),
    }


def as_plain(found: "StiffnessRun", tried: "Sequence[ModelError]") -> dict[str, Any]:
    """The same for `--json`; stiffness over time is in the CSV of `--output`."""
    from pliant.estimate.estimates import COVERS, MODEL_LIMIT

    return {
        "log": str(found.path),
        "mode": found.mode,
        "smooth_first": found.mode == "paper" and found.settings.smooth_first,
        "samples": len(found.log.time),
        "dt": found.log.dt,
        "lag_of_learning": found.lag,
        "joints": {
            name: {
                "kind": found.joints[k].kind,
                "stiffness": figures(found, k),
                "learned": {
                    parameter: {"value": value, "unit": unit}
                    for parameter, value, unit in found.parameters(k)
                },
            }
            for k, name in enumerate(found.names)
        },
        "std_covers": COVERS,
        "model_limit": MODEL_LIMIT,
        "changes": [asdict(one) for one in found.changes],
        "model_errors": [
            {
                "kind": one.kind,
                "part": one.part,
                "change": dict(zip(found.names, one.change.tolist(), strict=True)),
                "misfit": dict(zip(found.names, one.misfit.tolist(), strict=True)),
            }
            for one in tried
        ],
        "warnings": list(found.warnings),
    }


def as_csv(found: "StiffnessRun") -> str:
    """Every sample: numbers with 9 figures, nothing where nothing is known, status in words."""
    from pliant.estimate.estimator import Status

    estimate = found.estimate
    channels = {
        "sigma": estimate.sigma,
        "sigma_std": estimate.sigma_std,
        "tau_e": estimate.tau_e,
        "rotatum": estimate.rotatum,
        "leverage": estimate.leverage,
    }
    words = {int(status): status.text for status in Status}
    head = ["time"] + [f"{c}_{name}" for name in found.names for c in (*channels, "status")]
    rows: list[list[float | str]] = []
    for row, t in enumerate(found.log.time):
        cells: list[float | str] = [t]
        for k in range(len(found.names)):
            cells += [values[row, k] for values in channels.values()]
            cells.append(words[int(estimate.codes[row, k])])
        rows.append(cells)
    return csv_text(head, rows)
