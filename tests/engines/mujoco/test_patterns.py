"""Actuators for many joints by one key."""

import mujoco
import pytest
from rigs import spec_of, wheel

import pliant
from pliant.engines.spec.placing import Wishes
from pliant.view.robots import robot_maker

JOINTS = ("left_hip", "left_knee", "right_hip", "right_knee", "head")
SMALL, LARGE, OTHER = "xl330_bam_m4", "mx106_bam_m4", "mx64_bam_m4"


def given(actuators) -> tuple[dict[str, str], tuple[str, ...]]:
    attachment = pliant.attach(spec_of("".join(map(wheel, JOINTS))), actuators)
    return {entry.joint: entry.actuator.name for entry in attachment.joints}, attachment.notes


def test_the_most_specific_key_has_a_joint():
    found, notes = given({"left_*": SMALL, ".*_hip": LARGE, "left_hip": OTHER})
    assert found == {"left_knee": SMALL, "right_hip": LARGE, "left_hip": OTHER}
    assert notes == ("'left_*' matched left_knee", "'.*_hip' matched right_hip")
    found, _ = given({"*": SMALL, "(left|right)_knee": LARGE})
    assert found == {
        "left_hip": SMALL,
        "right_hip": SMALL,
        "head": SMALL,
        "left_knee": LARGE,
        "right_knee": LARGE,
    }


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("arm_*",), r"actuators: matches no joint; found 'arm_\*'; accepted: head, left_hip"),
        (("*_hip", "left*"), "two patterns that are equally specific match one joint"),
        (("(left",), r"actuators: is not a pattern; found '\(left'"),
        (("left_hips",), "no such joint in the model; found 'left_hips'; did you mean 'left_hip'"),
        (("head", "hea*"), r"matches only joints of other keys; found 'hea\*'"),
    ],
)
def test_keys_that_cannot_be_meant_are_refused(keys, said):
    with pytest.raises(pliant.PliantError, match=said):
        given(dict.fromkeys(keys, SMALL))


def test_a_file_and_a_compiled_model_are_told_what_to_pass():
    model = spec_of(wheel("head")).compile()
    for wrong, said in (
        ("arm.xml", r"spec: attach edits a mujoco.MjSpec; found 'str'; .*from_file\('arm.xml'\)"),
        (model, "found 'MjModel'; accepted: the MjSpec that it was compiled from"),
        (mujoco.MjData(model), "found 'MjData'; accepted: the MjSpec that its model"),
    ):
        with pytest.raises(pliant.PliantError, match=said):
            pliant.attach(wrong, {"head": SMALL})


def test_a_model_whose_joints_have_no_names_says_how_to_give_them():
    spec = spec_of('<body><joint axis="0 0 1"/><geom size=".1"/></body>')
    for key in ("*", "elbow", ""):
        with pytest.raises(
            pliant.PliantError, match=r"none of the joints has a name: spec\.joints"
        ):
            pliant.attach(spec, {key: SMALL})
    spec.joints[0].name = "elbow"
    assert pliant.attach(spec, {"*": SMALL}).joints[0].joint == "elbow"


def test_the_page_of_a_model_takes_keys_as_attach_does(tmp_path):
    (tmp_path / "m.xml").write_text(spec_of("".join(map(wheel, JOINTS))).to_xml())
    robot = robot_maker(tmp_path / "m.xml", [("*", SMALL), ("head", LARGE)], Wishes())(None)
    assert [entry.joint for entry in robot.info.attachment.joints] == [*JOINTS]
