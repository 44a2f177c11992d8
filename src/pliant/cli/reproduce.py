"""`pliant reproduce`."""

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import Positional

from pliant.cli.options import Output, flag, shown
from pliant.cli.terminal import Terminal, columns
from pliant.errors import PliantError, PliantWarning
from pliant.extras import need
from pliant.io.output import check_output, write_whole

if TYPE_CHECKING:
    from pliant.experiments.support.recipe import Outcome
    from pliant.report.experiments import Reproduced

REPORT = "experiments.html"


@dataclass(frozen=True, kw_only=True)
class Reproduce:
    """Repeat experiments of published papers and compare the papers' numbers with Pliant's.

    Writes pictures (PNG), the energy of each motor (NAME_energy.csv) and one HTML report. Without a
    name, lists the experiments.

    Example: pliant reproduce step_response --output experiments

    Attributes:
        names: Experiments to run.
        all: Run all experiments.
        output: Folder for pictures and report. Files of an earlier run are replaced.
        jobs: Experiments that run at once, each in a process of its own. All cores without it.
    """

    names: Annotated[Positional[tuple[str, ...]], shown("NAME")] = ()
    all: Annotated[bool, flag()] = False
    output: Annotated[Path, shown("FOLDER")] = Path("pliant-experiments")
    jobs: Annotated[int | None, shown("N")] = None
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Run them."""
        from pliant.experiments.index import check_names, titles
        from pliant.experiments.support.offscreen import choose_offscreen

        if self.jobs is not None and self.jobs < 1:
            raise PliantError("out of range", field="jobs", found=self.jobs, accepted="1 or more")
        known = titles()
        names = tuple(known) if self.all else self.names
        if not names:
            terminal.say(columns(["experiment", "what"], [[n, t] for n, t in known.items()]))
            terminal.say("\nrun one with: pliant reproduce NAME, all with: pliant reproduce --all")
            terminal.result({"experiments": known})
            return 0
        check_names(names)
        need("matplotlib", "plots")  # told after the first experiment otherwise
        check_output(self.output / REPORT, overwrite=True)
        choose_offscreen()  # before anything imports mujoco
        return self._reproduced(names, terminal)

    def _reproduced(self, names: tuple[str, ...], terminal: Terminal) -> int:
        from pliant.report.experiments import write_experiments

        done: list[Reproduced] = []
        asked = list(dict.fromkeys(names))
        jobs = self.jobs or os.cpu_count() or 1
        terminal.note(f"{', '.join(asked)} ...")
        try:
            with closing(_side_by_side(partial(_run, folder=self.output), asked, jobs)) as running:
                for one in running:
                    done.append(one)
                    _say(one, terminal)
                    # Each time: a later one may fail.
                    write_experiments(self.output / REPORT, done)
        except KeyboardInterrupt:
            terminal.note(f"interrupted with {len(done)} of {len(asked)} done")
        if done:
            terminal.say(f"wrote report {self.output / REPORT}")
        complete = len(done) == len(asked)
        report = str(self.output / REPORT) if done else None
        terminal.result(
            {"experiments": _plain(done), "report": report, "interrupted": not complete}
        )
        return 0 if complete else 130


def _run(name: str, folder: Path) -> "Reproduced":
    from pliant.experiments.index import numbers, recipe
    from pliant.experiments.support.energy import energies
    from pliant.report.experiments import Reproduced

    module = recipe(name)
    begin = time.perf_counter()
    with energies() as spent:
        outcome: Outcome = module.run(None, folder)
    notes, tables = list(outcome.notes), [folder / f"{name}_energy.csv"] if spent.rows else []
    for table in tables:
        write_whole(table, spent.csv())
    if spent.motions:
        notes.append(spent.statement(f"{name}_energy.csv"))
    return Reproduced(
        name=name,
        title=module.TITLE,
        rows=[(row.what, row.paper, row.here, row.note) for row in outcome.rows],
        figures=outcome.figures,
        notes=notes,
        seconds=time.perf_counter() - begin,
        tables=tables,
        numbers=[(one.name, one.value, one.source) for one in numbers(module)],
    )


def _say(one: "Reproduced", terminal: Terminal) -> None:
    terminal.say(f"\n{one.title}\n")
    terminal.say(columns(["", "paper", "here", ""], one.rows))
    for note in one.notes:
        terminal.say(f"* {note}")
    for figure in one.figures:
        terminal.say(f"wrote figure {figure}")
    for table in one.tables:
        terminal.say(f"wrote energy {table}")


def _plain(done: "list[Reproduced]") -> dict[str, Any]:
    row, number = ("what", "paper", "here", "note"), ("name", "value", "source")
    return {
        one.name: {
            **{key: value for key, value in asdict(one).items() if key not in ("name", "rows")},
            "rows": [dict(zip(row, x, strict=True)) for x in one.rows],
            "figures": [str(figure) for figure in one.figures],
            "tables": [str(table) for table in one.tables],
            "numbers": [dict(zip(number, x, strict=True)) for x in one.numbers],
        }
        for one in done
    }


def _side_by_side(
    work: "Callable[[str], Reproduced]", names: Sequence[str], processes: int
) -> "Generator[Reproduced]":
    """`work` of each name in several processes at once, in the order of the names; one is done in this one.

    An error, or that the reader stops, ends all that still runs.
    """
    if min(processes, len(names)) < 2:
        yield from map(work, names)
        return
    pool = ProcessPoolExecutor(
        min(processes, len(names)), multiprocessing.get_context("spawn"), _begin
    )
    try:
        with _deaf():
            results: Iterable[Reproduced] = pool.map(work, names)
        yield from results
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()


@contextmanager
def _deaf() -> Generator[None]:
    """Children begun here never hear Ctrl-C: this process hears it for them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """In a child: as quiet as the command, and gone when that is."""
    warnings.simplefilter("ignore", PliantWarning)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
