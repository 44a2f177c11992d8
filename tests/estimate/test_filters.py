"""The kernels differentiate while they smooth, and belong together."""

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.estimate.layout import MIDDLE_RATE, SPEED, box_kernels, matched

DT = 0.005


def response(kernel, omega):
    """About the kernel's middle."""
    k = np.arange(len(kernel)) - (len(kernel) - 1) / 2
    return np.sum(kernel * np.exp(1j * omega * DT * k))


def test_kernels_give_value_slope_and_curvature_of_a_parabola_at_their_centre():
    k0, k1, k2 = box_kernels(4, 5, DT)
    t = (np.arange(len(k0)) - (len(k0) - 1) / 2) * DT
    assert k0 @ np.ones_like(t) == pytest.approx(1.0)
    assert k0 @ t == pytest.approx(0.0, abs=1e-12)
    assert k1 @ (2.0 + 3.0 * t + 4.0 * t**2) == pytest.approx(3.0)
    assert k2 @ (2.0 + 3.0 * t + 4.0 * t**2) == pytest.approx(8.0)


def test_a_kernel_is_boxes_convolved():
    k0, k1, _ = box_kernels(2, 3, DT)
    box = np.array([0.5, 1.0, 1.0, 0.5]) / 3
    step = np.array([-1.0, 0.0, 0.0, 1.0]) / (3 * DT)
    assert k0 == pytest.approx(np.convolve(box, box))
    assert k1 == pytest.approx(np.convolve(step, box))


@pytest.mark.parametrize("omega", [5.0, 20.0, 40.0])
def test_matched_kernels_differ_by_a_derivative_and_nothing_else(omega):
    k0, k1, k2 = box_kernels(4, 5, DT)
    for less, more in ((k1, k0), (k2, k1)):
        top, bottom = matched(less, more)
        ratio = response(top, omega) / response(bottom, omega) / (1j * omega)
        error = abs(ratio - 1.0)
        assert error < (omega * DT) ** 4 / 60
        plain = abs(response(less, omega) / response(more, omega) / (1j * omega) - 1.0)
        assert plain == pytest.approx((omega * DT) ** 2 / 12, rel=0.02)  # what the taps remove


@pytest.mark.parametrize("omega", [5.0, 20.0, 40.0])
def test_the_third_difference_and_the_speed_of_four_positions_are_too_low_alike(omega):
    x = omega * DT
    jerk = response(np.array([-1.0, 3.0, -3.0, 1.0]), omega) / (1j * x) ** 3
    speed = response(MIDDLE_RATE, omega) / (1j * x)
    assert abs(jerk / speed - 1.0) < x**4 / 60
    assert abs(jerk - 1.0) == pytest.approx(x**2 / 8, rel=0.02)


def test_the_speed_of_five_positions_is_exact_to_fourth_order():
    t = np.arange(-2, 3) * DT
    p = np.polynomial.Polynomial([1.0, 2.0, 3.0, 4.0, 5.0])
    assert SPEED @ p(t) / DT == pytest.approx(2.0, rel=1e-9)


def test_a_filter_of_one_box_is_refused():
    with pytest.raises(PliantError, match=r"not a filter; found 'boxes 1, width 5, dt 0.005'"):
        box_kernels(1, 5, DT)
