"""The controls of the clock, the robot and the joint that is chosen, and its readings."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from pliant.view import commands
from pliant.view.curves import joint_picture, joint_table
from pliant.view.page_state import PageState

DIGITS = 3
"""Digits of a slider's step: 1/1000 of its range."""
_FIRST = ("supply", "gain")


class JointKnobs:
    """Tab "Joint": which one, how it is, its references, supply and gains, all its parameters."""

    def __init__(self, page: PageState, tab: Any) -> None:
        self._page, self._tab = page, tab
        joints = page.session.scene.joints
        gui = page.server.gui
        self._made: list[Any] = []
        self._knobs: dict[str, Any] = {}
        with tab:
            self.choice = gui.add_dropdown("Joint", tuple(joint.name for joint in joints))
            page.turns.turned(self.choice, self._chosen)
            self._picture = gui.add_html("")
        self._stiffest = [0.0] * len(joints)
        self.rebuild()

    def rebuild(self) -> None:
        """The knobs of the joint that is chosen."""
        for handle in self._made:
            handle.remove()
        self._made, self._knobs = [], {}
        joint = self._joint()
        gui = self._page.server.gui
        with self._tab:
            for number, knob in enumerate(joint.references, start=1):
                handle = self._slider(_title(knob), knob)
                self._page.turns.turned(handle, partial(self._refer, number))
                self._made.append(handle)
                self._knobs[knob.name] = handle
            surface = [knob for knob in joint.parameters if _is_main(knob)]
            for knob in surface:
                self._made.append(self._parameter(knob))
            others = [knob for knob in joint.parameters if not _is_main(knob)]
            if others:
                folder = gui.add_folder("All parameters", expand_by_default=False)
                self._made.append(folder)
                with folder:
                    for knob in others:
                        self._parameter(knob)

    def show(self, frame: commands.Frame) -> None:
        """Bring the picture to a frame."""
        k = self._page.joint
        stiffness = float(frame.readings["stiffness"][k])
        if not math.isnan(stiffness):
            self._stiffest[k] = max(self._stiffest[k], stiffness)
        self._picture.content = joint_picture(self._joint(), frame, k, self._stiffest[k])

    def values(self) -> Iterator[tuple[Any, float]]:
        """Knobs, and where the session says that they stand."""
        k, frame = self._page.joint, self._page.session.frame
        for name, reading in (("reference_1", "goal"), ("reference_2", "preset")):
            value = float(frame.readings[reading][k])
            if name in self._knobs and not math.isnan(value) and self._page.looking_at is None:
                yield self._knobs[name], value
        for knob in self._joint().parameters:
            handle = self._knobs[knob.name]
            yield handle, min(max(knob.value, handle.min), handle.max)

    def _joint(self) -> commands.Joint:
        return self._page.session.scene.joints[self._page.joint]

    def _parameter(self, knob: commands.Knob) -> Any:
        handle = self._slider(_title(knob), knob)
        self._page.turns.turned(handle, partial(self._turn, knob))
        self._knobs[knob.name] = handle
        return handle

    def _slider(self, title: str, knob: commands.Knob) -> Any:
        span = knob.high - knob.low
        step = 10.0 ** math.floor(math.log10(span) - DIGITS) if span > 0.0 else 1e-9
        low, high = math.floor(knob.low / step) * step, math.ceil(knob.high / step) * step
        return self._page.server.gui.add_slider(
            title,
            min=low,
            max=max(high, low + step),
            step=step,
            initial_value=min(max(knob.value, low), high),
            hint=f"{knob.name}: {knob.meaning}",
        )

    def _refer(self, number: int, value: float, event: Any) -> None:
        self._page.send(commands.Reference(self._joint().name, number, float(value)), event)

    def _turn(self, knob: commands.Knob, value: float, event: Any) -> None:
        within = min(max(float(value), knob.low), knob.high)  # a slider's step goes beyond
        self._page.send(commands.Parameter(self._joint().name, knob.name, within), event)

    def _chosen(self, name: str, _event: Any) -> None:
        names = [joint.name for joint in self._page.session.scene.joints]
        self._page.choose(names.index(name))
        self.rebuild()
        self.show(self._page.frame)


def _is_main(knob: commands.Knob) -> bool:
    """Whether it is a supply or a gain of the controller, which one wants at hand."""
    port, _, symbol = knob.name.partition(".")
    return knob.name == "own.voltage" or (
        port.startswith("control") and symbol in ("kp", "k_p", "k_i", "k_d", "gain", "limit")
    )


def _title(knob: commands.Knob) -> str:
    texts = {"own.voltage": "supply", "reference_1": knob.meaning, "reference_2": knob.meaning}
    unit = "" if knob.unit == "1" else f" [{knob.unit}]"
    return f"{texts.get(knob.name, knob.name)}{unit}"


SPEEDS = {"1/100": 0.01, "1/10": 0.1, "1/4": 0.25, "1/2": 0.5, "1": 1.0, "2": 2.0, "5": 5.0}
DIRECTIONS = {
    "+x": (1.0, 0.0, 0.0),
    "−x": (-1.0, 0.0, 0.0),
    "+y": (0.0, 1.0, 0.0),
    "−y": (0.0, -1.0, 0.0),
    "+z": (0.0, 0.0, 1.0),
    "−z": (0.0, 0.0, -1.0),
}
BACK = 60.0
"""[s] To look back."""
HELP = (
    "Space: pause · S: one step · R: reset · Shift and drag on the robot: push · "
    "drag elsewhere: turn the view"
)


class Controls:
    """Tabs "Run" and "Joint" of the page."""

    def __init__(self, page: PageState) -> None:
        self._page = page
        gui = page.server.gui
        self._status = gui.add_html("")
        self.tabs = gui.add_tab_group()
        self._run = self.tabs.add_tab("Run")
        self._joint = self.tabs.add_tab("Joint")
        self._moves = page.session.scene.whole is None
        with self._run:
            self._clock()
            self._time_line()
            if self._moves:
                self._robot()
            self._table = gui.add_html("")
            gui.add_markdown(HELP if self._moves else "Space: play or pause")
        self._knobs = JointKnobs(page, self._joint)
        self._keys()

    def rebuild(self) -> None:
        """The joints have become others."""
        self._knobs.rebuild()

    def show(self, frame: commands.Frame, status: str) -> None:
        """Bring the readings to a frame."""
        session = self._page.session
        self._status.content = status
        self._table.content = joint_table(session.scene.joints, frame)
        self._pause.label = "Run" if session.paused else "Pause"
        self._knobs.show(frame)

    def values(self) -> Iterator[tuple[Any, float]]:
        """Controls, and where the session says that they stand."""
        session = self._page.session
        if not self._moves:
            yield self.back, min(session.frame.time, float(self.back.max))
        else:
            yield self._load, session.scene.loads[0]
            yield self.timestep, 1e3 * session.scene.timestep
            if self._page.looking_at is None:
                yield self.back, 0.0
        yield from self._knobs.values()

    def _clock(self) -> None:
        gui, page = self._page.server.gui, self._page
        self._pause = gui.add_button("Pause", hint="Pause or run the clock (space)")
        page.turns.clicked(self._pause.on_click, self._toggle)
        if self._moves:
            group = gui.add_button_group(
                "Clock", ("One step", "Reset"), hint="S, R; a reset keeps the knobs as they are"
            )
            page.turns.pressed(group, {"One step": self._step, "Reset": self._reset})
        names = {value: name for name, value in SPEEDS.items()}
        speed = gui.add_dropdown(
            "Speed", tuple(SPEEDS), initial_value=names[1.0], hint="Times real time"
        )
        page.turns.turned(speed, lambda name, event: page.send(commands.Speed(SPEEDS[name]), event))

    def _time_line(self) -> None:
        gui, page = self._page.server.gui, self._page
        if not self._moves:
            end = float(page.session.scene.duration or 0.0)
            self.back = gui.add_slider(
                "Time [s]", min=0.0, max=max(end, 0.01), step=0.01, initial_value=0.0
            )
            page.turns.turned(self.back, self._scrub)
            return
        self.back = gui.add_slider(
            "Look back [s]",
            min=-BACK,
            max=0.0,
            step=0.02,
            initial_value=0.0,
            hint="Pauses the clock and shows an earlier state",
        )
        page.turns.turned(self.back, lambda seconds, _: page.look_back(seconds))
        now = gui.add_button("Continue from here", hint="Restart from the state shown")
        page.turns.clicked(now.on_click, self._go_on)

    def _robot(self) -> None:
        gui, page, scene = self._page.server.gui, self._page, self._page.session.scene
        with gui.add_folder("Push, load and step"):
            self._push_body = gui.add_dropdown("Body", tuple(_bodies(scene.model)))
            self._push_body.value = list(_bodies(scene.model))[-1]
            direction = gui.add_dropdown("Direction", tuple(DIRECTIONS))
            force = gui.add_number("Force [N]", 1.0, min=0.0, max=1e4, step=0.1)
            push = gui.add_button("Push for 0.1 s")

            def pushed(event: Any) -> None:
                body = _bodies(scene.model)[self._push_body.value]
                vector = np.array(DIRECTIONS[direction.value]) * float(force.value)
                page.send(commands.Push(body, tuple(map(float, vector))), event)

            page.turns.clicked(push.on_click, pushed)
            now, most = scene.loads
            self._load = gui.add_number(
                "Load in the hand [kg]",
                now,
                min=0.0,
                max=max(round(most, 2), 0.01),
                step=0.01,
                hint="At the centre of mass of the last body",
            )
            page.turns.turned(self._load, lambda mass, event: page.send(commands.Load(mass), event))
            self.timestep = gui.add_number(
                "Integrator step [ms]",
                1e3 * scene.timestep,
                min=0.01,
                max=50.0,
                step=0.01,
                hint="The motion restarts",
            )
            page.turns.turned(
                self.timestep,
                lambda value, event: page.send(commands.Timestep(1e-3 * value), event),
            )

    def _keys(self) -> None:
        """Hotkeys, which are in the command palette (Ctrl K) too."""
        gui, turns = self._page.server.gui, self._page.turns
        turns.clicked(gui.add_command("Pause or run", hotkey="space").on_trigger, self._toggle)
        if self._moves:
            turns.clicked(gui.add_command("One step", hotkey="S").on_trigger, self._step)
            turns.clicked(gui.add_command("Reset", hotkey="R").on_trigger, self._reset)

    def _toggle(self, event: Any) -> None:
        page = self._page
        page.looking_at = None
        page.send(commands.Pause(not page.session.paused), event)

    def _step(self, event: Any) -> None:
        self._page.send(commands.Step(), event)

    def _reset(self, event: Any) -> None:
        self._page.looking_at = None
        self._page.send(commands.Reset(), event)

    def _scrub(self, seconds: float, event: Any) -> None:
        self._page.send(commands.Pause(True), event)
        self._page.send(commands.Seek(seconds), event)

    def _go_on(self, event: Any) -> None:
        shown = self._page.looking_at
        if shown is not None and not self._page.send(commands.Restore(shown.state), event):
            return
        self._page.looking_at = None
        self._page.send(commands.Pause(False), event)


def _bodies(model: Any) -> dict[str, int]:
    """Name to number of the bodies that can be pushed."""
    return {model.body(k).name or f"body {k}": k for k in range(1, model.nbody)}
