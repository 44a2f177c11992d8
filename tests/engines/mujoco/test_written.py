"""A model that names its actuators, read by MuJoCo alone, moves as one that `load_model` completed."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import mujoco
import numpy as np
import pytest
from rigs import delayed, played, spec_of, wheel

import pliant
from pliant.engines.mujoco.batch.pools import pool
from pliant.io.actuator_file import write_actuator

GOALS = np.random.default_rng(2).uniform(-1, 1, 12).repeat(25)
PRESET = '<general name="{0}.preset" joint="{0}" gainprm="0"/>'


def xml(*entries: tuple[str, str, str], rest: str = "", option: str = "") -> str:
    """A chain of hinges; of each actuator its joint, its name, and the inside of its element."""
    names = sorted({actuator for _, actuator, _ in entries})
    used = "".join(f'<plugin plugin="pliant.{name}"/>' for name in names)
    links = "".join(
        f'<body pos="0 0 -.1"><joint name="{joint}" axis="0 1 0" damping=".3" armature=".2"/>'
        '<geom type="capsule" size=".01" fromto="0 0 0 0 0 -.1" mass=".1"/>'
        for joint in ("a", "b", "c")
    )
    elements = "".join(
        f'<plugin name="{joint}" joint="{joint}" plugin="pliant.{name}" {inside}</plugin>'
        for joint, name, inside in entries
    )
    return (
        f"<mujoco><option {option}/><extension>{used}</extension><worldbody>{links}{'</body>' * 3}"
        f"</worldbody><actuator>{elements}{rest}</actuator></mujoco>"
    )


@pytest.fixture(scope="module", autouse=True)
def known():
    """Plugins that this process has registered."""
    for name in ("xl330_bam_m6", "mx106_bam_m4", "qbmove_maker_pro"):
        pliant.attach(spec_of(wheel()), {"a": name})


KP = '><config key="control.kp" value="300"/>'
MODELS = {
    "one servo": xml(("b", "xl330_bam_m6", ">")),
    "a parameter": xml(("b", "xl330_bam_m6", KP)),
    "a gear": xml(("b", "mx106_bam_m4", 'gear="-2">')),
    "two instances of a plugin": xml(("c", "xl330_bam_m6", ">"), ("a", "xl330_bam_m6", KP)),
    "Euler, a force limit": xml(
        ("b", "mx106_bam_m4", 'forcerange="-1 1">'), option='integrator="Euler" timestep=".001"'
    ),
    "springs that feel each other": xml(
        ("a", "qbmove_maker_pro", ">"),
        ("b", "xl330_bam_m6", ">"),
        ("c", "qbmove_maker_pro", ">"),
        rest=PRESET.format("a") + PRESET.format("c"),
    ),
}


def completed(text: str, folder: Path) -> mujoco.MjModel:
    """As `load_model` makes it, which adds second commands behind the others in the same order."""
    path = folder / "model.xml"
    for joint in "abc":
        text = text.replace(PRESET.format(joint), "")
    path.write_text(text)
    return pliant.load_model(path)[0].compile()


@pytest.mark.parametrize("name", MODELS)
def test_it_moves_as_the_completed_model(name, tmp_path):
    alone = mujoco.MjModel.from_xml_string(MODELS[name])
    other = completed(MODELS[name], tmp_path)
    goals = GOALS[:, None].repeat(alone.nu, axis=1)
    np.testing.assert_array_equal(played(alone, goals), played(other, goals))
    for field in ("dof_armature", "dof_damping", "dof_frictionloss", "dof_solref", "dof_M0"):
        np.testing.assert_array_equal(getattr(alone, field), getattr(other, field), field)
    for field in ("dof_solimp", "dof_invweight0", "body_invweight0"):
        np.testing.assert_array_equal(getattr(alone, field), getattr(other, field), field)
    assert alone.stat.meaninertia == other.stat.meaninertia


def test_copies_pickles_files_threads_and_recompiled_models_go_on_alike(tmp_path):
    spec = mujoco.MjSpec.from_string(MODELS["a parameter"])
    model = spec.compile()
    data = mujoco.MjData(model)
    played(model, GOALS[:, None], data)
    twins = [(copy.copy(model), copy.copy(data)), pickle.loads(pickle.dumps((model, data)))]
    mujoco.mj_saveModel(model, str(tmp_path / "m.mjb"))
    binary, attachment = pliant.load_binary(tmp_path / "m.mjb")
    assert attachment.joints[0].actuator.value("control.kp") == 300.0
    start = np.zeros((2, model.nq))
    many = pool(model, 2, 2)
    many.start(start, start)
    first = played(model, GOALS[:, None])
    np.testing.assert_array_equal(played(binary, GOALS[:, None]), first)
    np.testing.assert_allclose(many.run(GOALS[None, :, None].repeat(2, 0))[1], first, atol=1e-9)
    again, moved = spec.recompile(model, copy.copy(data))
    expected = played(model, GOALS[:, None], data)
    for twin, state in [*twins, (again, moved)]:
        np.testing.assert_array_equal(played(twin, GOALS[:, None], state), expected)
    mujoco.mj_resetData(model, data)
    np.testing.assert_array_equal(played(model, GOALS[:, None], data), first)


def test_a_spawned_worker_knows_an_actuator_of_ones_own_by_its_file(tmp_path):
    write_actuator(delayed("xl330_bam_m6", 0.007), tmp_path / "late.toml")
    pliant.attach(spec_of(wheel()), {"a": tmp_path / "late.toml"})
    inside = 'delay=".007" nsample="6" interp="linear">'
    model = mujoco.MjModel.from_xml_string(xml(("b", "late", inside)))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as workers:
        found = workers.submit(played, model, GOALS[:, None]).result(timeout=120)
    np.testing.assert_array_equal(found, played(model, GOALS[:, None]))
    with pytest.raises(ValueError, match=r'nsample="6" interp="linear" in its element'):
        mujoco.MjModel.from_xml_string(xml(("b", "late", ">")))


def test_a_mean_inertia_of_ones_own_stays():
    text = xml(("b", "xl330_bam_m6", ">")).replace(
        "<option ", '<statistic meaninertia="7"/><option '
    )
    assert mujoco.MjModel.from_xml_string(text).stat.meaninertia == 7.0


REFUSED = {
    "takes two commands, and a plugin cannot add a control": ("qbmove_maker_pro", ">", ""),
    "control.kp: not a number; found 'x'": (
        "xl330_bam_m6",
        '><config key="control.kp" value="x"/>',
        "",
    ),
    "motor.R: outside the range": ("xl330_bam_m6", '><config key="motor.R" value="-1"/>', ""),
    "gear: moves nothing": ("xl330_bam_m6", 'gear="0">', ""),
    "two actuators on one joint; found 'own'": (
        "xl330_bam_m6",
        ">",
        '<motor name="own" joint="b"/>',
    ),
    "option: timestep: is not a timestep; found 0.0": ("xl330_bam_m6", ">", "0"),
    "'b' has not been completed": ("xl330_bam_m6", 'user="1 2">', ""),
    "unrecognized attribute 'plugin:control.k'": (
        "xl330_bam_m6",
        '><config key="control.k" value="1"/>',
        "",
    ),
}


@pytest.mark.parametrize("wording", REFUSED)
def test_what_a_plugin_cannot_do_is_said_with_the_name_of_the_actuator(wording):
    name, inside, rest = REFUSED[wording]
    option, rest = ('timestep="0"', "") if rest == "0" else ("", rest)
    for _ in range(2):  # an error leaves the next model as good
        with pytest.raises(ValueError, match="b") as caught:
            mujoco.MjModel.from_xml_string(xml(("b", name, inside), rest=rest, option=option))
        assert wording in str(caught.value)
        mujoco.MjModel.from_xml_string(MODELS["one servo"])


def test_numbers_of_another_process_are_not_taken_for_ones_own(tmp_path):
    model = mujoco.MjModel.from_xml_string(MODELS["one servo"])
    model.actuator_dynprm[0, 5] += 1.0  # what an actuator with other numbers would have left
    with pytest.raises(mujoco.FatalError, match="was compiled with laws or numbers that differ"):
        mujoco.MjData(model)
    mujoco.mj_saveModel(model, str(tmp_path / "m.mjb"))
    with pytest.raises(pliant.PliantError, match="that this process has not loaded"):
        pliant.load_binary(tmp_path / "m.mjb")
