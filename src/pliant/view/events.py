"""Events by a viewer, as against changes that the page itself makes."""

from collections.abc import Callable
from typing import Any

__all__ = ["by_viewer"]


def by_viewer(action: Callable[[Any], object]) -> Callable[[Any], None]:
    """`action` for what a viewer does; a control that the page sets calls its callbacks too."""

    def told(event: Any) -> None:
        if event.client is not None:
            action(event)

    return told
