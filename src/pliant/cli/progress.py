"""The search, while it goes on: best error, part done, time left."""

from typing import TYPE_CHECKING

from pliant.cli.terminal import Pace, Terminal
from pliant.identification.search.search import Progress

if TYPE_CHECKING:
    from pliant.view.searching import SearchPage


class SearchProgress:
    """Called after every generation; see `Pace` for how often it speaks."""

    def __init__(self, terminal: Terminal, what: str = "searching") -> None:
        self.pace = Pace(terminal)
        self.what = what

    def __call__(self, progress: Progress) -> None:
        """Say it, if it is time to; a page is told everything."""
        page = self.pace.terminal.page
        if page is not None:
            tell(page, progress, self.what)
        self.pace.say(
            f"{self.what}: best {1e3 * progress.best:.1f} mrad, "
            f"at most {_duration(progress.seconds_left)} left",
            min(progress.done / max(progress.planned, 1), 1.0),
        )


def tell(page: "SearchPage", progress: Progress, what: str) -> None:
    """Show the progress of a search on a page; `what` is searched."""
    from pliant.view.searching import Searched

    names = ("done", "planned", "best", "newest", "seconds_left")
    plain = {name: getattr(progress, name) for name in names}
    part = ", ".join(dict.fromkeys(x for x in (what, progress.part) if x))
    page.note(Searched(part=part, **plain, values=dict(progress.values)))


def _duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
