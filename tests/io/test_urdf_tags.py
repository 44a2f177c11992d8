"""Plugin tags of a URDF: what they may say, and refusals of anything else."""

from math import inf

import pytest

import pliant
from pliant.io.urdf_predecessor import toolbox_number
from pliant.io.urdf_tags import read_urdf
from pliant.io.urdf_xml import on_line, stripped

ROBOT = """<robot name="r"><link name="base"/><link name="arm"/>
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/>
<limit effort="7" velocity="1"/><dynamics damping="0.1" friction="0.2"/></joint>{}</robot>"""
PLUGIN = """<gazebo> # a comment of the toolbox's users
<plugin name="p" filename="libqbmove_plugin.so"><joint>j1</joint> # text
<operation_mode> 6 </operation_mode><pub_eltau>true</pub_eltau><pub_state>1</pub_state>
<sub_ext_tau>False</sub_ext_tau>{}</plugin></gazebo>"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "r.urdf"


def read(path, tags: str = "", plugin: str = PLUGIN, robot: str = ROBOT):
    path.write_text(robot.format(plugin.format(tags) if "{}" in plugin else plugin))
    return read_urdf(path)


def refusal(path, *args, **options) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        read(path, *args, **options)
    return str(refused.value).removeprefix(f"{path}: ")


def test_tags_are_read_and_text_between_them_is_not(path):
    urdf = read(path, "<spring_k1>0.02</spring_k1># x<namespace>robot</namespace>")
    (tags,) = urdf.plugins
    assert (tags.device, tags.joint, tags.mode) == ("qbmove", "j1", 6)
    flags = tags.publishes_elastic_torque, tags.publishes_state, tags.takes_external_torque
    assert flags == (True, True, False)
    assert (tags.numbers, tags.words) == ({"spring_k1": 0.02}, {"namespace": "robot"})
    joint = urdf.joints["j1"]
    assert (joint.effort, joint.damping, joint.friction) == (7.0, 0.1, 0.2)


def test_the_model_is_left_without_gazebo_and_text(path):
    model = stripped(read(path, robot=ROBOT.replace("<link", "# x <transmission/><link", 1)).root)
    assert not any(word in model for word in ("gazebo", "plugin", "transmission", "# x"))
    assert '<joint name="j1"' in model


def test_a_line_of_the_model_is_called_by_its_element_and_what_has_a_name(path):
    root = read(path).root
    lines = dict(enumerate(stripped(root).splitlines(), 1))
    names = {line: on_line(root, number) for number, line in lines.items()}
    assert names['<parent link="base" />'] == "joint j1: parent"
    assert names['<link name="arm" />'] == "link arm"
    assert on_line(root, 0) is None


def test_other_plugins_are_left_out_and_noted(path):
    other = '<gazebo><plugin name="c" filename="libgazebo_ros_control.so"><x/></plugin></gazebo>'
    urdf = read(path, plugin=other)
    assert urdf.plugins == ()
    assert urdf.notes == ("plugin libgazebo_ros_control.so is not a compliant actuator: left out",)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        ("-.5", -0.5),
        ("+2.", 2.0),
        ("1e-3", 1e-3),
        ("1.21*pow(10,-6)", 1.21e-6),
        ("-1.6 * pow( 10 , 5 )", -1.6e5),
    ],
)
def test_the_numbers_of_the_toolbox_are_read_exactly(path, text, value):
    assert toolbox_number(text, "x") == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ten",
        "1,5",
        "1 2",
        "nan",
        "0x10",
        "1_0",
        "10 # soft",
        "pow(10,-6)",
        "1.21*pow(2,-6)",
        "1.21*pow(10,-6.5)",
        "1.21*pow(10,-6)*2",
        "1e999",
        "1*pow(10,999)",
        "__import__('os')",
        "inf",
    ],
)
def test_other_text_is_no_number(path, text):
    with pytest.raises(pliant.PliantError) as refused:
        toolbox_number(text, "plugin p: spring_a")
    assert str(refused.value) == (
        f"plugin p: spring_a: is not a number; found {text!r};"
        " accepted: a number, such as 0.8, 1e-3 or 1.21*pow(10,-6)"
    )


def test_a_stop_may_be_infinitely_far(path):
    tags = "<mot_1_minPos>-inf</mot_1_minPos><mot_2_maxPos>inf</mot_2_maxPos>"
    assert read(path, tags).plugins[0].numbers == {"mot_1_minPos": -inf, "mot_2_maxPos": inf}
    assert "is not a number; found 'inf'" in refusal(path, "<mot_1_J>inf</mot_1_J>")


def test_a_misspelt_tag_is_refused_with_the_nearest(path):
    text = refusal(path, "<spring_k_1>0.02</spring_k_1>")
    assert text.startswith("plugin p: unknown tag; found 'spring_k_1'; did you mean 'spring_k1'")
    assert "accepted: ctrl_1_D, " in text


@pytest.mark.parametrize(
    ("device", "tag", "meant"),
    [
        ("sea", "mot_1_J", "mot_J"),
        ("qbmove", "mot_J", "mot_1_J"),
        ("awas_ii", "ctrl_1_P", "ctrl_P"),
        ("bavs", "ctrl_P", "ctrl_1_P"),
    ],
)
def test_tags_of_one_motor_and_of_two_are_told_apart(path, device, tag, meant):
    plugin = PLUGIN.replace("qbmove", device)
    text = refusal(path, f"<{tag}>1</{tag}>", plugin)
    assert f"found '{tag}'; did you mean" in text
    assert repr(meant) in text.partition("accepted")[0]
    assert read(path, f"<{meant}>1</{meant}>", plugin).plugins[0].numbers == {meant: 1.0}


REFUSALS = {
    "<operation_mode>7": "plugin p: operation_mode: unknown operation mode; found '7';"
    " accepted: 0, 1, 2, 3, 4, 5, 6",
    "<operation_mode>PID": "plugin p: operation_mode: unknown operation mode; found 'PID';"
    " accepted: 0, 1, 2, 3, 4, 5, 6",
    "<joint>j11": "plugin p: joint: no such joint in the URDF; found 'j11'; did you mean 'j1'?;"
    " accepted: j1",
    "<pub_eltau>yes": "plugin p: pub_eltau: is neither true nor false; found 'yes';"
    " accepted: true, false",
}
BEFORE = {"<operation_mode>": " 6 ", "<joint>": "j1", "<pub_eltau>": "true"}


@pytest.mark.parametrize("changed", REFUSALS)
def test_what_a_required_tag_may_say(path, changed):
    tag = changed[: changed.index(">") + 1]
    assert refusal(path, plugin=PLUGIN.replace(tag + BEFORE[tag], changed)) == REFUSALS[changed]


def test_a_missing_tag_a_doubled_one_and_two_plugins_on_one_joint(path):
    without = PLUGIN.replace("<pub_state>1</pub_state>", "")
    assert refusal(path, plugin=without) == "plugin p: pub_state: tag is missing"
    twice = "<max_def>1</max_def><max_def>1</max_def>"
    assert refusal(path, twice) == "plugin p: max_def: tag is given twice; accepted: one"
    both = PLUGIN.format("") + PLUGIN.format("")
    assert refusal(path, plugin=both) == (
        "plugin p: two plugins on one joint; found 'j1'; accepted: one"
    )


def test_a_choice_that_is_none(path):
    assert refusal(path, "<limit_mode>hard</limit_mode>") == (
        "plugin p: limit_mode: unknown choice; found 'hard'; did you mean 'hardstop'?;"
        " accepted: hardstop, none, saturate"
    )


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("libqbmoves_plugin.so", "unknown plugin; found 'libqbmoves_plugin.so'; did you mean"),
        ("libtemplate_plugin.so", "is the toolbox's template, whose spring is code of its user"),
    ],
)
def test_a_plugin_that_cannot_be_meant_is_refused(path, file, said):
    text = refusal(path, plugin=PLUGIN.replace("libqbmove_plugin.so", file))
    assert text.startswith(f"plugin p: {said}")
    assert text.endswith(
        "accepted: libawas_ii_plugin.so, libbavs_plugin.so, libqbmove_plugin.so, libsea_plugin.so"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE r [<!ENTITY x "1">]><robot/>', "document types and entities are not read;"),
        ('<!DOCTYPE r SYSTEM "y.dtd"><robot/>', "document types and entities are not read;"),
        ("<robot>", "line 1, column 8: is not XML; found 'no element found"),
        ("<mujoco/>", "is not a URDF; found '<mujoco>'; accepted: <robot>"),
        (
            '<robot xmlns:xacro="ros.org/wiki/xacro"><xacro:include filename="a"/></robot>',
            "is a xacro file; accepted: the URDF that `xacro` makes of it",
        ),
    ],
)
def test_what_is_no_urdf_is_refused_before_anything_is_opened(path, text, said):
    path.write_text(text)
    with pytest.raises(pliant.PliantError) as refused:
        read_urdf(path)
    assert str(refused.value).startswith(f"{path}: {said}")


def test_a_name_given_twice_is_named(path):
    robot = ROBOT.replace('<link name="arm"/>', '<link name="arm"/><link name="arm"/>')
    assert refusal(path, robot=robot) == "link arm: has the same name as another"
