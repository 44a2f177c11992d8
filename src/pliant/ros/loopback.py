"""This machine alone: Cyclone's configuration for it, and its sockets bound to the loopback device.

Cyclone binds the sockets that it receives on to all interfaces whatever its configuration says
(eclipse-cyclonedds/cyclonedds, issue 2090), so other machines could send to them. Linux (5.7 and newer,
without privileges) lets a socket be bound to a device afterwards; elsewhere only a firewall helps.
"""

import os
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress

__all__ = ["LOOPBACK", "bind_to_loopback"]

LOOPBACK = """<CycloneDDS><Domain><General><Interfaces>
<NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>
<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery></Domain></CycloneDDS>"""
"""Cyclone's configuration: it looks for nodes on this machine, and tells others nothing."""
FIRST_PORT, PORTS = 7400, 250
"""Ports of domain 0, and how many each has: DDSI-RTPS 2.3, 9.6.1.1."""


def bind_to_loopback(domain: int) -> bool:
    """Let this process's sockets of a domain receive from this machine alone; whether it worked."""
    if sys.platform != "linux":
        return False
    begin, bound = FIRST_PORT + PORTS * domain, False
    for one in _datagram_sockets():
        with one, suppress(OSError):
            address, port = one.getsockname()[:2]
            if begin <= port < begin + PORTS and address == "0.0.0.0":  # noqa: S104
                one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo\0")
                bound = True
    return bound


def _datagram_sockets() -> Iterator[socket.socket]:
    """This process's UDP sockets, as duplicates: closing one leaves the other open."""
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - numbers, no paths
        with suppress(OSError):  # gone meanwhile
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            one = socket.socket(fileno=os.dup(number))
            if one.family == socket.AF_INET and one.type == socket.SOCK_DGRAM:
                yield one
            else:
                one.close()
