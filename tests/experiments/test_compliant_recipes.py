"""The experiments' figures against balances and equations written down here."""

from math import cos, pi, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

from pliant.errors import PliantError
from pliant.experiments.kamedula2016 import centauro, sea_step, sea_time_varying
from pliant.experiments.kamedula2016 import centauro_body as body
from pliant.experiments.mengacci2021 import (
    frequency_response,
    ilc,
    push_box,
    step_response,
    two_link,
    two_link_step,
)
from pliant.experiments.mengacci2021.push_box_arm import ARM
from pliant.experiments.parnenzini import maker_pro, qbmove_stiffness_time, snake
from pliant.experiments.resonance import swing_energy
from pliant.experiments.support.benches import Statics
from pliant.io.actuator_file import load_actuator

from . import ilc_alone

WEIGHT = 0.2 * 9.81 * 0.04


def sinh_pair(k, a, s):
    return lambda phi: -k * (np.sinh(a * (phi - s)) + np.sinh(a * (phi + s)))


def bavs(s):
    a, b, k, ke = 1.21e-6, 2.38e-6, 1.6e5, 8.71

    def torque(phi):
        one, two = s - phi, -s - phi
        return k * (
            b * np.exp(ke * one)
            - a * np.exp(-ke * one)
            + a * np.exp(ke * two)
            - b * np.exp(-ke * two)
        )

    return torque


def awas_ii(s):
    ratio = 0.05 / 0.015 * s / (0.05 - s)
    return lambda phi: -10.0 * ratio**2 * sin(2.0 * phi)


TORQUE = {
    ("sea_walkman_200", 0.0): lambda phi: -200.0 * phi,
    ("sea_walkman_400", 0.0): lambda phi: -400.0 * phi,
    ("awas_ii", 0.005): awas_ii(0.005),
    ("awas_ii", 0.04): awas_ii(0.04),
    ("bavs", 0.001): bavs(0.001),
    ("bavs", 0.22): bavs(0.22),
    ("qbmove_advanced_equal", 0.2): sinh_pair(0.0019, 8.9992, 0.2),
    ("qbmove_advanced_equal", 0.6): sinh_pair(0.0019, 8.9992, 0.6),
}
"""Torque of each spring on the link, over the deflection from the equilibrium."""


@pytest.mark.parametrize("case", step_response.CASES, ids=lambda c: f"{c.actuator}-{c.preset}")
def test_a_step_response_ends_at_the_root_of_the_static_balance(case):
    torque = TORQUE[case.actuator, case.preset]
    settings = step_response.Settings(duration=6.0)
    rest = brentq(lambda q: torque(q - 0.8) - WEIGHT * cos(q), 0.4, 0.9, xtol=1e-14)
    motion = step_response.step(load_actuator(case.actuator), case.preset, settings, 1e-3)
    assert motion.position("joint")[-1] == pytest.approx(rest, abs=1e-4)
    assert step_response.balance(load_actuator(case.actuator), case.preset, settings) == (
        pytest.approx(rest, abs=1e-9)
    )


LIMIT = {"sea_walkman_200": 0.8, "sea_walkman_400": 0.8, "awas_ii": 0.3, "bavs": 0.27}


@pytest.mark.parametrize(
    "case", step_response.CASES[1::2], ids=lambda c: f"{c.actuator}-{c.preset}"
)
def test_a_step_response_rings_as_high_as_its_springs_written_out_say(case):
    """The stiffer of each two, to 1 mrad at the recipe's step; the toolbox clamps what each spring sees."""
    settings = step_response.Settings(duration=0.3)
    actuator, torque = load_actuator(case.actuator), TORQUE[case.actuator, case.preset]
    limit, s = LIMIT.get(case.actuator, 0.8), case.preset

    def pull(phi):
        if case.actuator.startswith("qbmove"):
            seen = [np.clip(phi - s, -limit, limit), np.clip(phi + s, -limit, limit)]
            return -0.0019 * sum(np.sinh(8.9992 * x) for x in seen)
        if case.actuator == "bavs":
            a, b, k, ke = 1.21e-6, 2.38e-6, 1.6e5, 8.71
            one, two = np.clip(phi - s, -limit, limit), np.clip(phi + s, -limit, limit)
            first = a * np.exp(ke * one) - b * np.exp(-ke * one)
            return -k * (first + b * np.exp(ke * two) - a * np.exp(-ke * two))
        return torque(np.clip(phi, -limit, limit))

    def rates(t, y):
        return [y[1], (pull(y[0] - 0.8) - 0.02 * y[1] - WEIGHT * cos(y[0])) / 0.00232]

    times = np.linspace(0.0, 0.3, 3001)
    exact = solve_ivp(rates, (0.0, 0.3), [0.0, 0.0], "DOP853", times, rtol=1e-9, atol=1e-11)
    motion = step_response.step(actuator, s, settings, settings.timestep)
    assert motion.position("joint").max() == pytest.approx(exact.y[0].max(), abs=1e-3)
    assert step_response.integrated(actuator, s, settings) == pytest.approx(
        exact.y[0].max(), abs=5e-4
    )


PEAKS = {"sea_centauro_100": 0.0600, "sea_centauro_188": 0.0409, "sea_centauro_500": 0.0214}
"""[rad] Largest deflection without gravity, from elsewhere."""


@pytest.mark.parametrize("name", PEAKS)
def test_the_deflection_of_a_series_elastic_joint_peaks_where_it_should(name):
    settings = sea_step.Settings(duration=0.5)
    found = sea_step.stepped(load_actuator(name), settings, settings.timestep, gravity=False)
    assert (found.theta - found.q).max() == pytest.approx(PEAKS[name], rel=5e-3)


def truth(settings, times, gravity=True):
    """(T,) q of link and motor, equations of Kamedula et al. with K_t = 188, D_t = 0.5."""

    def rates(t, y, jumped):
        q, v, theta, omega = y
        since = t - settings.ramp_time - settings.hold_time
        goal = settings.ramp * t if not jumped else settings.ramp * settings.ramp_time - 1.0
        if since > 0.0:
            goal += 0.5 * sin(0.02 * pi * since + 0.004 * pi * since**2)
        motor = min(max(1000.0 * (goal - theta), -33.0), 33.0)
        pull = 188.0 * (theta - q) + 0.5 * (omega - v)
        weight = 4.4145 * sin(q) if gravity else 0.0
        return [
            v,
            (weight - 0.7 * v + pull) / 0.286667,
            omega,
            (motor - 24.768 * omega - pull) / 0.0742,
        ]

    y, found = np.zeros(4), []
    for begin, end, jumped in (
        (0.0, settings.ramp_time, False),
        (settings.ramp_time, times[-1], True),
    ):
        inside = times[(times > begin) & (times <= end)]
        run = solve_ivp(
            rates,
            (begin, end),
            y,
            "DOP853",
            np.unique(np.append(inside, end)),
            args=(jumped,),
            rtol=1e-10,
            atol=1e-12,
        )
        found.append(run.y[0, : len(inside)])
        y = run.y[:, -1]
    return np.concatenate(found)


def test_sea_time_varying_keeps_its_bars():
    """1.2e-3 rad at 1 kHz and 3e-4 rad with 4 sub-steps, around the step, where it errs most."""
    settings = sea_time_varying.Settings(hold_time=2.0, chirp_time=2.0)
    coarse, fine, finest = (sea_time_varying.motion(settings, n) for n in (1, 4, 10))
    exact = truth(settings, coarse.time)
    np.testing.assert_allclose(fine.time, coarse.time, atol=1e-9)
    assert np.abs(coarse.q - exact).max() <= 1.2e-3
    assert np.abs(fine.q - exact).max() <= 3e-4
    assert np.abs(finest.q - exact).max() <= 1.2e-4  # an order better than the bar at 1 kHz
    assert np.abs(sea_time_varying.truth(settings, coarse.time).q - exact).max() <= 1e-7


def test_sea_step_rests_where_gravity_spring_and_loop_are_in_balance():
    series = 1.0 / (1.0 / 188.0 + 1.0 / 1000.0)
    q = brentq(lambda q: series * (1.0 - q) + 4.4145 * sin(q), 0.5, 1.5, xtol=1e-14)
    link, motor = sea_step.balance(load_actuator("sea_centauro_188"), 1.0)
    assert link == pytest.approx(q, abs=1e-10)
    assert motor - link == pytest.approx(-4.4145 * sin(q) / 188.0, abs=1e-10)


@pytest.mark.long
def test_the_learning_takes_as_many_trials_as_the_equations_alone_say():
    settings = ilc.Settings(tip_masses=(0.0, 0.1, 0.2, 0.25, 0.3))
    for mass, one in zip(settings.tip_masses, ilc.learned(settings), strict=True):
        expected = [np.abs(error).max() for error in ilc_alone.errors(mass)]
        found = [trial.largest.max() for trial in one.iterations]
        assert one.converged
        assert abs(len(found) - len(expected)) <= 1
        n = min(len(found), len(expected))
        np.testing.assert_allclose(found[:n], expected[:n], atol=5e-3)


def test_the_springs_yield_by_the_closed_form_of_equal_springs():
    for preset in (0.0, 0.4602, 0.6903):
        expected = np.arcsinh(1.5 / (2 * 0.022 * np.cosh(6.85 * preset))) / 6.85
        found = Statics(load_actuator("qbmove_maker_pro_pwm")).deflection(preset, 1.5)
        assert found == pytest.approx(expected, rel=1e-10)


def test_the_released_power_stage_halts_a_tenth_of_a_radian_short_and_the_right_one_half_of_that():
    """The fingerprint of the branch error: 976 ticks, 0.094 rad, of every command."""
    left = {}
    for stage, actuator in maker_pro.STAGES.items():
        motion = maker_pro.moved(actuator, maker_pro.FLANGE, 0.5, 0.0, 1.5, 1e-3)
        left[stage] = 0.5 - maker_pro.motors(motion)[0][-1]
    assert left["as released"] == pytest.approx(0.094, abs=0.01)
    assert left["corrected"] == pytest.approx(0.048, abs=0.003)


def test_a_motor_of_1_3_and_3_74_ohm_has_the_torque_of_the_published_one():
    """0.8 (V - 1.3 om) / 2.3, whatever the voltage and the speed."""
    actuator = load_actuator("qbmove_maker_pro_pwm")
    law = actuator.laws["motor_1"].module
    p = law.P(actuator.value("motor_1.k_t"), actuator.value("motor_1.R"))
    for duty, omega in ((1.0, 0.0), (0.4, 3.0), (-1.0, 5.0)):
        expected = 0.8 * (8.0 * duty - 1.3 * omega) / 2.3
        assert law.torque(duty, 1.0, omega, 8.0, p) == pytest.approx(expected, rel=1e-9)


def test_the_preset_left_behind_is_the_mark_of_the_released_stage():
    settings = qbmove_stiffness_time.Settings(settle=0.5, duration=4.0)
    actuator = maker_pro.STAGES["as released"]
    time, preset, _ = qbmove_stiffness_time.changed(actuator, maker_pro.FLANGE, 0.0, settings)
    assert preset[time > 3.8].mean() == pytest.approx(0.0935, abs=0.006)
    assert preset[(time > 2.5) & (time < 2.9)].mean() == pytest.approx(0.637, abs=0.015)


@pytest.mark.parametrize(
    ("sections", "grounded", "dofs"),
    [
        (body.FIVE, False, 36 + 6),
        (body.FIVE, True, 36),
        (("pelvis", "legs", "hip_wheels"), True, 16),
        (("pelvis", "legs", "knee_wheels"), True, 16),
        (("pelvis", "torso", "arms"), False, 2 + 14),
        (("pelvis", "arms", "legs"), False, 4 * 3 + 6),
        (("pelvis", "torso", "wheels"), False, 2),
    ],
)
def test_what_hangs_on_a_left_out_section_is_left_out_too(sections, grounded, dofs):
    spec = body.robot(sections, grounded=grounded, timestep=5e-4)
    assert spec.compile().nv == dofs


def test_an_unknown_section_is_refused():
    with pytest.raises(PliantError, match="unknown section; found 'leg'; did you mean 'legs'"):
        body.sections(["pelvis", "leg"])


@pytest.mark.long
def test_the_box_stops_the_arm_that_is_soft_enough_and_not_the_stiff_one():
    settings = push_box.Settings()
    *_, between = push_box.candidates(settings).values()

    def box(springs, preset):
        return push_box.moved(push_box.pushed(springs, preset, settings), settings)[-1]

    assert 0.02 < box("qbmove_advanced_alterego", 0.2) < 0.04
    assert box("qbmove_ilc_joint_2", 0.2) < 1e-3
    for preset in settings.presets:
        moved, alone = box(between, preset), pushed_slowly(0.01, 11.0, preset)
        assert (moved < 1e-3) == (alone == 0.0)
        assert moved == pytest.approx(alone, abs=2e-3)


@pytest.mark.long
def test_with_its_hand_alone_the_soft_arm_pushes_as_far_as_a_balance_says(monkeypatch):
    """AlterEgo's springs; else a cube of the arm touches the box too, and moves it further."""
    settings, whole = push_box.Settings(), push_box.arm

    def hand_alone(settings, *, box):
        spec = whole(settings, box=box)
        for geom in spec.geoms:
            if geom.contype == ARM:
                geom.contype = 0
        return spec

    monkeypatch.setattr(push_box, "arm", hand_alone)
    moved = push_box.moved(push_box.pushed("qbmove_advanced_alterego", 0.2, settings), settings)
    assert moved[-1] == pytest.approx(pushed_slowly(0.02, 11.0, 0.2), abs=2e-3)
    assert moved[-1] == pytest.approx(0.015, abs=1e-3)


def pushed_slowly(k, a, preset):
    """How far two planar joints of equal springs push the box [m]: balance with 4.5 N of friction."""
    upper, fore, goal, face = 0.1675, 0.1305, (0.16, 0.25), 0.06
    away = np.hypot(*goal)
    shoulder = np.arctan2(goal[1], goal[0]) + np.arccos(
        (upper**2 + away**2 - fore**2) / (2 * upper * away)
    )
    tip = goal[1] - upper * sin(shoulder), goal[0] - upper * cos(shoulder)
    commanded = np.array([shoulder, np.arctan2(*tip) - shoulder])

    def left(q, force):
        leaned = q - commanded
        pull = sum(k * np.sinh(a * np.clip(leaned + s, -0.8, 0.8)) for s in (preset, -preset))
        fore_lever = fore * sin(q[0] + q[1])
        return -pull + force * np.array([upper * sin(q[0]) + fore_lever, fore_lever])

    q = commanded
    for force in np.linspace(0.0, 0.23 * 2.0 * 9.81, 41):
        q = fsolve(left, q, (force,))
    return max(0.0, upper * cos(q[0]) + fore * cos(q[0] + q[1]) - face)


def test_springs_that_cannot_hold_the_arm_say_so():
    with pytest.raises(
        PliantError, match=r"qbmove_advanced_equal, preset 0.6 rad: the springs cannot hold"
    ):
        push_box.pushed("qbmove_advanced_equal", 0.6, push_box.Settings())


@pytest.mark.long
@pytest.mark.parametrize("uneven", [False, True])
def test_the_snake_travels_and_stays_on_its_belly(uneven):
    settings = snake.Settings(duration=6.0)
    motion = snake.crawled(settings, uneven=uneven)
    track = snake.centres(motion, settings)
    assert np.linalg.norm(track[-1] - track[0]) > 0.3
    assert snake.uprightness(motion, settings).min() > 0.5


@pytest.mark.parametrize("part", [1.0, 6.0])
def test_a_swing_costs_what_its_equations_say(part):
    """Energy from MuJoCo against quadrature of the equations of motion."""
    settings = swing_energy.Settings(cycles=6, timestep=5e-4)
    k = part * swing_energy.resonant(settings)
    actuator = swing_energy.with_spring(load_actuator(settings.actuator), k)
    here = swing_energy.simulated(actuator, settings)
    there = swing_energy.expected(actuator, k, settings)
    assert here.drawn == pytest.approx(there.drawn, rel=0.02)
    assert here.copper == pytest.approx(there.copper, rel=0.02)


def two_link_alone(k, a, preset, goal, until):
    """Overshoot and end [rad] of two horizontal segments with motors, by their own equations."""
    m, c, inertia, length = 0.5408, 0.0768, 4.047e-3, 0.09
    far, cross, near = inertia, m * length * c, inertia + m * length**2 + inertia
    side = np.array([[preset, -preset]] * 2)

    def rates(t, y):
        q, v, theta, omega = y[:2], y[2:4], y[4:8].reshape(2, 2), y[8:].reshape(2, 2)
        bend, sine = cross * np.cos(q[1]), cross * np.sin(q[1])
        mass = [[near + 2 * bend, far + bend], [far + bend, far]]
        spin = sine * np.array([v[1] * (2 * v[0] + v[1]), -(v[0] ** 2)])
        spring = k * np.sinh(a * np.clip(q[:, None] - theta, -0.8, 0.8))
        link = spin - spring.sum(1) - 0.065 * v - 0.025 * np.tanh(v / 1e-2)
        motor = np.clip(125.0 * (goal + side - theta) - 4.5 * omega, -6.0, 6.0)
        motor = motor - 0.2698 * omega + spring - 0.02 * np.tanh(omega / 1e-2)
        return np.r_[v, np.linalg.solve(mass, link), omega.ravel(), motor.ravel() / 0.0233]

    first = np.r_[np.zeros(4), side.ravel(), np.zeros(4)]
    found = solve_ivp(rates, (0.0, until), first, "LSODA", rtol=1e-6, atol=1e-8).y
    return found[:2].max() - goal, found[:2, -1]


@pytest.mark.parametrize(
    ("springs", "k", "a"),
    [("qbmove_advanced_equal", 0.0019, 8.9992), ("qbmove_advanced_alterego", 0.02, 11.0)],
)
def test_the_stiff_arm_of_two_links_swings_as_far_as_its_equations_say(springs, k, a):
    """Mengacci 2021, Fig. 12: with the plugin's springs it rings, with AlterEgo's it does not."""
    settings = two_link_step.Settings(arm=two_link.Arm(actuators=(springs, springs), gravity=False))
    _, q, equilibria = two_link_step.stepped(settings, 0.6, 0.0)
    over, end = two_link_alone(k, a, 0.6, 0.8, 4.0)
    assert q.max() - 0.8 == pytest.approx(over, abs=0.01)
    assert q[-1] == pytest.approx(end, abs=0.01)
    assert equilibria[-1] == pytest.approx([0.8, 0.8], abs=2e-3)
    assert (over > 0.4) == (springs == "qbmove_advanced_equal")


def test_the_plugins_springs_pull_a_chirped_joint_by_less_than_its_friction():
    """Mengacci 2021, Fig. 11: equilibrium 0.15 rad away, preset 0.2 rad."""
    settings = frequency_response.Settings()
    pull = sinh_pair(0.0019, 8.9992, settings.soft)(-settings.amplitude)
    assert pull == pytest.approx(0.021, abs=5e-4)
    assert pull < settings.friction
    assert "0.15 rad gives 0.021 N m" in frequency_response.NOTES[0]
    _, link, _ = frequency_response.swept(
        frequency_response.Settings(actuator=two_link.PLUGIN[0]), settings.soft
    )
    assert np.abs(link).max() < 0.02 * settings.amplitude


def test_an_elbow_that_its_friction_holds_stays_where_it_stopped():
    settings = two_link_step.Settings()
    _, q, _ = two_link_step.stepped(settings, settings.soft, 0.0)
    elbow = q[2000:, 1]
    pull = sinh_pair(0.0019, 8.9992, settings.soft)(elbow[0] - settings.step)
    assert 0.01 < abs(pull) < settings.arm.friction
    assert np.ptp(elbow) < 1e-3


@pytest.mark.slow
def test_a_hip_yaw_without_load_comes_to_its_reference_and_a_hip_pitch_stays_behind_by_its_weight():
    """Kamedula 2016, Fig. 9, with the legs in the air; the weight from the masses and lengths."""
    settings = centauro.Settings(sections=("pelvis", "legs"), grounded=True, hold=2.0, change=1.0)
    motion, joints, goals = centauro.moved(settings)
    errors = {j: goals[-1, k] - motion.position(j)[-1] for k, j in enumerate(joints)}
    assert np.ptp(goals[:, joints.index("leg_1_yaw")]) > 0.04
    assert abs(errors["leg_1_yaw"]) < 1e-5
    thigh, shank, foot = 4.0 * 0.2, 4.0 * 0.4, 0.1 * 0.4
    weight = (
        9.81 * (thigh + shank + foot) * cos(1.05)
    )  # the shank hangs: its knee turns by the rest
    assert errors["leg_1_hip"] == pytest.approx(-weight * (1 / 2000.0 + 1 / 5000.0), rel=0.03)
    arms = [body.posture(name)["arm_left_elbow"] for name in body.POSTURES]
    assert len(set(arms)) == 3
