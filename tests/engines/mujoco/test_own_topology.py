"""A topology of one's own whose numbers are none: `attach` says which function, MuJoCo sees nothing."""

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.catalogue import actuator_files, topology_files

ARM = """<mujoco><worldbody><body><joint name="j" axis="0 1 0"/>
<geom type="capsule" size=".01" fromto="0 0 0 .1 0 0" mass=".1"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("function", "gives"),
    [
        ("fastest", "inf"),
        ("fastest", "exp(1e6)"),
        ("issued", "0.0 - inf"),
        ("issued", "t + 0.01"),
        ("armature", "sqrt(0.0 - 1.0)"),
        ("voltage", "inf - inf"),
        ("budget", "0.0 - 1.0"),
    ],
)
def test_what_is_no_number_is_refused(tmp_path: Path, function: str, gives: str) -> None:
    text = topology_files()["rigid_servo"].read_text()
    if f"def {function}(" not in text:  # it has the one that topologies have by default
        text += f"\n\ndef {function}(p: Parameters) -> float:\n    return 0.0\n"
    head, _, rest = text.partition(f"def {function}(")
    rest = re.sub(r"return [^\n]*", f"return {gives}", rest, count=1)
    text = f"{head}def {function}({rest}".replace(
        "from typing", "from math import exp, inf, sqrt\nfrom typing", 1
    )
    (tmp_path / "mine.py").write_text(text)
    device = actuator_files()["xl330_bam_m6"].read_text()
    path = tmp_path / "device.toml"
    path.write_text(device.replace('topology = "rigid_servo"', 'topology = "mine.py"'))
    with pytest.raises(pliant.PliantError, match=rf"{function}\(\) gives no usable number"):
        pliant.attach(mujoco.MjSpec.from_string(ARM), {"j": path})


def test_masses_too_fast_for_the_timestep_are_refused_at_once() -> None:
    """Legal numbers: they were accepted, and the first step failed."""
    edge = {"rotor.J": 1e-6}
    actuator = pliant.load_actuator("sea_centauro_100").with_values(edge, "edge", "assumed")
    with pytest.raises(pliant.PliantError, match="timestep: too large for the masses of sea_"):
        pliant.attach(mujoco.MjSpec.from_string(ARM), {"j": actuator})


@pytest.mark.parametrize(
    "name",
    ["sea_centauro_100", "sea_walkman_200", "qbmove_maker_pro", "xl330_bam_m6", "csf_17_50_gear"],
)
def test_legal_numbers_at_the_edge_are_refused_by_attach_or_move(name: str) -> None:
    """Never by the first step."""
    rng = np.random.default_rng(46)
    device = pliant.load_actuator(name)
    bounded = {
        key: one for key, one in device.fields.items() if np.isfinite([one.low, one.high]).all()
    }
    moved = 0
    for _ in range(20):
        chosen = rng.choice(list(bounded), 2, replace=False)
        edge = {key: float(rng.choice([bounded[key].low, bounded[key].high])) for key in chosen}
        spec = mujoco.MjSpec.from_string(ARM)
        try:
            pliant.attach(spec, {"j": device.with_values(edge, "edge", "assumed")})
        except pliant.PliantError:
            continue
        model = spec.compile()
        mujoco.mj_step(model, mujoco.MjData(model), 5)
        moved += 1
    assert moved
