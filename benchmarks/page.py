"""Real-time factor of the page's simulation: six joints at 1 kHz, with a viewer and without."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import viser
import websockets.sync.client

import pliant
from pliant.robots.robot import Robot, RobotInfo
from pliant.view.commands import Pause, Speed
from pliant.view.page import shown
from pliant.view.server import address_of
from pliant.view.simulated import Simulated

JOINTS, SECONDS, AS_FAST = 6, 10.0, 10.0


def rows() -> Iterator[tuple[str, str, str]]:
    """The factor at speed 1 with a viewer, and the largest possible."""
    for actuator in ("xl330_bam_m6", "qbmove_maker_pro"):
        watched, most = factor(actuator, 1.0, viewers=1), factor(actuator, AS_FAST, viewers=1)
        alone = factor(actuator, AS_FAST, viewers=0)
        what = f"page, {JOINTS} joints ({actuator}) at 1 kHz, a viewer connected: times real time"
        at_most = f"at most {most:.1f}, without a viewer {alone:.1f}"
        yield what, f"{watched:.3f}; {at_most}", "1.0"


def factor(actuator: str, speed: float, viewers: int) -> float:
    """Simulated over real time."""
    with shown(Simulated(lambda step: _arm(actuator, step), "arm"), port=0, paused=True) as page:
        session = page.session
        session.send(Speed(speed))
        with _viewing(address_of(page.server)) if viewers else _nobody() as read:
            read(2.0)  # the page arrives
            session.send(Pause(False))
            read(1.0)
            begin, first = time.perf_counter(), session.frame.time
            read(SECONDS)
            return (session.frame.time - first) / (time.perf_counter() - begin)


def _arm(actuator: str, timestep: float | None) -> Robot:
    """A chain of joints with horizontal axes, 0.1 m and 0.05 kg each."""
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep or 1e-3
    body = spec.worldbody
    for k in range(JOINTS):
        body = body.add_body(pos=[0.0, 0.0, 0.1 if k else 0.0])
        body.add_joint(name=f"joint_{k}", axis=[0.0, 1.0, 0.0])
        kind = mujoco.mjtGeom.mjGEOM_CAPSULE
        ends = [0.0, 0.0, 0.0, 0.0, 0.0, 0.1]
        body.add_geom(
            type=kind, fromto=ends, size=[0.01, 0.0, 0.0], mass=0.05, contype=0, conaffinity=0
        )
    attached = pliant.attach(spec, {f"joint_{k}": actuator for k in range(JOINTS)})
    return Robot(spec.compile(), RobotInfo(attachment=attached))


@contextmanager
def _nobody():
    yield time.sleep


@contextmanager
def _viewing(address: str):
    """A client that reads everything that a browser would be sent."""
    with websockets.sync.client.connect(
        address.replace("http", "ws"),
        subprotocols=[f"viser-v{viser.__version__}"],
        origin=address,
        max_size=None,
    ) as connection:

        def read(seconds: float) -> None:
            end = time.perf_counter() + seconds
            while (left := end - time.perf_counter()) > 0.0:
                try:
                    connection.recv(timeout=left)
                except TimeoutError:
                    return

        yield read
