"""References and equilibria against the closed forms of each spring, with and without a load."""

from math import asinh, atanh, cos, cosh, exp, sin, sinh, tanh

import pytest

import pliant
from pliant.robots.references import equilibrium, preset_range, refs_for


def loaded(name: str) -> pliant.Actuator:
    return pliant.load_actuator(name)


def closed(actuator, *names: str) -> list[float]:
    return [actuator.value(name) for name in names]


K, A = 0.022, 6.85
"""Maker Pro, both springs alike."""


@pytest.mark.parametrize("torque", [0.0, 0.3, -0.7])
@pytest.mark.parametrize("preset", [0.1, 0.3, 0.45])
def test_equal_springs_rest_where_the_closed_form_says(preset, torque):
    qbmove = loaded("qbmove_maker_pro")
    found = equilibrium(qbmove, (0.2 + preset, 0.2 - preset), torque)
    assert found - 0.2 == pytest.approx(asinh(torque / (2 * K * cosh(A * preset))) / A, abs=1e-12)


@pytest.mark.parametrize("torque", [0.0, 0.2])
@pytest.mark.parametrize("sigma", [1.5, 3.0, 9.0])
def test_equal_springs_are_brought_to_pose_and_stiffness(sigma, torque):
    refs = refs_for(loaded("qbmove_maker_pro"), -0.4, sigma, torque)
    one, two = refs.theta
    assert (refs.equilibrium, refs.preset) == pytest.approx((0.5 * (one + two), 0.5 * (one - two)))
    pull = K * (sinh(A * (-0.4 - one)) + sinh(A * (-0.4 - two)))
    assert pull == pytest.approx(torque, abs=1e-10)
    stiff = A * K * (cosh(A * (-0.4 - one)) + cosh(A * (-0.4 - two)))
    assert stiff == pytest.approx(sigma, rel=1e-9)
    assert refs.stiffness == pytest.approx(sigma, rel=1e-9)


def test_unequal_springs_rest_beside_the_middle():
    k_1, k_2, a = 0.0026, 0.0011, 8.9995
    same = {"spring_2.a": a}
    qbmove = loaded("qbmove_advanced").with_values(same, "test", "assumed")
    for preset in (0.2, 0.4, 0.6):
        offset = atanh((k_1 - k_2) / (k_1 + k_2) * tanh(a * preset)) / a
        assert equilibrium(qbmove, (0.3 + preset, 0.3 - preset)) == pytest.approx(0.3 + offset)
        assert 0.04 < offset < 0.049
    refs = refs_for(qbmove, 0.3, 2.0)
    offset = atanh((k_1 - k_2) / (k_1 + k_2) * tanh(a * refs.preset)) / a
    assert refs.equilibrium == pytest.approx(0.3 - offset)


def test_exponential_springs():
    bavs = loaded("bavs")
    a, b, k, k_e = closed(bavs, "spring_1.a", "spring_1.b", "spring_1.k", "spring_1.k_e")
    preset = 0.15
    sigma = 2 * k * k_e * (b * exp(k_e * preset) + a * exp(-k_e * preset))
    assert refs_for(bavs, 0.0, sigma).preset == pytest.approx(preset, abs=1e-10)
    assert equilibrium(bavs, (0.5 + preset, 0.5 - preset)) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("sigma", [10.0, 300.0, 3000.0])
def test_a_pivot_gives_the_stiffness_of_its_place(sigma):
    awas = loaded("awas_ii")
    k_s, arm, r_t = closed(awas, "spring.K_s", "spring.arm", "spring.r_t")
    refs = refs_for(awas, 0.1, sigma, torque=1.0)
    theta, x = refs.theta
    g, phi = arm / r_t * x / (arm - x), 0.1 - theta
    assert 2 * k_s * g * g * sin(phi) * cos(phi) == pytest.approx(1.0, rel=1e-9)
    assert 2 * k_s * g * g * (2 * cos(phi) ** 2 - 1) == pytest.approx(sigma, rel=1e-9)


def test_one_motor_leads_its_link_by_the_deflection():
    refs = refs_for(loaded("sea_walkman_200"), 0.3, torque=20.0)
    assert refs.theta == pytest.approx((0.3 + -20.0 / 200.0,), abs=1e-12)
    assert equilibrium(loaded("sea_walkman_200"), 0.2, 20.0) == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("name", ["edinburgh_vsa", "maccepa_vd", "awas", "antagonistic_quadratic"])
def test_every_other_device_rests_where_it_was_asked_to(name):
    one = loaded(name)
    low, high = {
        "edinburgh_vsa": (0.75, 0.0),
        "maccepa_vd": (0.3, 0.0),
        "awas": (300.0, 0.0),
        "antagonistic_quadratic": (4.0, 0.0),
    }[name]
    refs = refs_for(one, 0.2, low, torque=high)
    assert equilibrium(one, refs.theta) == pytest.approx(0.2, abs=1e-10)
    assert refs.stiffness == pytest.approx(low, rel=1e-9)


def test_the_ranges_of_the_presets_are_those_of_springs_and_adjusters():
    assert preset_range(loaded("qbmove_maker_pro")) == (-0.8, 0.8)
    assert preset_range(loaded("bavs")) == (-0.27, 0.27)
    assert preset_range(loaded("awas_ii")) == (0.005, 0.04)


def refusal(function, *args) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        function(*args)
    return str(refused.value)


def test_a_preset_beyond_its_range_is_refused():
    assert refusal(equilibrium, loaded("qbmove_maker_pro"), (0.85, -0.85)) == (
        "actuator qbmove_maker_pro: preset beyond its range; found 0.85; accepted: -0.8 to 0.8"
    )
    assert refusal(equilibrium, loaded("awas_ii"), (0.0, 0.049)) == (
        "actuator awas_ii: preset beyond its range; found 0.049; accepted: 0.005 to 0.04"
    )


def test_preset_and_deflection_together_stay_within_the_spring():
    most = K * (sinh(A * 0.8) + sinh(A * (0.8 - 2 * 0.6)))  # the first spring at its limit
    qbmove = loaded("qbmove_maker_pro")
    assert equilibrium(qbmove, (0.6, -0.6), 0.999 * most) == pytest.approx(0.2, abs=1e-3)
    text = refusal(equilibrium, qbmove, (0.6, -0.6), 1.001 * most)
    assert text == (
        f"actuator qbmove_maker_pro: deflection beyond the spring's; found '{1.001 * most:g} N m at"
        f" the motors 0.6, -0.6'; accepted: {-most:.4g} to {most:.4g} N m, which deflect it by at"
        " most 0.8 rad"
    )


def test_a_stiffness_that_no_preset_gives_is_refused_with_what_there_is():
    low, high = 2 * A * K, 2 * A * K * cosh(A * 0.8)
    assert refusal(refs_for, loaded("qbmove_maker_pro"), 0.0, 100.0) == (
        "actuator qbmove_maker_pro: sigma: no preset gives this stiffness; found 100.0;"
        f" accepted: {low:.4g} to {high:.4g} N m/rad at 0 rad under 0 N m"
    )
    assert refusal(refs_for, loaded("sea_walkman_200"), 0.0, 100.0) == (
        "actuator sea_walkman_200: sigma: its stiffness cannot be chosen; found 100.0;"
        " accepted: 200 N m/rad"
    )


def test_a_load_that_no_spring_holds_is_refused():
    text = refusal(refs_for, loaded("sea_walkman_200"), 0.0, None, 161.0)
    assert text == (
        "actuator sea_walkman_200: deflection beyond the spring's; found '161 N m';"
        " accepted: up to 160 N m, which deflect it by 0.8 rad"
    )


def test_what_has_no_spring_and_what_has_not_so_many_motors():
    assert refusal(equilibrium, loaded("mx106_bam_m4"), 0.0) == (
        "actuator mx106_bam_m4: has no spring; accepted: a compliant actuator"
    )
    assert refusal(equilibrium, loaded("sea_walkman_200"), (0.0, 0.1)) == (
        "actuator sea_walkman_200: wrong number of motor angles; found 2; accepted: 1"
    )
