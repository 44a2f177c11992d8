"""Unitree's LowState and LowCmd: the motors of a robot by number, or by the names of its model."""

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.io.findings import Finding
from pliant.io.formats.series import Series
from pliant.words import counted

_LEGS = tuple(
    f"{leg}_{part}_joint" for leg in ("FR", "FL", "RR", "RL") for part in ("hip", "thigh", "calf")
)
POS_STOP, VEL_STOP = 2.146e9, 16000.0
"""PosStopF and VelStopF of the maker's SDK: no position, no speed is commanded."""
_NAMES: Mapping[str, tuple[str, ...]] = {"unitree_go/LowState": _LEGS}
"""Type to the joints of its first motors: Go1, Go2 and B2 share their order. Humanoids differ."""


def motors(
    state: Series, told: Series | None, findings: list[Finding]
) -> tuple[tuple[str, ...], dict[str, Floats], dict[str, Floats]]:
    """Joints, channels, and position commands with their gains, of the motors that ever report a position."""
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
        text = "no LowCmd: the joints can only follow their recording"
        findings.append(Finding("missing", state.topic, text, "warning"))
        return joints, channels, {}
    for joint, k in zip(joints, used, strict=True):
        findings += _gains(joint, told.values, k)
    names = {"q": "goal", "kp": "kp", "kd": "kd"}
    return (
        joints,
        channels,
        {
            ours: told.values[theirs][:, used]
            for theirs, ours in names.items()
            if theirs in told.values
        },
    )


def in_effect(
    joints: Sequence[str],
    channels: dict[str, Floats],
    goal: Floats,
    findings: list[Finding],
) -> Floats:
    """Goals where a position was commanded; elsewhere the motor counts as off, its goal as its position.

    Args:
        joints: (J,). channels: (N, J) each, "position" and, where known, "kp"; "enabled" is added. goal: (N, J).
    """
    stopped = np.abs(goal) > 0.5 * POS_STOP
    off = stopped | (channels["kp"] == 0.0) if "kp" in channels else stopped
    for k, joint in enumerate(joints):
        if stopped[:, k].any():
            text = f"is PosStopF (no command) in {counted(int(stopped[:, k].sum()), 'sample')}: the motor is taken as off there"
            findings.append(Finding("given", f"goal_{joint}", text, "note"))
        if off[:, k].all():
            text = "has kp 0 or is PosStopF throughout: no position was commanded"
            findings.append(Finding("command", f"goal_{joint}", text, "warning"))
        elif (off & ~stopped)[:, k].any():
            many = counted(int((off & ~stopped)[:, k].sum()), "sample")
            text = f"has kp 0 in {many}: the motor is taken as off there"
            findings.append(Finding("given", f"goal_{joint}", text, "note"))
    if off.any():
        channels["enabled"] = (~off).astype(np.float64)
    return np.where(off, channels["position"], goal)


def _gains(joint: str, told: Mapping[str, Floats], k: int) -> list[Finding]:
    """Gains of one motor, and commands beside the position that a position controller ignores."""
    said: list[Finding] = []
    gains = [f"{name} {_span(told[name][:, k])}" for name in ("kp", "kd") if name in told]
    if gains:
        said.append(
            Finding("given", f"goal_{joint}", f"was commanded with {', '.join(gains)}", "note")
        )
    for name, what in (("dq", "speed"), ("tau", "torque")):
        if name not in told:
            continue
        values = np.abs(told[name][:, k])
        values = values[values != VEL_STOP] if name == "dq" else values
        if values.any():
            text = f"a {what} was commanded in addition to the position, up to {values.max():.3g}: a position controller alone does not follow it"
            said.append(Finding("given", f"goal_{joint}", text, "warning"))
    return said


def _span(values: Floats) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
