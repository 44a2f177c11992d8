"""`--plan watch=yes`: a page in the browser with the terminal's progress and the numbers behind it."""

import sys
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pliant.cli.terminal import Terminal
from pliant.extras import need

if TYPE_CHECKING:
    from pliant.identification.problem.simulation import LogT
    from pliant.identification.result.identification import Identification
    from pliant.identification.selection.choice import Choice
    from pliant.identification.selection.fit_job import FitJob, JobResult
    from pliant.identification.selection.sweep import Sweep
    from pliant.identification.selection.workers import Place
    from pliant.identification.uncertainty.draws import Uncertainty
    from pliant.view.watching import Predicted, RecordingPage, SearchPage, Tried

LOGS = 8
"""Logs whose bands are shown: each takes a simulation of the draws."""
GRACE = 3.0
"""[s] Time without a viewer until a page that outlasts its command closes; a reload takes as long."""


def reporting(
    place: "Place",
    sweep: "Sweep[LogT]",
    page: "SearchPage",
    known: "Mapping[str, JobResult]",
) -> "Place":
    """A place that also reports finished or `known` fits, and searches in this process, to the page."""
    from pliant.cli.searching import tell
    from pliant.identification.selection.workers import here

    if place is here:
        place = partial(here, report=lambda name, progress: tell(page, progress, name))

    def telling(
        jobs: "Sequence[FitJob[Any]]",
        logs: Sequence[Any],
        kept: Mapping[str, Path],
    ) -> "Iterator[tuple[str, JobResult]]":
        finished = dict(known)
        page.compare(_tried(sweep, finished))
        for name, result in place(jobs, logs, kept):
            finished[name] = result
            page.compare(_tried(sweep, finished))
            yield name, result

    return telling


def show_choice(page: "SearchPage", choice: "Choice") -> None:
    """Show which model is chosen, and why the others are not."""
    verdicts = {trial.name: choice.verdict(trial) for trial in choice.trials}
    page.compare([replace(one, verdict=verdicts[one.name]) for one in page.tried])


def show_bands(terminal: Terminal, found: "Identification[LogT]", sure: "Uncertainty") -> None:
    """Show the intervals of a fit's parameters, and bands of some of its logs."""
    if terminal.page is None:
        return
    names = sure.space.names
    ends = zip(names, zip(sure.low.tolist(), sure.high.tolist(), strict=True), strict=True)
    terminal.page.predict(dict(ends), list(_predicted(found, sure)))


def _predicted(found: "Identification[LogT]", sure: "Uncertainty") -> "Iterator[Predicted]":
    from pliant.identification.result.identification import DRAWS
    from pliant.identification.uncertainty.coverage import widened
    from pliant.view.watching import Predicted

    entries = found.fitted.entries
    logs = found.fitted.logs[:LOGS]
    own = [entry for entry in entries if entry.log in logs]
    residuals = found.rig.seeing(found.space).residuals(logs, found.space)
    samples = residuals.samples
    runs = residuals(found.space.to_cube(sure.spread(DRAWS))) + samples.measured
    blocks = zip(own, samples.per_block(runs), samples.per_block(samples.time), strict=True)
    for entry, simulated, at in blocks:
        band = widened(sure, simulated, entry.joint)
        yield Predicted(
            name=f"{entry.log.name}, {entry.joint}" if entry.joint else entry.log.name,
            time=at,
            measured=entry.measured,
            simulated=entry.simulated,
            low=band.low,
            high=band.high,
        )


def _tried(sweep: "Sweep[LogT]", finished: "Mapping[str, JobResult]") -> "list[Tried]":
    """The candidates, those that are fitted first."""
    from pliant.identification.selection.choice import Trial
    from pliant.view.watching import Tried

    rows: list[Tried] = []
    for name in sweep.names:
        trial = Trial(name, sweep.by, finished[name]) if name in finished else None
        fitted, held_out = (trial.train, trial.held_out) if trial else (nan, nan)
        rows.append(Tried(name=name, fitted=fitted, held_out=held_out))
    return sorted(rows, key=lambda row: (row.held_out != row.held_out, row.held_out))


@contextmanager
def shown_in_browser(terminal: Terminal) -> Generator[None]:
    """A page of the search, open meanwhile."""
    need("viser", "view", (1, 1))
    from pliant.view.watching import SearchPage, watched

    with watched("a search", SearchPage) as (address, page):
        terminal.page = page
        terminal.note(f"watch the search at {address}")
        yield
        outlast(terminal, page)


def outlast(terminal: Terminal, page: "SearchPage | RecordingPage") -> None:
    """Keep the page open for its viewers, if somebody can also end it."""
    if not (sys.stdin.isatty() and page.viewers):
        return
    terminal.note("the page stays until it is closed, or Ctrl-C")
    with suppress(KeyboardInterrupt):
        seen = time.monotonic()
        while time.monotonic() - seen < GRACE:
            seen = time.monotonic() if page.viewers else seen
            time.sleep(0.2)
