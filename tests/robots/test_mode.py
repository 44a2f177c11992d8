"""Operation modes 0 to 6: which laws they are, and what cannot be in one."""

import pytest

import pliant
from pliant.robots.mode import MODES, LinkSide, mode_of, with_mode

DEVICES = ["sea_walkman_200", "sea_centauro_100", "qbmove_maker_pro", "bavs", "awas", "awas_ii"]
ROTORS = {2: "follows", 3: "follows", 4: "inertia", 5: "inertia", 6: "inertia"}


def mains(actuator: pliant.Actuator) -> list[str]:
    """Behind the ports of the motors that are no adjusters."""
    if actuator.topology.name == "series_elastic":
        return [""]
    return ["_1"] if actuator.topology.name == "adjustable" else ["_1", "_2"]


@pytest.mark.parametrize("mode", ROTORS)
@pytest.mark.parametrize("name", DEVICES)
def test_a_mode_chooses_rotor_controller_and_map(name, mode):
    one = with_mode(pliant.load_actuator(name), mode)
    for number in mains(one):
        assert one.laws[f"rotor{number}"].name == ROTORS[mode]
        if mode == 4:
            assert one.laws[f"control{number}"].module.GOAL == "N m"
        if mode > 4:
            assert one.laws[f"control{number}"].module.GOAL == "rad"
    if one.topology.name == "antagonistic":
        expected = "equilibrium_preset" if mode in (3, 6) else "direct"
        assert one.laws["references"].name == expected
        assert mode_of(one) == mode


@pytest.mark.parametrize("name", DEVICES)
def test_modes_0_and_1_are_the_joint_without_a_spring(name):
    base = pliant.load_actuator(name)
    torque, position = with_mode(base, 0), with_mode(base, 1, LinkSide(effort=5.0, friction=0.1))
    assert torque.topology.name == position.topology.name == "rigid_servo"
    assert (mode_of(torque), mode_of(position)) == (0, 1)
    gains = [position.value(f"control.{n}") for n in ("k_p", "k_i", "k_d", "limit")]
    assert gains == [0.8, 0.0, 0.2, 5.0]
    assert position.value("friction.K_c") == 0.1


def test_an_actuator_in_its_mode_stays_as_it_is():
    base = pliant.load_actuator("qbmove_maker_pro")
    assert with_mode(base, 6) is base
    back = with_mode(with_mode(base, 5), 6)
    assert back.laws == base.laws
    assert (back.values == base.values).all()


def test_a_current_loop_becomes_a_torque_of_the_same_limit():
    base = pliant.load_actuator("sea_avocado_100_21000")
    torque = base.value("control.limit") * base.value("motor.k_t")
    assert with_mode(base, 4).value("control.limit") == pytest.approx(torque, rel=1e-12)


def test_numbers_that_a_mode_needs_anew_are_the_toolboxs_and_say_so():
    held = with_mode(pliant.load_actuator("qbmove_maker_pro"), 2)
    assert "rotor_1.J" not in held.fields
    again = with_mode(held, 5)
    assert again.value("rotor_1.J") == 0.0233
    assert "toolbox" in again.sources[again.numbers["rotor_1.J"].source]


def refusal(name: str, mode: object) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        with_mode(pliant.load_actuator(name), mode)
    return str(refused.value)


@pytest.mark.parametrize("mode", [7, -1, True, 2.0, "6"])
def test_an_unknown_mode_is_refused_with_all_there_are(mode):
    assert refusal("sea_walkman_200", mode) == (
        f"unknown operation mode; found {mode!r}; accepted: "
        + "; ".join(f"{k} {name}" for k, name in MODES.items())
    )


def test_what_has_no_spring_has_no_mode_with_one():
    assert refusal("mx106_bam_m4", 5) == (
        "actuator mx106_bam_m4: has no spring, which operation mode 5 (PIDRefs) needs;"
        " accepted: mode 0 or 1, or a compliant actuator"
    )


def test_an_adjuster_whose_spring_rests_elsewhere_has_no_equilibrium_to_command():
    assert refusal("edinburgh_vsa", 6) == (
        "actuator edinburgh_vsa: has no map from equilibrium and preset to its motors, which mode 6"
        " needs; accepted: modes 0, 1, 2, 4, 5, with `refs_for`"
    )
