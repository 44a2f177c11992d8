"""Show a scene on a page until it is stopped."""

from collections.abc import Generator
from contextlib import contextmanager

from pliant.errors import PliantError
from pliant.view.page import Page
from pliant.view.saving import open_link
from pliant.view.scene import Scene
from pliant.view.server import close_server, open_server
from pliant.view.session import Session

__all__ = ["shown"]


@contextmanager
def shown(
    scene: Scene, *, host: str = "127.0.0.1", port: int = 8080, paused: bool = False
) -> Generator[Page]:
    """A page on a scene that runs; it goes when the block ends.

    Args:
        scene: what moves. host: listened on; every machine of the network can reach 0.0.0.0.
        port: or, where that is taken, one of the next. paused: begin with the clock stopped.

    Raises:
        PliantError: it cannot listen there.
    """
    with Session(scene, paused=paused) as session:
        pages: list[Page] = []

        def on_link(text: str) -> None:
            try:
                open_link(session, text)
            except (PliantError, KeyError, TypeError, ValueError, AttributeError) as error:
                for page in pages:
                    page.tell(str(error) or "the link is damaged", title="This link")

        server = open_server(host, port, f"Pliant: {scene.title}", on_link)
        try:
            pages.append(Page(server, session))
            yield pages[0]
        finally:
            for page in pages:
                page.stop()
            close_server(server)
