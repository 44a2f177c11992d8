"""Saving: a recording as CSV, as a bag, or as a page of its own, and a link to this very state."""

import base64
import binascii
import hashlib
import json
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from pliant.arrays import Floats
from pliant.csv_rows import csv_text
from pliant.errors import PliantError
from pliant.view import commands
from pliant.view.page_state import PageState
from pliant.view.session import Session


def as_csv(joints: tuple[commands.Joint, ...], frames: Sequence[commands.Frame]) -> str:
    """Frames as a table: time, and each reading of each joint that has it, with its unit."""
    first = frames[-1].readings
    shown = [
        (k, reading)
        for k in range(len(joints))
        for reading in commands.READINGS
        if not np.isnan(first[reading.name][k])
    ]
    names = [f"{joints[k].name}.{r.name}[{commands.unit_of(joints[k], r.unit)}]" for k, r in shown]
    rows = ([frame.time, *(frame.readings[r.name][k] for k, r in shown)] for frame in frames)
    return csv_text(["time[s]", *names], rows, lost="nan")


def as_bag(joints: tuple[commands.Joint, ...], frames: Sequence[commands.Frame]) -> bytes:
    """Frames as MCAP: `/joint_states` (measured ones where there are) and `/joint_commands`."""
    from pliant.io.formats.messages import write_bag
    from pliant.io.robot_log import RobotLog

    time = np.array([frame.time for frame in frames])
    kept = np.flatnonzero(
        np.diff(time, prepend=-np.inf) > 0.0
    )  # a command makes a frame of its own

    def rows(name: str) -> Floats:
        return np.array([frames[k].readings[name] for k in kept.tolist()])

    measured = rows("measured")
    log = RobotLog(
        name="pliant",
        joints=tuple(joint.name for joint in joints),
        time=time[kept] - time[0],
        position=np.where(np.isnan(measured), rows("position"), measured),
        goal=rows("goal"),
        speed=rows("velocity"),
        enabled=np.ones((len(kept), len(joints)), bool),
        others={"torque": rows("torque")},
    )
    with tempfile.TemporaryDirectory() as folder:
        write_bag(log, Path(folder) / "bag")
        (mcap,) = (Path(folder) / "bag").glob("*.mcap")
        return mcap.read_bytes()


LONGEST = 7000
"""Characters of a link: servers and browsers cut longer ones."""
LARGEST = 1 << 20
"""[bytes] Of a link's content, unpacked."""


class Saving:
    """Tab "Save" of the page."""

    def __init__(self, page: PageState, tabs: Any) -> None:
        self._page = page
        self._frames: list[commands.Frame] = []
        self._scene: Any = None
        gui = page.server.gui
        with tabs.add_tab("Save"):
            self._record = gui.add_button("Start recording")
            page.turns.clicked(self._record.on_click, self._toggle)
            self._how = gui.add_markdown("Nothing is recorded.")
            table = gui.add_button("Save readings as CSV", hint="The recording, or the history")
            page.turns.clicked(table.on_click, self._save_table)
            bag = gui.add_button("Save as a bag", hint="ROS 2 joint states and commands, in MCAP")
            page.turns.clicked(bag.on_click, self._save_bag)
            scene = gui.add_button(
                "Save the motion as HTML", hint="The recording, as a separate page"
            )
            page.turns.clicked(scene.on_click, self._save_scene)
            if page.session.scene.whole is None:
                link = gui.add_button("Link to this state")
                page.turns.clicked(link.on_click, self._show_link)
                self._link = gui.add_text("Link", "", hint="Open it to continue from here")

    @property
    def records(self) -> bool:
        """Whether a recording goes on."""
        return self._scene is not None

    def note(self, frame: commands.Frame) -> None:
        """Keep a frame, which the scene shows now."""
        if self._scene is None:
            return
        passed = frame.time - self._frames[-1].time if self._frames else 0.0
        self._scene.insert_sleep(max(passed, 0.0))
        self._frames.append(frame)

    def _toggle(self, _event: Any) -> None:
        if self._scene is None:
            self._frames = []
            self._scene = self._page.server.get_scene_serializer()
            self._record.label, self._how.content = "Stop recording", "Recording …"
            return
        done, self._scene = self._scene, None
        self._html = done.as_html()
        self._record.label = "Start recording"
        seconds = self._frames[-1].time - self._frames[0].time if self._frames else 0.0
        self._how.content = f"{seconds:.1f} s recorded, {len(self._frames)} frames."

    def _recorded(self) -> list[commands.Frame]:
        """The recording, or what is remembered where there is none."""
        return list(self._frames or self._page.session.history)

    def _save_bag(self, event: Any) -> None:
        try:
            bag = as_bag(self._page.session.scene.joints, self._recorded())
        except PliantError as error:
            self._page.tell(str(error), event)
            return
        event.client.send_file_download("pliant-motion.mcap", bag, save_immediately=True)

    def _save_table(self, event: Any) -> None:
        text = as_csv(self._page.session.scene.joints, self._recorded())
        event.client.send_file_download(
            "pliant-readings.csv", text.encode("utf-8"), save_immediately=True
        )

    def _save_scene(self, event: Any) -> None:
        if self._scene is not None or not self._frames:
            self._page.tell("record a motion first, and stop", event, "Nothing to save")
            return
        event.client.send_file_download(
            "pliant-motion.html", self._html.encode("utf-8"), save_immediately=True
        )

    def _show_link(self, event: Any) -> None:
        from pliant.view.server import address_of

        try:
            self._link.value = (
                f"{address_of(self._page.server)}/?state={link_of(self._page.session)}"
            )
        except PliantError as error:
            self._page.tell(str(error), event)


def link_of(session: "Session") -> str:
    """The state of a session, and where its knobs stand, for an address."""
    scene, frame = session.scene, session.frame
    knobs = {
        joint.name: {k.name: k.value for k in (*joint.references, *joint.parameters)}
        for joint in scene.joints
    }
    state = base64.b85encode(zlib.compress(frame.state, 9)).decode("ascii")
    content = {"model": _fingerprint(scene), "load": scene.loads[0], "knobs": knobs, "state": state}
    packed = zlib.compress(json.dumps(content).encode("utf-8"), 9)
    text = base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    if len(text) > LONGEST:
        raise PliantError("this state is too long for a link", found=f"{len(text)} characters")
    return text


def open_link(session: "Session", text: str) -> None:
    """Go on from the state of a link, paused."""
    content = _unpacked(text)
    if content.get("model") != _fingerprint(session.scene):
        raise PliantError("the link belongs to another model or step", field="state")
    session.send(commands.Pause(True))
    if session.scene.loads[1] > 0.0:
        session.send(commands.Load(float(content["load"])))
    for joint in session.scene.joints:
        knobs = content["knobs"].get(joint.name, {})
        now = {knob.name: knob.value for knob in joint.parameters}
        for name, value in knobs.items():
            if name in now and value != now[name]:
                session.send(commands.Parameter(joint.name, name, float(value)))
        for number in range(1, len(joint.references) + 1):
            session.send(
                commands.Reference(joint.name, number, float(knobs[f"reference_{number}"]))
            )
    session.send(commands.Restore(_inflated(base64.b85decode(content["state"]), LARGEST)))


def _unpacked(text: str) -> dict[str, Any]:
    refused = PliantError("the link is damaged", field="state")
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        content = json.loads(_inflated(packed, LARGEST))
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        raise refused from None
    if not isinstance(content, dict):
        raise refused
    return cast("dict[str, Any]", content)


def _inflated(packed: bytes, most: int) -> bytes:
    """Decompress, at most `most` bytes."""
    whole = zlib.decompressobj()
    plain = whole.decompress(packed, most)
    if whole.unconsumed_tail:
        raise ValueError("more than a link has")
    return plain


def _fingerprint(scene: Any) -> str:
    """Tells models apart: names and sizes, and the step."""
    model = scene.model
    sizes = (model.nq, model.nv, model.na, model.nu, model.nbody, round(scene.timestep, 12))
    return hashlib.sha256(repr((bytes(model.names), sizes)).encode()).hexdigest()[:16]
