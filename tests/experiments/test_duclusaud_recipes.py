"""The recipes of the extended friction models, against balances and kinematics written down here."""

from math import cos, pi, sin

import numpy as np
import pytest

from pliant.catalogue import actuator_files
from pliant.errors import PliantError
from pliant.experiments.duclusaud2025 import drive_backdrive, identification, two_link_paths
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs, read_logs


def test_coulomb_friction_makes_a_band_of_its_own_width_on_both_sides():
    servo = load_actuator("mx106_bam_m1")
    for v in (0.0, 2.0):
        found = drive_backdrive.limits(servo, v, 4.0, 401)
        width = servo.value("friction.K_c") + servo.value("friction.K_v") * v
        kept = found.tau_m > width
        assert found.drive[kept] == pytest.approx(found.tau_m[kept] - width, abs=0.0101)
        kept = found.tau_m + width < 4.0
        assert found.backdrive[kept] == pytest.approx(found.tau_m[kept] + width, abs=0.0101)


def test_a_load_dependent_servo_at_rest_drives_and_yields_where_its_model_says():
    """M3: the budget is K_c + K_l (3 N m + load), on either side."""
    servo = load_actuator("mx106_bam_m3")
    k_c, k = (servo.value(f"friction.{name}") for name in ("K_c", "K_l"))
    found = drive_backdrive.limits(servo, 0.0, 6.0, 1201)
    middle = 600
    drive, backdrive = (3.0 * (1.0 - k) - k_c) / (1.0 + k), (3.0 * (1.0 + k) + k_c) / (1.0 - k)
    assert found.drive[middle] == pytest.approx(drive, abs=0.0051)
    assert found.backdrive[middle] == pytest.approx(backdrive, abs=0.0051)


@pytest.mark.parametrize("name", ["mx106_bam_m1", "waveshare_st3025_bam_m1"])
def test_the_stall_torque_is_that_of_the_voltage_over_the_resistance(name):
    """The second lets its goal run no faster than 22 rad/s."""
    servo = load_actuator(name)
    k_t, r, u, most = (
        servo.value(x) for x in ("motor.k_t", "motor.R", "own.voltage", "control.limit")
    )
    assert drive_backdrive.stall_torque(servo) == pytest.approx(k_t * u * most / r, rel=1e-12)


def test_every_device_with_all_six_models_has_its_diagrams():
    models = {k: {n[:-3] for n in actuator_files() if n.endswith(f"_m{k}")} for k in range(1, 7)}
    shown = {name[:-3] for names in drive_backdrive.PUBLISHED.values() for name in names}
    assert shown == set.intersection(*models.values())


def test_an_actuator_without_a_budget_has_no_diagram():
    with pytest.raises(PliantError, match="actuator bavs: has no friction budget"):
        drive_backdrive.limits(load_actuator("bavs"), 0.0, 1.0, 11)


LENGTHS = {"mx": (0.18, 0.18), "erob": (0.25, 0.25)}


@pytest.mark.parametrize("name", LENGTHS)
@pytest.mark.parametrize("path", ["circle", "square", "square wave", "triangle"])
def test_the_goals_of_an_arm_lead_its_end_along_the_path(name, path):
    """Two rods in a plane: the end is where they are put together, hanging at zero."""
    arm = two_link_paths.ARMS[name]
    angles, places = two_link_paths.goals(arm, arm.paths[path])
    (upper, fore), sense = LENGTHS[name], 1.0 if name == "mx" else -1.0
    rods = [
        [upper * sin(a) + fore * sin(a + b), upper * cos(a) + fore * cos(a + b)]
        for a, b in angles * [1.0, sense]
    ]
    ends = [np.array(rods), np.array(rods) * [-1.0, 1.0]]  # either sense of turning
    assert min(np.abs(end - places).max() for end in ends) < 1e-3
    assert np.abs(np.diff(angles, axis=0)).max() < 0.1  # no jump from one elbow to the other


def test_the_paths_have_the_corners_and_times_of_the_recordings():
    mx, erob = (two_link_paths.ARMS[name].paths for name in ("mx", "erob"))
    top = 0.35 - 0.0548
    assert mx["square"].duration == 8.0
    assert mx["square"].place(4.0) == pytest.approx((-0.05, top - 0.1))
    assert mx["square"].place(1.0) == pytest.approx((0.05, top - 0.05))
    assert mx["circle"].place(2.0) == pytest.approx((0.05, top - 0.05))
    assert mx["triangle"].place(15.0) == pytest.approx((-0.2, top - 0.05))
    assert erob["square"].place(0.9) == pytest.approx((-0.1, 0.4))
    assert erob["square wave"].duration == 39.0
    assert erob["circle"].place(8.0) == pytest.approx((0.1 * sin(2 * pi), 0.2))


@pytest.mark.slow
def test_a_stiffer_loop_follows_closer_and_the_models_differ():
    arm = two_link_paths.ARMS["mx"]
    settings = two_link_paths.Settings()
    angles, wanted = two_link_paths.goals(arm, arm.paths["circle"])
    error = {}
    for gain in arm.gains:
        reached = {
            m: two_link_paths.places(arm, two_link_paths.turned(arm, m, gain, angles, settings))
            for m in ("m1", "m6")
        }
        error[gain] = np.hypot(*(reached["m6"] - wanted).T).mean()
        distance, pair = two_link_paths.apart(reached)
        assert pair == ("m1", "m6")
        assert distance > 1e-3
    assert error[32.0] < error[8.0]


M6_AS_PRINTED = '''
"""Eq. (10) to the letter."""

from math import exp, pow
from typing import Annotated, NamedTuple


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]
    K_m: Annotated[float, "1", (0.0, 2.0)]
    K_e: Annotated[float, "1", (0.0, 2.0)]
    K_cs: Annotated[float, "N m", (0.0, 100.0)]
    K_ms: Annotated[float, "1", (0.0, 2.0)]
    K_es: Annotated[float, "1", (0.0, 2.0)]
    K_mq: Annotated[float, "1/(N m)", (0.0, 2.0)]
    K_eq: Annotated[float, "1/(N m)", (0.0, 2.0)]
    v_s: Annotated[float, "rad/s", (1e-3, 10.0)]
    alpha: Annotated[float, "1", (0.1, 10.0)]


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    q = p.K_eq * tau_e * tau_e if abs(tau_m) > abs(tau_e) else p.K_mq * tau_m * tau_m
    s = exp(-pow(abs(v) / p.v_s, p.alpha))
    rest = p.K_cs + abs(p.K_ms * tau_m - p.K_es * tau_e) + q
    return p.K_v * abs(v) + p.K_c + abs(p.K_m * tau_m - p.K_e * tau_e) + s * rest
'''


@pytest.mark.slow
def test_m6_as_printed_turns_the_erob_arm_by_as_little_as_its_note_says(tmp_path, monkeypatch):
    arm, settings = two_link_paths.ARMS["erob"], two_link_paths.Settings()
    angles, _ = two_link_paths.goals(arm, arm.paths["circle"])
    ours = two_link_paths.turned(arm, "m6", 50.0, angles, settings)
    (tmp_path / "printed.py").write_text(M6_AS_PRINTED.lstrip())
    for device in arm.devices:
        name = f"{device}_bam_m6"
        text = actuator_files()[name].read_text().replace('"m6"', '"printed.py"')
        (tmp_path / f"{name}.toml").write_text(text)
    monkeypatch.setattr(
        two_link_paths, "load_actuator", lambda name: load_actuator(tmp_path / f"{name}.toml")
    )
    printed = two_link_paths.turned(arm, "m6", 50.0, angles, settings)
    apart = 1e3 * np.abs(printed - ours).max()
    assert apart == pytest.approx(0.06, abs=0.005)
    assert any("would differ by up to 0.06 mrad" in note for note in two_link_paths.NOTES)


@pytest.mark.parametrize(("device", "damping"), [("erob80_100", 2.0), ("erob80_50", 1.0)])
def test_the_current_law_of_an_erob_damps_as_in_the_authors_program(device, damping):
    """12 A at most, and a damping by the gear."""
    for model in range(1, 7):
        servo = load_actuator(f"{device}_bam_m{model}")
        law = servo.laws["control"].module
        p = law.P(*(servo.value(f"control.{name}") for name in law.P._fields))
        p = p._replace(kp=100.0)
        assert law.command(law.start(0.0, p), 0.1, 0.0, 0.3, p) == pytest.approx(10 - 3 * damping)
        assert law.command(law.start(0.0, p), 1.0, 0.0, 0.0, p) == 12.0


def test_a_quarter_is_held_out_and_never_fitted():
    logs = read_logs(example_logs())
    settings = identification.Settings()
    splits = identification.drawn(logs, settings)
    assert [len(s.judge) for s in splits] == [3, 3, 3]
    for split in (*splits, *identification.by_gain(logs)):
        assert {log.name for log in split.fit} | {log.name for log in split.judge} == {
            log.name for log in logs
        }
        assert not {log.name for log in split.fit} & {log.name for log in split.judge}
    assert len({tuple(log.name for log in s.judge) for s in splits}) == 3
    again = identification.drawn(logs, settings)
    assert [s.judge for s in again] == [s.judge for s in splits]
    assert {log.gain for log in identification.by_gain(logs)[0].judge} == {100.0}


def test_the_note_on_the_order_of_the_models_is_of_the_errors_found():
    """By hand: A is the best of the first draw, B of the second; A scatters by 20, the means 5 and 10 differ."""
    draw, gain = (identification.Split(how, (), ()) for how in ("drawn at random", "by gain"))
    errors = [("A", draw, 0.01), ("B", draw, 0.02), ("A", draw, 0.03), ("B", draw, 0.01)]
    errors += [("A", gain, 0.05), ("B", gain, 0.04)]
    note = identification.told([identification.Found(a, s, 0.0, x) for a, s, x in errors])
    assert (
        "drawn at random: the best of each split is A, B; one model's errors differ by up to 20"
        in note
    )
    assert "means by 5 mrad" in note
    assert "by gain: the best of each split is B;" in note
    assert "means by 10 mrad" in note
