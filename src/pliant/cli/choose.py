"""`pliant choose`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from pliant.cli.options import Output, Recording, Repeated, shown
from pliant.cli.terminal import Terminal, columns

if TYPE_CHECKING:
    from pliant.identify.choice import Choice


@dataclass(frozen=True, kw_only=True)
class Choose:
    """Choose a friction model by the error on logs that its fit has not seen: each candidate is
    fitted with each group of logs held out in turn, and of those as good as the best, log by log,
    the one with the fewest parameters is taken.

    Example: pliant choose my_logs/ --actuator xl330_bam_m6 --model m4 m6 --by gain

    Attributes:
        logs: Log files (*.json, *.csv), or folders of them, in at least two groups.
        actuator: Where every candidate begins: a name (`pliant actuators`), or a TOML file.
        model: Friction models to compare; by default m1 to m6.
        plain: Without extensions; by default each model is also tried with command delay, with
            supply resistance, and with both.
        by: What is held out in turn: gain, load, trajectory or log.
        starts: Independent searches of each fit.
        seed: Of the random numbers.
    """

    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    actuator: Annotated[str, shown("NAME|FILE.toml")]
    model: Annotated[tuple[str, ...], Repeated, shown("LAW")] = ()
    plain: bool = False
    by: Annotated[str, shown("WHAT")] = "gain"
    starts: int = 3
    seed: int = 1
    recording: Recording = field(default_factory=Recording)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Compare, and show the table."""
        from pliant.cli.logs import read, say_findings
        from pliant.cli.terminal import Pace
        from pliant.identify.choice import EXTENSIONS, MODELS, candidates, choose
        from pliant.identify.search import SearchSettings
        from pliant.io.actuator_file import load_actuator

        extensions = EXTENSIONS[:1] if self.plain else EXTENSIONS
        actuators = candidates(load_actuator(self.actuator), self.model or MODELS, extensions)
        logs = read(self.logs, self.recording)
        say_findings(logs, terminal)
        pace = Pace(terminal)
        choice = choose(
            actuators, logs, by=self.by,
            search_settings=SearchSettings(starts=self.starts, seed=self.seed),
            report=lambda done, planned, name: pace.say(f"fit {done + 1} of {planned}: {name}"),
        )  # fmt: skip
        terminal.say(table(choice))
        terminal.result({"by": self.by, "chosen": choice.chosen.name, "models": as_plain(choice)})
        return 0


def table(choice: "Choice") -> str:
    """The candidates, best first."""
    head = ["model", "parameters", "fitted [mrad]", "held out [mrad]", "+-", "time [s]", "verdict"]
    rows = [
        [
            trial.name, str(trial.parameters), f"{1e3 * trial.train:.1f}",
            f"{1e3 * trial.held_out:.1f}", f"{1e3 * trial.spread:.1f}", f"{trial.seconds:.0f}",
            choice.verdict(trial),
        ]
        for trial in choice.trials
    ]  # fmt: skip
    return columns(head, rows, numbers=(1, 2, 3, 4, 5))


def as_plain(choice: "Choice") -> dict[str, Any]:
    """The same for `--json`."""
    return {
        trial.name: {
            "parameters": trial.parameters,
            "mae_mrad": 1e3 * trial.train,
            "held_out_mae_mrad": 1e3 * trial.held_out,
            "folds_mae_mrad": {
                group: 1e3 * fold.held_out.mae
                for group, fold in trial.folds.items()
                if fold.held_out is not None
            },
            "seconds": trial.seconds,
            "verdict": choice.verdict(trial),
        }
        for trial in choice.trials
    }
