"""Torque characteristics: found where they are known, and errors that say what they cover."""

import numpy as np
import pytest

from pliant import PliantError
from pliant.estimate.characterise import block_length, fit_torque_characteristic, torque_error

TRUTH = np.array([0.022, 6.85, 0.025, 6.5])
MOTORS = np.array([0.3, -0.3])


def torque(q, p=TRUTH, motors=MOTORS):
    return sum(k * np.sinh(a * (q - m)) for k, a, m in zip(p[::2], p[1::2], motors, strict=True))


def stiffness(q, p=TRUTH, motors=MOTORS):
    return sum(
        a * k * np.cosh(a * (q - m)) for k, a, m in zip(p[::2], p[1::2], motors, strict=True)
    )


def sweep(count=400):
    """Twice up and down."""
    return 0.4 * np.sin(np.linspace(0.0, 4.0 * np.pi, count))


def test_two_springs_are_found_exactly_without_noise():
    q = sweep()
    found = fit_torque_characteristic(q, torque(q), MOTORS, refits=20)
    assert found.names == ("k_a", "a_a", "k_b", "a_b")
    assert found.units == ("N m", "1/rad", "N m", "1/rad")
    np.testing.assert_allclose(found.parameters, TRUTH, rtol=1e-8)
    np.testing.assert_allclose(found.curve.stiffness, stiffness(found.curve.q), rtol=1e-8)
    np.testing.assert_allclose(found.curve.torque, torque(found.curve.q), atol=1e-9)


@pytest.mark.parametrize(
    ("offset", "angle", "shift"), [("angle", 0.03, 0.0), ("torque", 0.0, 0.02)]
)
def test_a_zero_error_of_angle_or_torque_is_found(offset, angle, shift):
    q = sweep()
    found = fit_torque_characteristic(
        q, torque(q - angle) + shift, MOTORS, offsets=(offset,), refits=20
    )
    assert found.names[-1] == f"{offset}_offset"
    np.testing.assert_allclose(found.parameters, [*TRUTH, angle + shift], rtol=1e-6)
    np.testing.assert_allclose(found.curve.stiffness, stiffness(found.curve.q - angle), rtol=1e-7)
    assert found.warnings == ()


def test_motors_that_move_are_followed():
    q, t = sweep(), np.linspace(0.0, 1.0, 400)
    motors = np.column_stack([0.3 + 0.1 * np.sin(9 * t), -0.3 + 0.1 * np.cos(7 * t)])
    found = fit_torque_characteristic(q, torque(q, motors=motors.T), motors, refits=20)
    np.testing.assert_allclose(found.parameters, TRUTH, rtol=1e-7)


def test_a_linear_spring_has_its_regression_slope():
    rng = np.random.default_rng(2)
    q = sweep()
    tau = 103.0 * (q - 0.05) + 0.1 * rng.normal(size=len(q))
    found = fit_torque_characteristic(q, tau, 0.05, law="linear_spring", refits=20)
    phi = q - 0.05
    assert found.names == ("k",)  # and no damping, which no static torque shows
    assert found.parameters[0] == pytest.approx(phi @ tau / (phi @ phi), rel=1e-7)


def test_the_band_holds_the_truth_as_often_as_it_says():
    """Noise that remembers itself, over 12 recordings and all angles."""
    inside = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        white = rng.normal(size=420)
        noise = np.convolve(white, np.ones(10), "valid")[:400] * 3e-3
        q = sweep()
        found = fit_torque_characteristic(q, torque(q) + noise, MOTORS, refits=40, seed=seed)
        truth = stiffness(found.curve.q)
        inside.append(np.mean((found.curve.low <= truth) & (truth <= found.curve.high)))
    assert 0.8 < np.mean(inside) <= 1.0


def test_c_counts_small_torques_for_its_floor_and_is_no_interval():
    rng = np.random.default_rng(1)
    q = sweep()
    tau = torque(q) + 0.02 * rng.normal(size=len(q))
    found = fit_torque_characteristic(q, tau, MOTORS, refits=20)
    floor = 0.05 * np.abs(tau).max()
    by_hand = 100 * np.sqrt(np.mean((found.residual / np.maximum(np.abs(tau), floor)) ** 2))
    assert found.c == pytest.approx(by_hand)
    assert found.floor == pytest.approx(floor)
    assert found.below == pytest.approx(np.mean(np.abs(tau) < floor))
    error = 100 * np.abs(found.curve.stiffness / stiffness(found.curve.q) - 1.0).max()
    assert error < 0.5 * found.c
    assert torque_error(np.array([1.0]), np.array([0.1]), 2.0) == pytest.approx(5.0)


def test_hysteresis_is_seen_between_the_branches():
    q = sweep()
    rising = np.gradient(q) > 0.0
    tau = torque(q) * np.where(rising, 1.1, 1.0)
    found = fit_torque_characteristic(q, tau, MOTORS, refits=20)
    assert {one.fitted for one in found.branches} == {"rising", "falling"}
    assert all(3.0 < one.stiffness < 8.0 for one in found.branches)
    assert any("hysteresis" in warning for warning in found.warnings)


def test_given_branches_are_used():
    q = sweep()
    branch = (np.arange(len(q)) * 4 // len(q)).astype(float)
    found = fit_torque_characteristic(q, torque(q), MOTORS, branch=branch, refits=20)
    assert [one.fitted for one in found.branches] == [f"branch {k}" for k in range(4)]
    assert found.branches[0].tried == "branch 1, branch 2, branch 3"
    assert max(one.stiffness for one in found.branches) < 1e-3


def test_one_way_only_is_said():
    q = np.linspace(-0.4, 0.4, 200)
    found = fit_torque_characteristic(q, torque(q), MOTORS, refits=20)
    assert found.branches == ()
    assert "the deflection goes one way only: hysteresis cannot be seen" in found.warnings


def test_a_law_of_the_wrong_form_is_said():
    q = sweep()
    found = fit_torque_characteristic(q, torque(q), 0.0, law="linear_spring", refits=20)
    assert any("residual repeats at the same deflections" in warning for warning in found.warnings)


def test_blocks_outlast_the_memory_of_the_residual():
    rng = np.random.default_rng(0)
    white = rng.normal(size=4000)
    assert block_length(white) < 10
    assert block_length(np.convolve(white, np.ones(20), "valid")) > 20


def test_it_is_repeatable():
    rng = np.random.default_rng(1)
    q = sweep()
    tau = torque(q) + 0.02 * rng.normal(size=len(q))
    one, other = (fit_torque_characteristic(q, tau, MOTORS, refits=20, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one.curve.low, other.curve.low)


@pytest.mark.parametrize(
    ("change", "wording"),
    [
        ({"tau": -torque(sweep())}, "tau: falls with the deflection: its sign, or link and motor"),
        (
            {"tau": torque(sweep())[:-1]},
            "tau: wrong number of values for these samples; found (399,)",
        ),
        ({"q": np.where(np.arange(400) == 7, np.nan, sweep())}, "q[7]: is not a number"),
        ({"q": sweep()[:12], "tau": torque(sweep()[:12])}, "q: too few samples; found 12"),
        ({"q": np.zeros(400)}, "q: no deflection changes, or no torque acts"),
        ({"law": "sinh"}, "unknown compliance law; found 'sinh'; did you mean 'sinh_spring'?"),
        ({"refits": 3}, "refits: too few for a band; found 3; accepted: from 20"),
        ({"branch": [1.0]}, "branch: wrong number of values for these samples"),
    ],
)
def test_a_recording_that_cannot_be_used_is_refused(change, wording):
    given = {"q": sweep(), "tau": torque(sweep()), "theta": MOTORS, **change}
    with pytest.raises(PliantError) as refused:
        fit_torque_characteristic(**given)
    assert wording in str(refused.value)
