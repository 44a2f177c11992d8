"""`pliant demo`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pliant.cli.options import Output, flag, shown
from pliant.cli.terminal import Terminal, columns

if TYPE_CHECKING:
    from pliant.cli.outcome import Outcome
    from pliant.identify.search.search import SearchSettings

ACTUATOR = "xl330_bam_m6"
LAWS = ("timing=command_delay", "driver=pulsed_supply")
NAME = "xl330_identified"


@dataclass(frozen=True, kw_only=True)
class Demo:
    """Identify a servo from logs that come with Pliant, run it in MuJoCo, write a report.

    12 recorded logs of a Dynamixel XL330 are checked, the servo is identified and written as an
    actuator file, the same commands are replayed in MuJoCo, and a report shows measured against
    simulated.

    Example: pliant demo --output-dir pliant-demo

    Attributes:
        output_dir: Folder to write to. The demo replaces its own files in it.
        quick: Search for a few seconds only; the fit is worse.
    """

    output_dir: Annotated[Path, shown("FOLDER")] = Path("pliant-demo")
    quick: Annotated[bool, flag()] = False
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Do it all."""
        from pliant.cli.choices import with_laws
        from pliant.cli.logs import say_findings
        from pliant.cli.outcome import Outcome
        from pliant.identify.search.search import SearchSettings
        from pliant.io.actuator_file import load_actuator
        from pliant.io.log import example_logs, read_logs
        from pliant.io.output import check_output

        actuator_file = self.output_dir / f"{NAME}.toml"
        report = self.output_dir / "report.html"
        for path in (actuator_file, report):
            check_output(path, overwrite=True)
        logs = read_logs(example_logs())
        terminal.note(f"1. {len(logs)} recorded logs of a Dynamixel XL330 on a pendulum:")
        say_findings(logs, terminal)
        with_them = " and ".join(law.replace("=", " ") for law in LAWS)
        terminal.note(f"2. identify {ACTUATOR} with {with_them}:")
        task: dict[str, Any] = {
            "actuator": with_laws(load_actuator(ACTUATOR), LAWS),
            "search_settings": quick_settings() if self.quick else SearchSettings(),
        }
        outcome = Outcome.of(task, logs, (), NAME, terminal)
        if not self.quick and not outcome.interrupted:
            outcome.find_intervals(terminal)
        terminal.note("3. the same in MuJoCo, and the report:")
        outcome.write(actuator_file, report, terminal)
        return self._end(outcome, terminal)

    def _end(self, outcome: "Outcome", terminal: Terminal) -> int:
        found = outcome.as_plain({})
        terminal.say(_table(found["logs"]))
        for word in found["warnings"]:
            terminal.say(f"warning: {word}")
        for kind, path in outcome.files.items():
            terminal.say(f"wrote {kind} {path}")
        if outcome.interrupted:
            kept = " and ".join(map(str, outcome.files.values())) or "nothing"
            terminal.note(f"interrupted: kept {kept}")
        elif not terminal.as_json:
            file = outcome.files["actuator"]
            terminal.say("\nNext, try:")
            terminal.say(f"  pliant show {file}")
            terminal.say(f"  pliant evaluate {file} YOUR_LOGS/ --supply measured")
            terminal.say(f"  pliant simulate YOUR_ROBOT.xml --attach YOUR_JOINT={file}")
        terminal.result(found | {"interrupted": outcome.interrupted})
        return 130 if outcome.interrupted else 0


def quick_settings() -> "SearchSettings":
    """Of the short search."""
    from pliant.identify.search.search import SearchSettings

    return SearchSettings(starts=1, generations=20, final_generations=0)


def _table(logs: dict[str, dict[str, Any]]) -> str:
    """Measured against simulated, in both engines."""
    keys = ("mae_mrad", "mae_mrad_mujoco", "difference_mrad")
    rows = [
        [
            name,
            entry["trajectory"],
            f"{entry['gain']:g}",
            *(_figure(entry.get(key), key) for key in keys),
        ]
        for name, entry in logs.items()
    ]
    means: list[str] = []
    for key in keys:
        values = [entry[key] for entry in logs.values() if key in entry]
        means.append(_figure(sum(values) / len(values) if values else None, key))
    rows.append(["mean", "", "", *means])
    head = [
        "log",
        "trajectory",
        "gain",
        "joint engine [mrad]",
        "MuJoCo [mrad]",
        "difference [mrad]",
    ]
    return columns(head, rows, numbers=(2, 3, 4, 5))


def _figure(value: float | None, key: str) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if key == "difference_mrad" else f"{value:.1f}"
