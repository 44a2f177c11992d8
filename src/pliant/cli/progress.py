"""The search, while it goes on: best error, part done, time left."""

from typing import TYPE_CHECKING

from pliant.cli.terminal import Pace, Terminal
from pliant.identify.search.search import Progress

if TYPE_CHECKING:
    from pliant.view.searching import SearchPage


class SearchProgress:
    """Called after every generation; see `Pace` for how often it speaks."""

    def __init__(
        self,
        terminal: Terminal,
        what: str = "searching",
        page: "SearchPage | None" = None,
    ) -> None:
        self.pace = Pace(terminal)
        self.what = what
        self.page = page

    def __call__(self, progress: Progress) -> None:
        """Say it, if it is time to; the page is told everything."""
        if self.page is not None:
            _tell(self.page, progress)
        self.pace.say(
            f"{self.what}: best {1e3 * progress.best:.1f} mrad, "
            f"at most {_duration(progress.seconds_left)} left",
            min(progress.done / max(progress.planned, 1), 1.0),
        )


def _tell(page: "SearchPage", progress: Progress) -> None:
    from pliant.view.searching import Searched

    names = ("part", "done", "planned", "best", "newest", "seconds_left")
    plain = {name: getattr(progress, name) for name in names}
    page.note(Searched(**plain, values=dict(progress.values)))


def _duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"
