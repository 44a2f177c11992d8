"""Models that name their actuators themselves mean what `attach` means; bad ones say why."""

import shutil

import mujoco
import numpy as np
import pytest
from rigs import changed, played, spec_of, wheel

import pliant
from pliant.catalogue import actuator_files

NAME = "xl330_bam_m6"
EXTENSION = f'<extension><plugin plugin="pliant.{NAME}"/></extension>'
OPTION = '<option gravity="0 0 0"/>'
GOALS = np.random.default_rng(2).uniform(-1, 1, 30).repeat(15)[:, None]


def element(config: str = "", name: str = NAME, extra: str = "") -> str:
    return f'<plugin name="a" joint="a" plugin="pliant.{name}" {extra}>{config}</plugin>'


def setting(key: str, value: object) -> str:
    return f'<config key="{key}" value="{value}"/>'


def model_text(actuator: str, extension: str = EXTENSION, rest: str = "") -> str:
    body = f"<worldbody>{wheel()}</worldbody>"
    return f"<mujoco>{OPTION}{extension}{body}<actuator>{actuator}</actuator>{rest}</mujoco>"


@pytest.fixture
def write(tmp_path):
    def written(text: str, name: str = "model.xml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def refusal(path) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        pliant.load_model(path)
    return str(refused.value)


def attached(actuator) -> np.ndarray:
    spec = spec_of(wheel(), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": actuator})
    return played(spec.compile(), GOALS)


def loaded(path) -> np.ndarray:
    return played(pliant.load_model(path)[0].compile(), GOALS)


def test_an_element_with_config_is_attach_with_these_parameters(write):
    config = setting("control.kp", 700) + setting("own.voltage", "6.5")
    found = loaded(write(model_text(element(config))))
    expected = attached(changed(NAME, control__kp=700.0, own__voltage=6.5))
    np.testing.assert_array_equal(found, expected)
    assert np.abs(found - attached(NAME)).max() > 1e-3


def test_config_may_stand_at_a_named_instance(write):
    instance = f'<instance name="i">{setting("control.kp", 700)}</instance>'
    extension = f'<extension><plugin plugin="pliant.{NAME}">{instance}</plugin></extension>'
    path = write(model_text('<plugin name="a" joint="a" instance="i"/>', extension))
    np.testing.assert_array_equal(loaded(path), attached(changed(NAME, control__kp=700.0)))


def test_an_included_file_counts_and_its_own_includes_are_relative_to_the_model(write):
    write(f"<mujoco><actuator>{element()}</actuator></mujoco>", "leaf.xml")
    write('<mujoco><include file="leaf.xml"/></mujoco>', "parts/inner.xml")
    path = write(model_text("", rest='<include file="parts/inner.xml"/>'))
    np.testing.assert_array_equal(loaded(path), attached(NAME))


def test_an_attached_model_brings_its_actuators(write):
    write(model_text(element()), "arm.xml")
    path = write(
        f'<mujoco>{OPTION}<asset><model name="arm" file="arm.xml"/></asset><worldbody>'
        '<body><attach model="arm" prefix="left/"/></body></worldbody></mujoco>'
    )
    spec, attachment = pliant.load_model(path)
    assert [entry.joint for entry in attachment.joints] == ["left/a"]
    np.testing.assert_allclose(played(spec.compile(), GOALS), attached(NAME), atol=1e-9)


def test_a_toml_beside_the_model_is_named_by_the_key_actuator(write, tmp_path):
    shutil.copy(actuator_files()["mx106_bam_m4"], tmp_path / "beside.toml")
    extension = '<extension><plugin plugin="pliant.beside"/></extension>'
    path = write(model_text(element(setting("actuator", "beside.toml"), "beside"), extension))
    np.testing.assert_array_equal(loaded(path), attached("mx106_bam_m4"))


def test_a_saved_model_loads_as_plain_mujoco_and_with_load_model(write):
    spec = spec_of(wheel(), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": NAME})
    expected = played(spec.compile(), GOALS)
    path = write(spec.to_xml())
    plain = mujoco.MjModel.from_xml_path(str(path))
    np.testing.assert_allclose(played(plain, GOALS), expected, atol=1e-3)  # XML has six digits
    again, attachment = pliant.load_model(path)
    assert [(one.joint, one.actuator.name) for one in attachment.joints] == [("a", NAME)]
    np.testing.assert_allclose(played(again.compile(), GOALS), expected, atol=1e-3)


def test_a_saved_model_names_an_actuator_of_the_catalogue_by_its_name(write):
    spec = spec_of(wheel())
    pliant.attach(spec, {"a": NAME})
    assert f'<config key="actuator" value="{NAME}"/>' in spec.to_xml()


def test_a_binary_model_keeps_every_digit(write, tmp_path):
    spec = spec_of(wheel(), 'gravity="0 0 0"')
    pliant.attach(spec, {"a": NAME})
    model = spec.compile()
    mujoco.mj_saveModel(model, str(tmp_path / "model.mjb"))
    again = pliant.load_binary(tmp_path / "model.mjb")[0]
    np.testing.assert_array_equal(played(again, GOALS), played(model, GOALS))


def test_a_model_without_actuators_is_read_too(write):
    path = write(f"<mujoco><worldbody>{wheel()}</worldbody></mujoco>")
    spec, attachment = pliant.load_model(path)
    assert (len(spec.joints), str(attachment)) == (1, "")


ROBOT = """<robot name="r"><link name="base"/>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
  <limit effort="1" velocity="1" lower="-1" upper="1"/></joint>
  <link name="arm"><inertial><mass value="1"/><origin xyz=".1 0 0"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""


def test_a_urdf_takes_actuators_and_a_joint_it_lacks_is_named(write):
    path = write(ROBOT, "robot.urdf")
    for spec in (mujoco.MjSpec.from_file(str(path)), pliant.load_model(path)[0]):
        with pytest.raises(pliant.PliantError) as refused:
            pliant.attach(spec, {"elbwo": NAME})
        assert str(refused.value) == (
            "joint: no such joint in the model; found 'elbwo'; did you mean 'elbow'?;"
            " accepted: elbow"
        )
        pliant.attach(spec, {"elbow": NAME})
        assert spec.compile().nu == 1


def test_an_unknown_actuator_is_refused_with_file_and_nearest(write):
    path = write(model_text(element(name="xl330_bam_m7"), EXTENSION.replace(NAME, "xl330_bam_m7")))
    text = refusal(path)
    assert text.startswith(
        f"{path}: plugin pliant.xl330_bam_m7: unknown actuator; found 'xl330_bam_m7'; did you mean "
    )
    assert "ak80_6_dfki_m1, antagonistic_quadratic, awas, " in text.partition("accepted: ")[2]


def test_a_plugin_that_is_not_called_after_its_actuator_is_refused(write, tmp_path):
    shutil.copy(actuator_files()["mx106_bam_m4"], tmp_path / "called.toml")
    extension = '<extension><plugin plugin="pliant.other"/></extension>'
    path = write(model_text(element(setting("actuator", "called.toml"), "other"), extension))
    assert refusal(path) == (
        f"{path}: plugin: a plugin is not named after its actuator; found 'pliant.other';"
        " accepted: pliant.called"
    )


def test_a_missing_toml_is_named(write, tmp_path):
    extension = '<extension><plugin plugin="pliant.mine"/></extension>'
    path = write(model_text(element(setting("actuator", "mine.toml"), "mine"), extension))
    assert refusal(path) == (
        f"{tmp_path / 'mine.toml'}: no such actuator file; asked for by {path}: plugin pliant.mine"
    )


def test_a_key_that_is_no_parameter_is_refused_with_the_nearest(write):
    path = write(model_text(element(setting("control.kq", 700))))
    assert refusal(path).startswith(
        f"{path}: actuator a: actuator '{NAME}' has no such parameter; found 'control.kq';"
        " did you mean 'control.kp'"
    )


def test_a_value_that_is_no_number_is_refused_with_the_unit(write):
    path = write(model_text(element(setting("own.voltage", "twelve"))))
    assert refusal(path) == (
        f"{path}: actuator a: own.voltage: not a number; found 'twelve'; accepted: a number in V,"
        ' or "1.5 V"'
    )
    path = write(model_text(element(setting("own.voltage", "12 A"))))
    assert refusal(path) == (
        f"{path}: actuator a: own.voltage: is in another unit; found 'A'; accepted: V"
    )


@pytest.mark.parametrize("value", ["-1", "nan", "1e9"])
def test_a_value_outside_its_law_is_refused(write, value):
    path = write(model_text(element(setting("own.voltage", value))))
    assert refusal(path).startswith(
        f"{path}: actuator a: own.voltage: outside the range of its law"
    )


@pytest.mark.parametrize(
    "head",
    ['<!DOCTYPE m [<!ENTITY x "1">]>', '<!DOCTYPE m SYSTEM "x.dtd">'],
)
def test_a_document_type_is_refused_before_anything_is_expanded(write, head):
    path = write(head + model_text(element()))
    assert refusal(path) == (f"{path}: document types and entities are not read; found '<!DOCTYPE'")


def test_truncated_xml_is_refused_with_its_place(write):
    path = write(model_text(element()).partition("<actuator>")[0])
    text = refusal(path)
    assert text.startswith(f"{path}: line 1, column ")
    assert "is not XML; found 'no element found: line 1, column " in text


def test_a_file_that_is_not_there_is_named(tmp_path):
    assert refusal(tmp_path / "no.xml") == f"{tmp_path / 'no.xml'}: does not exist"


def test_what_mujoco_refuses_is_said_in_its_words(write):
    path = write(model_text('<motor joint="b"/>', rest="<worldbodi/>"))
    text = refusal(path)
    assert text.startswith(f"{path}: line 1, element worldbodi: MuJoCo refuses it; found ")


@pytest.mark.parametrize(
    ("actuators", "said"),
    [
        (
            element() + element(extra="").replace('name="a"', 'name="b"'),
            "two actuators on one joint; found 'two of Pliant'; accepted: one",
        ),
        (
            element() + '<motor joint="a"/>',
            "the joint has an actuator already: motor without a name; accepted: replace=True"
            " (--replace), to replace it by this one",
        ),
    ],
)
def test_two_actuators_on_one_joint_are_refused(write, actuators, said):
    path = write(model_text(actuators))
    assert refusal(path) == (f"{path}: joint a: {said}")


def test_an_actuator_on_a_tendon_is_refused(write):
    rest = '<tendon><fixed name="t"><joint joint="a" coef="1"/></fixed></tendon>'
    path = write(model_text(element().replace('joint="a"', 'tendon="t"'), rest=rest))
    assert refusal(path) == f"{path}: actuator a: acts on no joint; found 'tendon'; accepted: joint"


def test_a_part_that_models_include_is_told_from_a_model(write):
    assert "parts are read with what includes them" in refusal(write("<mujocoinclude/>"))
