"""The server answers its own page alone, and leaves neither thread nor port."""

import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

import viser
import websockets.sync.client
import zstandard
from websockets.exceptions import InvalidStatus

from pliant.errors import PliantError
from pliant.view.server import address_of, close_server, open_server

HERE, EVIL = "127.0.0.1", "evil.example"
PROTOCOL: Any = f"viser-v{viser.__version__}"


@pytest.fixture
def opened() -> Iterator[tuple[viser.ViserServer, list[str]]]:
    links: list[str] = []
    server = open_server("127.0.0.1", 0, "a <title>", links.append)
    yield server, links
    if server.get_event_loop().is_running():
        close_server(server)


def connected(port: int, **headers: str) -> None:
    with websockets.sync.client.connect(
        f"ws://127.0.0.1:{port}",
        subprotocols=[PROTOCOL],
        origin=headers.pop("origin", None),  # pyright: ignore[reportArgumentType]
        additional_headers=headers,
    ) as connection:
        assert connection.recv(timeout=20)


def test_its_own_page_may_connect(opened: Any) -> None:
    port = opened[0].get_port()
    connected(port, origin=f"http://{HERE}:{port}")


def test_a_viewer_is_sent_the_last_word_of_a_server_that_is_busy_and_then_closes(
    opened: Any,
) -> None:
    server, _ = opened
    port, heard = server.get_port(), b""
    with websockets.sync.client.connect(
        f"ws://{HERE}:{port}", subprotocols=[PROTOCOL], origin=f"http://{HERE}:{port}"
    ) as connection:
        said = server.gui.add_html("first")
        while b"first" not in heard:
            heard += plain(connection.recv(timeout=20))
        server.get_event_loop().call_soon_threadsafe(time.sleep, 0.2)
        said.content = "the last"
        close_server(server)
        heard += b"".join(plain(message) for message in connection)
    assert b"the last" in heard


def plain(message: Any) -> bytes:
    """Sizes, of 8 bytes each, then what is compressed."""
    return zstandard.ZstdDecompressor().decompress(message[16:])


@pytest.mark.parametrize(
    "origin",
    [None, f"http://{EVIL}", f"http://{HERE}:1", "null", f"http://{HERE}.{EVIL}"],
)
def test_a_page_from_elsewhere_may_not(opened: Any, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connected(opened[0].get_port(), **({"origin": origin} if origin else {}))
    assert refused.value.response.status_code == 403


def test_a_name_that_was_made_to_resolve_here_is_refused(opened: Any) -> None:
    """DNS rebinding: the attacker's page is of the very host and port it talks to."""
    port = opened[0].get_port()
    asked = urllib.request.Request(f"http://{HERE}:{port}/", headers={"Host": f"{EVIL}:{port}"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(asked)
    with refused.value:
        assert refused.value.code == 403


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", b" 403 "),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b" 403 "),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: a\r\nUpgrade: b\r\n\r\n", b" 403 "),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", b""),
        (b"\x16\x03\x01\r\n\r\n", b""),
    ],
)
def test_what_is_no_request_is_refused_and_prints_nothing(
    opened: Any, capfd: pytest.CaptureFixture[str], request_: bytes, status: bytes
) -> None:
    with socket.create_connection((HERE, opened[0].get_port()), timeout=10) as stranger:
        stranger.sendall(request_)
        assert status in stranger.recv(1000)
    time.sleep(0.2)  # for what the server's thread would print
    assert capfd.readouterr() == ("", "")


def test_the_page_cannot_be_framed_and_its_title_is_text(opened: Any) -> None:
    with urllib.request.urlopen(f"{address_of(opened[0])}/") as answer:
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert b"<title>a &lt;title&gt;</title>" in answer.read()


@pytest.mark.parametrize(("site", "taken"), [("none", True), ("cross-site", False)])
def test_a_link_works_where_the_user_opens_it_and_nowhere_else(
    opened: Any, site: str, taken: bool
) -> None:
    server, links = opened
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Dest": "document"}
    asked = urllib.request.Request(f"{address_of(server)}/?state=abc", headers=headers)
    with urllib.request.urlopen(asked) as answer:
        answer.read()
    for thread in threading.enumerate():
        if thread.name.startswith("Thread-") and "on_link" in thread.name:
            thread.join()
    assert links == (["abc"] if taken else [])


def test_it_listens_on_this_machine_alone(opened: Any) -> None:
    port = opened[0].get_port()
    others = {a[4][0] for a in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1", "127.0.1.1"}:
        with socket.socket() as trial:
            trial.settimeout(2.0)
            assert trial.connect_ex((address, port)) != 0


@pytest.mark.parametrize("host", ["203.0.113.7", "no such host", ""])
def test_a_host_that_is_not_here_is_refused(host: str) -> None:
    with pytest.raises(PliantError, match="--host"):
        open_server(host or "\x00", 0, "", lambda _: None)


def test_neither_thread_nor_port_is_left() -> None:
    before, ports = threading.active_count(), []
    for _ in range(10):
        server = open_server("127.0.0.1", 0, "", lambda _: None)
        ports.append(server.get_port())
        connected(ports[-1], origin=f"http://{HERE}:{ports[-1]}")
        close_server(server)
    assert threading.active_count() <= before + 1
    for port in ports:
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(("127.0.0.1", port))


def test_a_hundred_viewers_come_and_go_and_nothing_of_them_stays(opened: Any) -> None:
    server, port = opened[0], opened[0].get_port()
    connected(port, origin=f"http://{HERE}:{port}")
    before = threading.active_count()
    for _ in range(100):
        connected(port, origin=f"http://{HERE}:{port}")
    end = time.monotonic() + 20.0
    while server._websock_server._live_connections and time.monotonic() < end:
        time.sleep(0.05)
    assert not server._websock_server._live_connections
    assert not server._websock_server._client_state_from_id
    # The server's pool of threads may grow by a few meanwhile; a thread left by each would be 100.
    assert threading.active_count() < before + 10
