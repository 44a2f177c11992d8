"""`pliant compensate`."""

from pathlib import Path

import numpy as np
import pytest

from pliant.cli import main
from pliant.csv_rows import csv_columns, csv_rows

ARM = Path(__file__).parents[2] / "examples" / "arm.xml"
SERVOS = "shoulder=mx106_bam_m4,elbow=xl330_bam_m6"


def run(folder: Path, *more: str, joints: str = "shoulder,elbow") -> int:
    rows = [f"{0.05 * n:.2f},{0.2 + 0.004 * n:.4f},{0.3:.4f}" for n in range(41)]
    (folder / "wanted.csv").write_text("\n".join([f"time,{joints}", *rows]) + "\n")
    words = [str(ARM), str(folder / "goals.csv"), "--attach", SERVOS]
    return main(["compensate", *words, "--motion", str(folder / "wanted.csv"), *more])


def test_goals_begin_where_the_motion_does_and_lead_it(tmp_path: Path) -> None:
    assert run(tmp_path, "--rate", "100") == 0
    table = csv_columns(csv_rows((tmp_path / "goals.csv").read_text()))
    assert list(table) == ["time", "shoulder", "elbow"]
    np.testing.assert_allclose(table["time"], 0.01 * np.arange(201))
    assert table["shoulder"][0] == pytest.approx(0.2, abs=1e-4)
    # From half a second on: weight, friction, back-EMF and delay all lead.
    motion = 0.2 + 0.08 * table["time"][50:]
    assert (table["shoulder"][50:] > motion).all() and (table["elbow"][50:] > 0.3).all()


def test_a_mass_is_found_in_a_recording_of_holding_still(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path) == 0
    last = (tmp_path / "goals.csv").read_text().splitlines()[-1].split(",")[1:]
    rows = [f"{0.1 * n:.1f},{last[0]},0.36,{last[1]},0.3" for n in range(12)]
    head = "time,goal_shoulder,position_shoulder,goal_elbow,position_elbow"
    (tmp_path / "still.csv").write_text("\n".join([head, *rows]) + "\n")
    capsys.readouterr()
    assert run(tmp_path, "--payload", f"hand={tmp_path / 'still.csv'}", "--overwrite") == 0
    said = next(line for line in capsys.readouterr().out.splitlines() if "hand holds" in line)
    mass, doubt = (
        float(word.strip("+-")) for word in said.split() if word.strip("+-")[0].isdigit()
    )
    # These goals push with all of the friction, so that the mass is off by as much as that can have it.
    assert abs(mass) == pytest.approx(doubt, rel=0.1)


@pytest.mark.parametrize(
    ("joints", "more", "said"),
    [
        ("shoulder,wrist", [], "no actuator is attached to this joint; found 'wrist'"),
        ("shoulder,elbow", ["--payload", "hand=9"], "cannot hold it there, with the payload"),
        ("shoulder,elbow", ["--stiffness", "elbw=3"], "no such joint; found 'elbw'"),
        ("shoulder,elbow", ["--rate", "0"], "--rate: out of range"),
        ("shoulder,elbow", ["--attach", "wrst=xl330_bam_m6"], "arm.xml: joint: no such joint"),
    ],
)
def test_what_cannot_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], joints: str, more: list[str], said: str
) -> None:
    assert run(tmp_path, *more, joints=joints) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "goals.csv").exists()
