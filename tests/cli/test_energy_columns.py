"""Powers and energies that `pliant simulate` writes, against each other and against the motion."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from pliant.cli import main

ARM = """<mujoco><option timestep="0.001"/><worldbody>
<body><joint name="elbow" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.3"/>
<body pos="0 0 -0.2"><joint name="wrist" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -0.1" size="0.02" mass="0.1"/></body></body>
</worldbody></mujoco>"""
CART = """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="9 9 1"/>
<body name="cart" pos="0 0 0.11"><freejoint/><geom type="box" size="0.1 0.06 0.02" mass="2"/>{}</body>
</worldbody></mujoco>"""
WHEEL = """<body pos="{x} {y} -0.01"><joint name="{n}" axis="0 1 0"/>
<geom type="cylinder" size="0.1 0.01" euler="90 0 0" mass="0.2"/></body>"""


def simulated(tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, *options: str):
    path, table = tmp_path / "robot.xml", tmp_path / "motion.csv"
    path.write_text(model)
    assert main(["simulate", str(path), *options, "--output", str(table), "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    rows = list(csv.reader(table.read_text().splitlines()))
    columns = np.array([[float(x or "nan") for x in row] for row in rows[1:]]).T
    return plain, dict(zip(rows[0], columns, strict=True))


def test_columns_of_motors_and_joints_add_up_to_the_energies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, table = simulated(
        tmp_path,
        capsys,
        ARM,
        *("--attach", "elbow=qbmove_maker_pro_pwm,wrist=mx106_bam_m4"),
        *("--goal", "elbow=0.6,wrist=0.4", "--duration", "0.5", "--step", "0.00025"),
    )
    h = 0.00025

    def total(name):
        return float(np.sum(0.5 * h * (table[name][1:] + table[name][:-1])))

    elbow, wrist = plain["energy"]["elbow"], plain["energy"]["wrist"]
    assert [len(one["motors"]) for one in (elbow, wrist)] == [2, 1]
    for shown, column in (("heat", "heat"), ("work", "work"), ("net", "electrical")):
        parts = [total(f"elbow.{column}_{n}") for n in (1, 2)]
        assert elbow[shown] == pytest.approx(sum(parts), rel=1e-5)
        assert [m[shown] for m in elbow["motors"]] == pytest.approx(parts, rel=1e-5)
    assert wrist["work"] == pytest.approx(total("wrist.work"), rel=1e-5)
    speed = np.gradient(table["elbow"], h)
    assert elbow["link"] == pytest.approx(total("elbow.link"), rel=1e-5)
    assert np.corrcoef(np.sign(table["elbow.link"][5:]), np.sign(speed[5:]))[0, 1] > 0.3
    stored = table["elbow.spring_energy"]
    assert stored[-1] - stored[0] == pytest.approx(elbow["spring"], rel=0.02)
    assert elbow["work"] - elbow["friction"] == pytest.approx(
        elbow["spring"] + elbow["damping"] + elbow["link"], rel=0.02
    )  # the motors stand again
    assert "wrist.spring" not in table
    assert "cost_of_transport" in plain
    assert plain["cost_of_transport"] is None


def test_of_an_actuator_on_a_tendon_alone_there_is_no_table_of_energies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tendon = '<tendon><fixed name="both"><joint joint="elbow" coef="1"/></fixed></tendon></mujoco>'
    (tmp_path / "robot.xml").write_text(ARM.replace("</mujoco>", tendon))
    wanted = ["--attach", "both=sea_walkman_200", "--goal", "both=0.3", "--duration", "0.1"]
    assert main(["simulate", str(tmp_path / "robot.xml"), *wanted]) == 0
    shown = capsys.readouterr().out
    assert "elbow" in shown
    assert "energy" not in shown


def test_a_robot_that_goes_somewhere_has_a_cost_of_transport(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = {"a": (0.1, 0.08), "b": (0.1, -0.08), "c": (-0.1, 0.08), "d": (-0.1, -0.08)}
    wheels = "".join(WHEEL.format(n=n, x=x, y=y) for n, (x, y) in places.items())
    plain, table = simulated(
        tmp_path,
        capsys,
        CART.format(wheels),
        *("--attach", ",".join(f"{n}=mx106_bam_m4" for n in places)),
        *("--goal", ",".join(f"{n}=3" for n in places), "--duration", "2"),
    )
    drawn = sum(one["drawn"] for one in plain["energy"].values())
    turned = np.mean([table[n][-1] for n in places])
    expected = drawn / (2.8 * 9.81 * 0.1 * turned)  # the wheels roll
    assert plain["cost_of_transport"] == pytest.approx(expected, rel=0.1)
