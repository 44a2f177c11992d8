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


def nested(depth: int, count: int, inside: str = "<site/>") -> str:
    return f"<replicate count='{count}'>" * depth + inside + "</replicate>" * depth


GRID = "<flexcomp type='grid' count='{}' spacing='.1 .1 .1' name='f' dim='{}'/>"
TEXTURES = "<asset>{}</asset><worldbody/>"


@pytest.mark.parametrize(
    "inside",
    [
        f"<worldbody>{nested(3, 300)}</worldbody>",
        f"<worldbody>{nested(1, 9999, '<site/>' * 100)}</worldbody>",
        f"<worldbody>{GRID.format('900 900 900', 3)}</worldbody>",
        f"<worldbody>{nested(1, 100, GRID.format('90 90 1', 2))}</worldbody>",
        TEXTURES.format("<texture name='t' type='cube' width='9999' height='9999'/>"),
        TEXTURES.format("<hfield name='t' nrow='9999' ncol='9999' size='1 1 1 1'/>"),
    ],
)
def test_copies_multiply(tmp_path, inside):
    said = refusal(tmp_path, f"<mujoco>{inside}</mujoco>")
    assert said.startswith(("replicate, flexcomp: make too many", "hfield, texture: make too many"))


def test_copies_multiply_through_files(tmp_path):
    (tmp_path / "part.xml").write_text(f"<mujoco>{nested(1, 9000)}</mujoco>")
    include = nested(1, 100, "<include file='part.xml'/>")
    said = refusal(tmp_path, f"<mujoco><worldbody>{include}</worldbody></mujoco>")
    assert "part.xml: replicate, flexcomp: make too many" in said
    asset = "<asset><model name='m' file='part.xml'/></asset>"
    attach = nested(1, 100, "<frame><attach model='m' prefix='x'/></frame>")
    said = refusal(tmp_path, f"<mujoco>{asset}<worldbody>{attach}</worldbody></mujoco>")
    assert "part.xml: replicate, flexcomp: make too many" in said


def test_a_fair_number_of_copies_is_made(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(f"<mujoco><worldbody>{nested(2, 20)}{nested(1, 10)}</worldbody></mujoco>")
    assert pliant.load_model(path)[0].compile().nsite == 410


@pytest.mark.parametrize("name", ["part", "part.xml", "part.MJCF"])
def test_a_model_that_asks_for_itself_under_any_name_is_refused(tmp_path, name):
    """MuJoCo has no end there."""
    asset = f"<asset><model name='m' content_type='text/xml' file='{name}'/></asset>"
    text = f"<mujoco>{asset}<worldbody/></mujoco>"
    (tmp_path / name).write_text(text)
    assert "includes itself" in refusal(tmp_path, text)


def test_a_long_name_is_not_repeated_in_full(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(MODEL.format(**PARTS).replace("'j'", f"'{'x' * 100_000}'"))
    assert len(str(pliant.check(path))) < 10_000


def test_a_picture_of_no_end_is_refused_before_it_is_unpacked(tmp_path):
    head = b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + b"IHDR"
    side = (30_000).to_bytes(4, "big")
    (tmp_path / "sky.png").write_bytes(head + side + side + bytes([8, 6, 0, 0, 0]))
    asset = "<asset><texture name='sky' type='2d' file='sky.png'/></asset>"
    said = refusal(tmp_path, f"<mujoco>{asset}<worldbody/></mujoco>")
    assert "texture sky: file: is too large a picture" in said
    assert "sky.png: 9e+08 pixels" in said


def test_a_file_that_no_path_can_name_is_refused(tmp_path):
    said = refusal(
        tmp_path, f"<mujoco><asset><mesh name='m' file='{'x' * 9000}'/></asset></mujoco>"
    )
    assert "mesh m: file: is not a regular file; found 'xxx" in said
    assert len(said) < 1000
