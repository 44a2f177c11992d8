"""Unitree's LowState and LowCmd: the motors of a robot by number, or by the names of its model."""

from collections.abc import Mapping

import numpy as np

from pliant.arrays import Floats
from pliant.io.findings import Finding
from pliant.io.formats.series import Series

_LEGS = tuple(
    f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in ("hip", "thigh", "calf")
)
_NAMES: Mapping[str, tuple[str, ...]] = {"unitree_go/LowState": _LEGS}
"""Type to the joints of its first motors: Go1, Go2 and B2 share their order. Humanoids differ."""


def motors(
    state: Series, told: Series | None, findings: list[Finding]
) -> tuple[tuple[str, ...], dict[str, Floats], Floats | None]:
    """Joints, channels, and position commands of the motors that ever report a position."""
    position = state.values["q"]
    moved = (position != 0.0).any(axis=0)
    used = [k for k in range(len(moved)) if moved[k] or not moved.any()]
    names = _NAMES.get(state.kind, ())
    joints = tuple(names[k] if k < len(names) else f"motor_{k}" for k in used)
    places = {
        "q": "position", "dq": "speed", "tau_est": "torque", "temperature": "temperature",
        "vol": "voltage",
    }  # fmt: skip
    channels = {
        ours: state.values[theirs][:, used]
        for theirs, ours in places.items()
        if theirs in state.values
    }
    if "power_v" in state.values and (state.values["power_v"] > 0.0).all():
        channels["supply"] = state.values["power_v"]
    if not names:
        text = "motors have no names here: they are called by number; --rename gives the model's"
        findings.append(Finding("missing", state.topic, text, "note"))
    if told is None:
        text = "no LowCmd: the joints can only be led along their recording"
        findings.append(Finding("missing", state.topic, text, "warning"))
        return joints, channels, None
    for joint, k in zip(joints, used, strict=True):
        findings += _gains(joint, told.values, k)
    return joints, channels, told.values["q"][:, used]


def _gains(joint: str, told: Mapping[str, Floats], k: int) -> list[Finding]:
    """Gains of one motor, and commands beside the position that a position controller ignores."""
    said: list[Finding] = []
    gains = [f"{name} {_span(told[name][:, k])}" for name in ("kp", "kd") if name in told]
    if gains:
        said.append(
            Finding("given", f"goal_{joint}", f"was commanded with {', '.join(gains)}", "note")
        )
    for name, what in (("dq", "speed"), ("tau", "torque")):
        if name in told and (told[name][:, k] != 0.0).any():
            text = f"a {what} was commanded beside the position, up to {np.abs(told[name][:, k]).max():.3g}: a position controller alone does not follow it"
            said.append(Finding("given", f"goal_{joint}", text, "warning"))
    return said


def _span(values: Floats) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
