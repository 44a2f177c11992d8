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


def test_mujoco_alone_is_refused_where_the_slot_is_another_actuators(saved):
    folder, _ = saved
    code = 'model_with("mx106_bam_m5"); moved(mujoco.MjModel.from_binary_path("m.mjb"))'
    found = process(code, folder)
    assert found.stdout == ""
    assert "Pliant: actuator 'a' was saved with other laws" in found.stderr


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
