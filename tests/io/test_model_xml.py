"""Robot models that MuJoCo would read and nobody can mean are refused by element and attribute."""

from pathlib import Path

import mujoco
import pytest

import pliant
from pliant.examine.model import compiled

MODEL = (
    "<mujoco><worldbody>{before}<body name='b'><joint name='j' {joint}/><geom size='.1' {geom}/>"
    "</body></worldbody><actuator><motor joint='j' {motor}/></actuator></mujoco>"
)
PARTS = {"before": "", "joint": "", "geom": "", "motor": ""}


def refusal(folder: Path, text: str) -> str:
    path = folder / "arm.xml"
    path.write_text(text)
    with pytest.raises(pliant.PliantError) as refused:
        compiled(pliant.load_model(path)[0], path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    "number", ["nan", "-NaN", "nan(1)", "NAN(_x2)", "inf", "-infinity", "0x1p9999"]
)
@pytest.mark.parametrize(
    ("part", "attribute"), [("geom", "mass"), ("joint", "damping"), ("motor", "gear")]
)
def test_numbers_that_are_not_finite_in_any_spelling_of_c(tmp_path, part, attribute, number):
    text = MODEL.format(**PARTS | {part: f"{attribute}='{number}'"})
    assert f": {attribute}: is not finite; found '{number}'" in refusal(tmp_path, text)


@pytest.mark.parametrize("number", ["nan 1 2 3 4 5", "1 0x8 nan(1) 2", "1,5 nan"])
def test_one_among_others_that_cannot_be_read_is_found(tmp_path, number):
    text = MODEL.format(**PARTS | {"motor": f"gear='{number}'"})
    assert "motor: gear: is not finite" in refusal(tmp_path, text)


@pytest.mark.parametrize("number", ["0x1p-3", "1e-1", "+3", "5.", ".5"])
def test_other_numbers_of_c_are_as_mujoco_reads_them(tmp_path, number):
    text = MODEL.format(**PARTS | {"geom": f"mass='{number}'"})
    (tmp_path / "arm.xml").write_text(text)
    ours = pliant.load_model(tmp_path / "arm.xml")[0].compile()
    assert ours.body_mass[1] == mujoco.MjModel.from_xml_string(text).body_mass[1] > 0.0


def test_a_count_that_no_computer_holds(tmp_path):
    text = MODEL.format(**PARTS | {"before": "<replicate count='1000000000'><site/></replicate>"})
    assert refusal(tmp_path, text).startswith("replicate: count: is too many; found '1000000000'")


def test_a_name_that_fills_the_message_is_said_to(tmp_path):
    plugin = f"<plugin joint='j' plugin='{'x' * 5000}'/>"
    text = MODEL.format(**PARTS).replace("</actuator>", f"{plugin}</actuator>")
    assert refusal(tmp_path, text).startswith("a name of more than 400 characters: MuJoCo refuses")
