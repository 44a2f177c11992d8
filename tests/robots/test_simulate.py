"""What a person guesses in Python: `pliant.simulate`, `evaluate`, a version, a device's name."""

from importlib.metadata import version
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant

ARM = Path(__file__).parents[2] / "examples" / "arm.xml"
NAME = "xl330_bam_m6"


def test_a_robot_moves_as_in_a_loop_of_ones_own() -> None:
    spec = mujoco.MjSpec.from_file(str(ARM))
    pliant.attach(spec, {"elbow": NAME})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.5
    mujoco.mj_step(model, data, 100)
    found = pliant.simulate(ARM, {"elbow": NAME}, goal={"elbow": 0.5}, duration=1.0)
    assert found.positions["elbow"][100] == data.joint("elbow").qpos[0]
    np.testing.assert_allclose(found.time[-1], 1.0)
    with pytest.raises(pliant.PliantError, match=r"found 'elbw'; did you mean 'elbow'\?"):
        pliant.simulate(ARM, {"elbow": NAME}, goal={"elbw": 0.5})


def test_names_that_a_person_guesses() -> None:
    assert pliant.__version__ == version("pliant")


@pytest.mark.parametrize(
    ("device", "first"),
    [("XL330-M288-T", NAME), ("sts3215", "feetech_sts3215_7_4V_bam_m1"), ("AK80-6", "ak80_6")],
)
def test_a_device_is_answered_with_its_files(device: str, first: str) -> None:
    with pytest.raises(pliant.PliantError, match=f"is a device, .*accepted: {first}"):
        pliant.load_actuator(device)
