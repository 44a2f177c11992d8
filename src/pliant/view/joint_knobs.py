"""The readings and knobs of the joint that is chosen."""

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from pliant.view.commands import Parameter, Reference
from pliant.view.frame import Frame, Joint, Knob
from pliant.view.picture import joint_picture

if TYPE_CHECKING:
    from pliant.view.page import Page

__all__ = ["JointKnobs"]

DIGITS = 3
"""Digits of a slider's step: 1/1000 of its range."""
_FIRST = ("supply", "gain")


class JointKnobs:
    """Tab "Joint": which one, how it is, its references, supply and gains, all its parameters."""

    def __init__(self, page: "Page", tab: Any) -> None:
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

    def show(self, frame: Frame) -> None:
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

    def _joint(self) -> Joint:
        return self._page.session.scene.joints[self._page.joint]

    def _parameter(self, knob: Knob) -> Any:
        handle = self._slider(_title(knob), knob)
        self._page.turns.turned(handle, partial(self._turn, knob))
        self._knobs[knob.name] = handle
        return handle

    def _slider(self, title: str, knob: Knob) -> Any:
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
        self._page.send(Reference(self._joint().name, number, float(value)), event)

    def _turn(self, knob: Knob, value: float, event: Any) -> None:
        within = min(max(float(value), knob.low), knob.high)  # a slider's step goes beyond
        self._page.send(Parameter(self._joint().name, knob.name, within), event)

    def _chosen(self, name: str, _event: Any) -> None:
        names = [joint.name for joint in self._page.session.scene.joints]
        self._page.joint = names.index(name)
        self.rebuild()
        self._page.curves.rebuild()
        self.show(self._page.frame)


def _is_main(knob: Knob) -> bool:
    """Whether it is a supply or a gain of the controller, which one wants at hand."""
    port, _, symbol = knob.name.partition(".")
    return knob.name == "own.voltage" or (
        port.startswith("control") and symbol in ("kp", "k_p", "k_i", "k_d", "gain", "limit")
    )


def _title(knob: Knob) -> str:
    texts = {"own.voltage": "supply", "reference_1": knob.meaning, "reference_2": knob.meaning}
    unit = "" if knob.unit == "1" else f" [{knob.unit}]"
    return f"{texts.get(knob.name, knob.name)}{unit}"
