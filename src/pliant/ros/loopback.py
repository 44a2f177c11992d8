"""Restriction to this machine: Cyclone's messages stay here, and those from elsewhere are dropped.

A ROS 2 node without any settings announces itself on the machine's first network interface, by multicast, and
is found only there. So Cyclone uses that interface as well as the loopback device, with two limits:

1. Its multicasts have a time to live of 0: the kernel delivers them to sockets of this machine and puts none on
   the wire. Unicasts go only to discovered participants, which are on this machine because of 2.
2. Its sockets get a filter (Linux, without privileges) that accepts packets from the loopback device, which carries
   everything that this machine sends to its own addresses, and multicasts that were looped back.

Without such a filter, it uses only the loopback device, where nodes without settings look only if there is no
network. Other machines could still send to its sockets, which Cyclone binds to all interfaces whatever its
configuration says (eclipse-cyclonedds/cyclonedds, issue 2090): only a firewall helps.
"""

import ctypes
import os
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import suppress

__all__ = ["configuration", "shut_out_others"]

_DISCOVERY = """<Discovery><ParticipantIndex>auto</ParticipantIndex>
<MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>
<Peers><Peer address="127.0.0.1"/></Peers></Discovery>"""
_BESIDE = """<Interfaces><NetworkInterface autodetermine="true"/>
<NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces>"""
LOOPBACK = f"""<CycloneDDS><Domain><General><Interfaces>
<NetworkInterface address="127.0.0.1" multicast="false"/></Interfaces>
<AllowMulticast>false</AllowMulticast></General>{_DISCOVERY}</Domain></CycloneDDS>"""
"""Configuration for the loopback device only."""
FIRST_PORT, PORTS = 7400, 250
"""First port of domain 0, and ports per domain: DDSI-RTPS 2.3, 9.6.1.1."""

# linux/filter.h, linux/bpf_common.h, linux/if_packet.h
_ATTACH_FILTER = 26
_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06
_PACKET_TYPE, _INTERFACE = 0xFFFFF004, 0xFFFFF008
_LOOPED_BACK = 5
# linux/sockios.h, linux/if.h
_GET_ADDRESS, _GET_FLAGS = 0x8915, 0x8913
_UP, _IS_LOOPBACK = 0x1, 0x8


def configuration() -> str:
    """Cyclone's configuration, by this machine's interfaces and filters."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        if not _filtered(one):
            return LOOPBACK
        try:
            beside = _BESIDE if _on_network(one) else ""
        except ModuleNotFoundError:  # no `fcntl`
            return LOOPBACK
    return (
        "<CycloneDDS><Domain><General><MulticastTimeToLive>0</MulticastTimeToLive>"
        f"{beside}</General>{_DISCOVERY}</Domain></CycloneDDS>"
    )


def _on_network(one: socket.socket) -> bool:
    """Whether an interface other than the loopback device is up and has an address."""
    import fcntl

    for _, name in socket.if_nameindex():
        ask = struct.pack("256s", name.encode())
        with suppress(OSError):  # no address
            fcntl.ioctl(one, _GET_ADDRESS, ask)
            (flags,) = struct.unpack_from("H", fcntl.ioctl(one, _GET_FLAGS, ask), 16)
            if flags & _UP and not flags & _IS_LOOPBACK:
                return True
    return False


def shut_out_others(domain: int) -> bool:
    """Restrict this process's sockets of a domain to packets from this machine; whether it worked."""
    begin, done = FIRST_PORT + PORTS * domain, False
    for one in _datagram_sockets():
        with one, suppress(OSError):
            if begin <= one.getsockname()[1] < begin + PORTS:
                done = _filtered(one) or done
    return done


def _filtered(one: socket.socket) -> bool:
    """Attach the filter; whether it worked."""
    if sys.platform != "linux":
        return False
    steps = [
        (_LOAD, 0, 0, _INTERFACE),
        (_JUMP_EQUAL, 2, 0, socket.if_nametoindex("lo")),
        (_LOAD, 0, 0, _PACKET_TYPE),
        (_JUMP_EQUAL, 0, 1, _LOOPED_BACK),
        (_RETURN, 0, 0, 0xFFFFFFFF),
        (_RETURN, 0, 0, 0),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    try:
        program = struct.pack("HP", len(steps), ctypes.addressof(code))
        one.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, program)
    except OSError:
        return False
    return True


def _datagram_sockets() -> Iterator[socket.socket]:
    """This process's UDP sockets, as duplicates: closing one leaves the other open."""
    if sys.platform != "linux":
        return
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - numbers, no paths
        with suppress(OSError):  # gone in the meantime
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue
            one = socket.socket(fileno=os.dup(number))
            if one.family == socket.AF_INET and one.type == socket.SOCK_DGRAM:
                yield one
            else:
                one.close()
