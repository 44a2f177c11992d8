"""The page's server: listens on one address, and accepts requests of its own page only.

A page of another site that the same browser has open can reach 127.0.0.1 too. So every request must
name this machine as its host (an address, localhost, or the machine's own name: a name that
resolves here by trick is refused), and a web socket must come from a page of that very host. Frames
of other sites cannot show the page.
"""

import asyncio
import http
import io
import ipaddress
import logging
import socket
import threading
import urllib.parse
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import viser
import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from pliant.errors import PliantError
from pliant.extras import installed_by

_FOLLOW_SYSTEM = """<script>
(() => {
  const asked = new URLSearchParams(location.search);
  if (matchMedia('(prefers-color-scheme: dark)').matches && !asked.has('lightMode'))
    asked.set('darkMode', '');
  asked.delete('state');  // a reload begins anew
  history.replaceState(null, '', `${location.pathname}?${asked}`);
})();
</script>"""
"""Before the client reads the address: `darkMode` is its own word for dark."""


@cache
def index(title: str) -> str:
    """The HTML of the page."""
    import viser

    client = (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text("utf-8")
    style = (files("pliant.view") / "page.css").read_text("utf-8")
    head = f"<title>{escape(title)}</title>{_FOLLOW_SYSTEM}<style>{style}</style>"
    begin = client.index("<head>") + len("<head>")
    return client[:begin] + head + client[begin:]


_CONSTRUCTION = threading.Lock()

_LOGGER = logging.getLogger("pliant.view")
_LOGGER.setLevel(logging.CRITICAL)
"""Told nothing: a stranger's bytes that are no request are answered, and no fault to print."""

Link = Callable[[str], None]
"""Called with the state in the address by which the user opened the page."""


def open_server(host: str, port: int, title: str, on_link: Link) -> viser.ViserServer:
    """A server of the page.

    Args:
        host: on which it listens. port: or, where that is taken, one of the next.
        on_link: called with the `state` of the address that was opened.

    Raises:
        PliantError: it cannot listen there.
    """
    _check_listens(host)
    real, guards = websockets.asyncio.server.serve, list[_Guard]()

    def guarded(handler: Any, *place: Any, process_request: Any = None, **more: Any) -> Any:
        guards.append(_Guard(process_request, host, title, on_link))
        return real(handler, *place, process_request=guards[-1], logger=_LOGGER, **more)

    # viser has no option for this. It asks for `serve` while it is made, and not later.
    with _CONSTRUCTION:
        setattr(websockets.asyncio.server, "serve", guarded)  # noqa: B010 - for a type checker
        try:
            with redirect_stdout(io.StringIO()):  # its banner, which is no result of a command
                server = viser.ViserServer(host=host, port=port, label="Pliant", verbose=False)
        finally:
            setattr(websockets.asyncio.server, "serve", real)  # noqa: B010
    if not guards:
        server.stop()
        raise PliantError(
            "this version of viser cannot be protected from other sites",
            accepted=installed_by("view"),
        )
    return server


def close_server(server: viser.ViserServer) -> None:
    """Stop listening, once viewers were sent the last that the page was told; threads and port are free again."""
    asyncio.run_coroutine_threadsafe(_sent(), server.get_event_loop()).result()
    with redirect_stdout(io.StringIO()):
        server.stop()


async def _sent() -> None:
    """Two windows of viser's messages, and turns enough for its tasks: it drops what waits when it stops."""
    await asyncio.sleep(0.05)
    for _ in range(20):
        await asyncio.sleep(0.0)


def address_of(server: viser.ViserServer) -> str:
    """The address to open in a browser."""
    host = server.get_host()
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{server.get_port()}"


def allowed(headers: Headers, host: str) -> bool:
    """Whether a request may be answered: by the host it names and the page it comes from."""
    named = _only(headers, "Host")
    try:
        name = urllib.parse.urlsplit(f"//{named}").hostname or ""
    except ValueError:  # a bracket left open
        return False
    if not (_is_address(name) or name in {"localhost", host, socket.gethostname().lower()}):
        return False
    if not headers.get_all("Upgrade"):
        return True
    return _only(headers, "Origin") in (f"http://{named}", f"https://{named}")


class _Guard:
    """Answers requests: refused ones, the page itself, and the rest by viser."""

    def __init__(self, inner: Any, host: str, title: str, on_link: Link) -> None:
        self._inner, self._host, self._on_link = inner, host, on_link
        self._page = index(title).encode("utf-8")

    def __call__(self, connection: Any, request: Request) -> Response | None:
        if not allowed(request.headers, self._host):
            return _response(http.HTTPStatus.FORBIDDEN, b"refused: not a page of this machine\n")
        path, _, query = request.path.partition("?")
        if request.headers.get_all("Upgrade") or path not in ("/", "/index.html"):
            return self._inner(connection, request)
        state = urllib.parse.parse_qs(query).get("state")
        if state and _opened_by_user(request.headers):
            threading.Thread(target=self._on_link, args=(state[0],), daemon=True).start()
        return _response(http.HTTPStatus.OK, self._page, "text/html; charset=utf-8")


def _opened_by_user(headers: Headers) -> bool:
    """Whether the user opened the address, and no other page fetched or framed it."""
    sites, places = headers.get_all("Sec-Fetch-Site"), headers.get_all("Sec-Fetch-Dest")
    return set(sites) <= {"none", "same-origin"} and set(places) <= {"document"}


def _only(headers: Headers, name: str) -> str:
    """The value of a header; none where it is given twice."""
    values = headers.get_all(name)
    return values[0] if len(values) == 1 else ""


def _response(
    status: http.HTTPStatus, body: bytes, kind: str = "text/plain; charset=utf-8"
) -> Response:
    headers = Headers(
        [
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ]
    )
    return Response(status.value, status.phrase, headers, body)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _check_listens(host: str) -> None:
    """Refuse a host that is none of this machine: viser would try 1000 ports and never answer."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.bind(place)
    except (OSError, UnicodeError) as error:
        raise PliantError(
            f"cannot listen there: {error}",
            field="--host",
            found=host,
            accepted="127.0.0.1, or an address of this machine",
        ) from None
