"""Models that move between processes run the laws they were saved with, or are refused."""

import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor

import mujoco
import numpy as np
import pytest
from rigs import played, spec_of, wheel

import pliant
from pliant.engines.mujoco.moved import unlocked

GOALS = np.random.default_rng(5).uniform(-1, 1, 10).repeat(20)[:, None]
PROCESS = """
import sys, mujoco, numpy as np, pliant
BODY = '<body><joint name="a" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/></body>'
def model_with(name):
    spec = mujoco.MjSpec.from_string(f'<mujoco><worldbody>{BODY}</worldbody></mujoco>')
    pliant.attach(spec, {"a": name})
    return spec.compile()
def moved(model):
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.3
    mujoco.mj_step(model, data, nstep=300)
    print(repr(float(data.qpos[0])))
"""


def process(code: str, folder) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROCESS + textwrap.dedent(code)],
        cwd=folder,
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A folder with a binary model of an mx106_bam_m6, the first actuator of its process."""
    folder = tmp_path_factory.mktemp("saved")
    code = 'm = model_with("mx106_bam_m6"); mujoco.mj_saveModel(m, "m.mjb"); moved(m)'
    return folder, process(code, folder)


def test_a_binary_model_moves_in_a_process_that_knew_no_actuator(saved):
    folder, expected = saved
    found = process('moved(pliant.load_binary("m.mjb")[0])', folder)
    assert (found.stdout, found.stderr) == (expected.stdout, "")


def test_a_binary_model_moves_where_its_slot_is_another_actuators(saved):
    folder, expected = saved
    found = process('model_with("mx106_bam_m5"); moved(pliant.load_binary("m.mjb")[0])', folder)
    assert (found.stdout, found.stderr) == (expected.stdout, "")


ALONE = 'moved(mujoco.MjModel.from_binary_path("m.mjb"))'


@pytest.mark.parametrize("before", ["", "mx106_bam_m5", "mx106_bam_m6"])
def test_mujoco_alone_refuses_a_binary_model_wherever_it_is(saved, before):
    code = f'model_with("{before}"); {ALONE}' if before else ALONE
    found = process(code, saved[0])
    assert (found.stdout, found.returncode) == ("", 1)
    assert "plugin_stateadr out of bounds" in found.stderr
    assert found.stderr.endswith("ValueError: mj_loadModel: failed to load from mjb\n")


def test_a_process_without_pliant_refuses_it_too(saved):
    code = 'import mujoco; mujoco.MjData(mujoco.MjModel.from_binary_path("m.mjb"))'
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=saved[0], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.endswith("ValueError: mj_loadModel: failed to load from mjb\n")


@pytest.fixture(scope="module")
def older(saved):
    """The same file as an older Pliant wrote it: MuJoCo alone accepts it."""
    (saved[0] / "older.mjb").write_bytes(unlocked((saved[0] / "m.mjb").read_bytes()))
    return saved


def test_an_older_binary_model_still_loads(older):
    folder, expected = older
    found = process('model_with("mx106_bam_m5"); moved(pliant.load_binary("older.mjb")[0])', folder)
    assert (found.stdout, found.stderr) == (expected.stdout, "")


def test_an_older_one_does_not_run_another_actuators_laws(older):
    code = 'model_with("mx106_bam_m5"); moved(mujoco.MjModel.from_binary_path("older.mjb"))'
    found = process(code, older[0])
    assert found.stdout == ""
    assert "Pliant: actuator 'a' was saved with other laws" in found.stderr


@pytest.mark.parametrize("slot", [-1, 99, 2**31 - 1])
def test_a_plugin_that_no_program_here_has_is_refused(tmp_path, slot):
    """MuJoCo itself ends where it makes the data of such a model."""
    plugin = '<plugin joint="a" plugin="mujoco.pid"><config key="kp" value="1"/></plugin>'
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><extension><plugin plugin="mujoco.pid"/></extension><worldbody>{wheel()}'
        f"</worldbody><actuator>{plugin}</actuator></mujoco>"
    )
    mujoco.mj_saveModel(model, str(tmp_path / "right.mjb"))
    mujoco.MjData(pliant.load_binary(tmp_path / "right.mjb")[0])
    model.plugin[0] = slot
    mujoco.mj_saveModel(model, str(tmp_path / "m.mjb"))
    with pytest.raises(pliant.PliantError, match=r"m\.mjb: plugin instance 0: is not in this proc"):
        pliant.load_binary(tmp_path / "m.mjb")


def test_all_that_stands_behind_the_lock_is_found_in_a_binary_model(tmp_path):
    """Every kind of array that MuJoCo saves after it."""
    rest = """<custom><numeric name="n" data="1 2 3"/><text name="t" data="abc"/><tuple name="u">
      <element objtype="body" objname="m"/></tuple></custom>"""
    keys = '<keyframe><key name="k" qpos="0.1 0.2" mpos="1 2 3"/></keyframe>'
    mocap = '<body name="m" mocap="true"/>'
    text = f"<mujoco><worldbody>{mocap}{wheel('a')}{wheel('b')}</worldbody>{rest}</mujoco>"
    spec = mujoco.MjSpec.from_string(text.replace("</mujoco>", f"{keys}</mujoco>"))
    pliant.attach(spec, {"a": "xl330_bam_m6", "b": "qbmove_maker_pro"})
    model = spec.compile()
    locked = model.plugin_stateadr.copy()
    mujoco.mj_saveModel(model, str(tmp_path / "m.mjb"))
    again = pliant.load_binary(tmp_path / "m.mjb")[0]
    np.testing.assert_array_equal(again.plugin_stateadr, locked)
    assert (locked < -1).all()
    goals = GOALS.repeat(model.nu, axis=1)
    np.testing.assert_array_equal(played(again, goals), played(model, goals))


def test_a_binary_model_tells_what_it_holds(saved):
    attachment = pliant.load_binary(saved[0] / "m.mjb")[1]
    [entry] = attachment.joints
    assert (entry.joint, entry.actuator.name) == ("a", "mx106_bam_m6")
    assert entry.actuator.value("motor.k_t") == pliant.load_actuator("mx106_bam_m6").value(
        "motor.k_t"
    )


def test_a_binary_model_of_laws_that_are_no_longer_the_same_is_refused(tmp_path):
    late = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    spec = spec_of(wheel())
    pliant.attach(spec, {"a": late.with_values({"timing.delay": 0.01}, "test", "assumed")})
    mujoco.mj_saveModel(spec.compile(), str(tmp_path / "m.mjb"))
    found = process('pliant.load_binary("m.mjb")', tmp_path)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("pliant.errors.PliantError: m.mjb: plugin:")


@pytest.mark.parametrize("text", [b"", b"MJB", bytes(4000)])
def test_what_is_no_binary_model_is_refused_by_its_name(tmp_path, text):
    (tmp_path / "m.mjb").write_bytes(text)
    with pytest.raises(pliant.PliantError, match=r"m\.mjb: MuJoCo refuses it"):
        pliant.load_binary(tmp_path / "m.mjb")


def test_load_model_names_the_reader_of_binary_models(tmp_path):
    with pytest.raises(pliant.PliantError, match=r"is a compiled model; .*pliant\.load_binary"):
        pliant.load_model(tmp_path / "m.mjb")


def test_a_spawned_worker_moves_as_this_process():
    """Its own process: an actuator that is in no file, and a motion that goes on."""
    late = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    spec = spec_of(wheel("a") + wheel("b"), 'gravity="0 0 0"')
    late = late.with_values({"timing.delay": 0.007}, "test", "assumed")
    pliant.attach(spec, {"a": "qbmove_maker_pro", "b": late})
    model = spec.compile()
    data = mujoco.MjData(model)
    goals = GOALS.repeat(model.nu, axis=1)
    played(model, goals, data)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as workers:
        found = workers.submit(played, model, goals, data).result(timeout=120)
    np.testing.assert_array_equal(found, played(model, goals, data))


def test_other_models_are_pickled_as_they_were():
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{wheel()}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qpos[:] = 0.5
    twin, state = pickle.loads(pickle.dumps((model, data)))
    assert (twin.nq, state.qpos[0]) == (1, 0.5)


@pytest.mark.parametrize("name", ["m.mjcf", "m.XML", "law.py"])
def test_load_model_reads_the_suffixes_that_mujoco_reads(tmp_path, name):
    (tmp_path / name).write_text("<mujoco/>")
    with pytest.raises(pliant.PliantError, match=r"suffix: is not a model; .* accepted: \*\.xml"):
        pliant.load_model(tmp_path / name)
