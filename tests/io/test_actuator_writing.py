"""Actuator files as they are written, with laws of their own beside them."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pliant.assemble import with_law
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator, write_actuator

from .drive import DRIVE, changed, refusal, same

OWN_LAW = '''"""Friction that is always the same."""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 100.0)]
    K_v: Annotated[float, "N m s/rad", (0.0, 100.0)]


def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_c
'''


def test_a_law_of_ones_own_is_named_by_its_path_from_the_file(path: Path) -> None:
    (path.parent / "laws").mkdir()
    own = path.parent / "laws" / "constant.py"
    own.write_text(OWN_LAW)
    drive = load_actuator(changed(path, ('friction = "m1"', 'friction = "laws/constant.py"')))
    law = drive.laws["friction"]
    assert (law.name, law.path) == ("constant", own)
    elsewhere = path.parent / "elsewhere" / "copy.toml"
    write_actuator(drive, elsewhere)
    copied = load_actuator(elsewhere).laws["friction"]
    assert copied.path == elsewhere.parent / "constant.py"
    assert copied.path.read_text() == OWN_LAW
    below = path.parent / "copy.toml"
    write_actuator(drive, below)
    assert load_actuator(below).laws["friction"].path == own
    assert 'friction = "laws/constant.py"' in below.read_text()
    assert 'motor = "torque_source"' in elsewhere.read_text()


def test_a_copied_law_overwrites_no_other(path: Path) -> None:
    own = path.parent / "constant.py"
    own.write_text(OWN_LAW)
    drive = load_actuator(changed(path, ('friction = "m1"', 'friction = "constant.py"')))
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "constant.py").write_text("another")
    write_actuator(drive, elsewhere / "copy.toml")
    copied = load_actuator(elsewhere / "copy.toml").laws["friction"].path
    assert copied.read_text() == OWN_LAW
    assert (elsewhere / "constant.py").read_text() == "another"


def test_a_law_that_is_not_there_is_refused_with_its_path(path: Path) -> None:
    said = refusal(path, ('friction = "m1"', 'friction = "laws/constant.py"'))
    assert said == (
        f"{path.parent / 'laws' / 'constant.py'}: no such friction_budget law file; "
        f"asked for by {path}: laws.friction"
    )


def test_text_that_looks_like_toml_survives(path: Path, tmp_path: Path) -> None:
    """Names of logs and sources are the users': quotes, dots, line ends, other alphabets."""
    odd = 'run "3".b\n\u03b8 = [1]'
    drive = load_actuator(changed(path))
    made = replace(
        drive,
        title=odd,
        sources={**drive.sources, "a.b c": odd},
        identification={"logs": {odd: "0" * 64}, "starts_mrad": [1.5, 2.0], "interrupted": False},
    )
    write_actuator(made, tmp_path / "odd.toml")
    assert same(replace(made, name="odd"), load_actuator(tmp_path / "odd.toml"))


def test_a_changed_law_is_written_with_what_is_assumed(tmp_path: Path) -> None:
    made = with_law(load_actuator("xl330_bam_m1"), "friction", "m6")
    write_actuator(made, tmp_path / f"{made.name}.toml")
    assert same(made, load_actuator(tmp_path / f"{made.name}.toml"))


def test_a_file_that_exists_is_kept_unless_it_may_be_replaced(path: Path) -> None:
    drive = load_actuator(changed(path))
    with pytest.raises(PliantError) as caught:
        write_actuator(drive, path)
    assert str(caught.value) == (f"{path}: exists already; accepted: another name, or --overwrite")
    assert path.read_text(encoding="utf-8") == DRIVE
    write_actuator(drive, path, overwrite=True)
    assert path.read_text(encoding="utf-8") != DRIVE
    assert same(drive, load_actuator(path))


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_writing_that_is_broken_off_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    drive = load_actuator(changed(path))

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "replace", broken)
    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises((KeyboardInterrupt, PliantError)):
        write_actuator(drive, path, overwrite=True)
    with pytest.raises((KeyboardInterrupt, PliantError)):
        write_actuator(drive, path.parent / "new.toml")
    assert path.read_text(encoding="utf-8") == DRIVE
    assert list(path.parent.iterdir()) == [path]
