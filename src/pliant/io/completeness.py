"""Completion of a log: missing constants and channels, and values given instead."""

from collections.abc import Mapping
from typing import TypedDict

import numpy as np

from pliant.errors import located
from pliant.io.findings import Finding, Severity
from pliant.io.table import Header, Table, unread
from pliant.io.validated import validated


class Given(TypedDict, total=False):
    """Constants given by the user, used instead of the file's."""

    mass: float | None
    """[kg]"""
    length: float | None
    """[m]"""
    arm_mass: float | None
    """[kg]"""
    gain: float | None
    """Firmware unit."""
    supply: float | None
    """[V]"""


_CONSTANTS: Mapping[str, tuple[Severity, str]] = {
    "device": ("note", "is missing"),
    "trajectory": ("note", "is missing"),
    "mass": ("error", "is missing: give the mass of the load, mass [kg]"),
    "length": ("error", "is missing: give the load's distance from the axis, length [m]"),
    "gain": ("error", "is missing: give the firmware's P-gain, gain [firmware unit]"),
    "arm_mass": ("note", "is missing; give arm_mass [kg] if the arm is not massless"),
    "supply": ("note", "is missing; give the supply [V], otherwise voltages are not checked"),
}


def with_given(header: Header, given: Given) -> tuple[Header, list[Finding]]:
    """The header with the given constants in place of its own, each noted."""
    values = {name: value for name, value in given.items() if value is not None}
    with located("options"):
        checked = validated(Header, {**header.model_dump(), **values})
    findings: list[Finding] = []
    for name in values:
        was = getattr(header, name)
        says = "the file does not say" if was is None else f"the file says {was:g}"
        text = f"is {getattr(checked, name):g} as given; {says}"
        findings.append(Finding("given", name, text, "note"))
    return checked, findings


def missing_constants(header: Header, names: Mapping[str, str], driven: str) -> list[Finding]:
    """Constants that are missing or look unmeasured; `names` are the file's own."""
    findings: list[Finding] = []
    for name, (severity, text) in _CONSTANTS.items():
        if getattr(header, name) is None and not (name == "gain" and driven == "torque"):
            findings.append(Finding("missing", names[name], text, severity))
    if header.mass == 0.0 and not header.arm_mass:
        text = "is 0, a bare arm, and arm_mass is not known: give arm_mass [kg]"
        findings.append(Finding("missing", names["mass"], text, "error"))
    elif header.arm_mass == 0.0:
        text = "is 0, as if never weighed; give arm_mass [kg] if the arm is not massless"
        findings.append(Finding("missing", names["arm_mass"], text, "note"))
    return findings


def completed(table: Table) -> tuple[Table, list[Finding]]:
    """The table with `goal` and `enabled` filled in where that changes nothing, with a finding for each.

    A temperature of 0 in every row, written by recorders that do not read it, is left out.
    """
    findings = [
        _absent(table, channel, "is not recorded", "note")
        for channel in ("velocity", "voltage")
        if channel not in table
    ]
    if table.finite("temperature") and unread(table.channels["temperature"]):
        text = "reads 0 throughout: taken as not recorded"
        findings.append(_absent(table, "temperature", text, "note"))
        table = table.without("temperature")
    if "enabled" not in table:
        findings.append(_absent(table, "enabled", "is not recorded: taken as always on", "note"))
        table = table.put("enabled", np.ones(len(table)))
    if "goal" not in table:
        if "torque" in table:
            text = "is not recorded: the torque drives the joint, goal and gain are 0"
            findings.append(_absent(table, "goal", text, "warning"))
        else:
            text = "is not recorded, and no torque either: nothing says what drove the joint"
            findings.append(_absent(table, "goal", text, "error"))
        table = table.put("goal", np.zeros(len(table)))
    return table, findings


def _absent(table: Table, channel: str, text: str, severity: Severity) -> Finding:
    return Finding("missing", table.names[channel], text, severity)
