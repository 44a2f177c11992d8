"""Curves of an actuator against closed forms of a DC motor with Coulomb and viscous friction."""

from pathlib import Path

import numpy as np
import pytest

from pliant.cli import main
from pliant.io.actuator_file import load_actuator
from pliant.report.derived import derived
from pliant.report.still import drive_backdrive, torque_speed


def numbers() -> tuple[float, ...]:
    actuator = load_actuator("xl330_bam_m1")
    names = ("motor.k_t", "motor.R", "own.voltage", "friction.K_c", "friction.K_v")
    return tuple(actuator.value(name) for name in names)


def test_torque_and_efficiency_are_those_of_a_dc_motor() -> None:
    k, r, u, k_c, k_v = numbers()
    curves = torque_speed(load_actuator("xl330_bam_m1"))
    assert curves is not None
    v = curves["speed"]
    current = (u - k * v) / r
    np.testing.assert_allclose(curves["motor"], k * current, atol=1e-12)
    joint = np.maximum(k * current - k_c - k_v * v, 0.0)
    np.testing.assert_allclose(curves["joint"], joint, atol=1e-9)
    np.testing.assert_allclose(curves["efficiency"], joint * v / (u * current), atol=1e-9)
    assert v[-1] == pytest.approx((k * u / r - k_c) / (k * k / r + k_v))


def test_loads_are_a_coulomb_friction_apart_from_the_motor() -> None:
    _, _, _, k_c, _ = numbers()
    curves = drive_backdrive(load_actuator("xl330_bam_m1"))
    assert curves is not None
    driven = np.maximum(curves["motor"] - k_c, 0.0)
    np.testing.assert_allclose(curves["driven"], driven, atol=1e-9)
    np.testing.assert_allclose(curves["backdriving"], curves["motor"] + k_c, atol=1e-9)


def test_the_picture_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "xl330_bam_m6", "--picture", str(tmp_path / "a.png")]
    assert main(words) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert main(words) == 1
    assert "exists already" in capsys.readouterr().err
    assert main([*words[:3], str(tmp_path / "a.txt")]) == 1
    assert "is not a picture" in capsys.readouterr().err


def test_without_friction_a_joint_breaks_away_at_nothing() -> None:
    figures = derived(load_actuator("unitree_7520_14_mjlab"))
    assert figures.breakaway_torque == figures.backdrive_torque == 0.0
    assert figures.stall_torque == figures.motor_torque
