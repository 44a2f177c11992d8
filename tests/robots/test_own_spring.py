"""The spring of one's own, as the documentation shows it, in all engines against its equations."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "compliant_actuators.md"
EXAMPLE = ROOT / "examples" / "own_spring"


def section() -> str:
    return PAGE.read_text("utf-8").partition("## 1.10")[2].partition("## 2.1")[0]


def rest_of_motion(goal: float) -> float:
    """[rad] The link after 1 s: k phi + c phi^3 to a motor under PD and friction."""

    def rates(t, y):
        q, v, theta, omega, w = y
        pull = 40.0 * (q - theta) + 900.0 * (q - theta) ** 3
        motor = min(max(125.0 * (goal - theta) - 4.5 * omega, -6.0), 6.0)
        stick = 1e3 * (theta - w)
        slips = abs(theta - w) >= 2e-5 and omega * (theta - w) > 0.0
        return [
            v,
            -pull / 0.05,
            omega,
            (motor - 0.2698 * omega - stick + pull) / 0.0233,
            omega if slips else 0.0,
        ]

    return float(
        solve_ivp(rates, (0.0, 1.0), np.zeros(5), rtol=1e-7, atol=1e-9, max_step=1e-3).y[0, -1]
    )


@pytest.mark.slow  # it is compiled
def test_the_code_of_the_page_moves_as_the_equations_say():
    pytest.importorskip("mujoco.batch")
    code = re.findall(r"```python\n(import mujoco.*?)```", section(), re.DOTALL)[0]
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    joint, stiffest, alone, *batch = map(float, re.findall(r"-?\d+\.\d+", done.stdout))
    assert (joint, alone) == pytest.approx((rest_of_motion(0.5),) * 2, abs=3e-3)
    assert 40.0 < stiffest < 40.0 + 3.0 * 900.0 * 0.5**2
    goals = np.linspace(0.1, 0.8, 16)
    expected = [rest_of_motion(float(goals[k])) for k in (0, 15)]
    assert (batch[0], batch[15]) == pytest.approx(expected, abs=6e-3)


def test_the_page_shows_the_files_of_the_example():
    """Its law without comments on units, and the lines of the TOML that name it."""
    law = re.findall(r"```python\n# hardening_spring.py\n(.*?)```", section(), re.DOTALL)[0]
    shown = law.partition("class P")[2].replace("  # unit, and range in which it is checked", "")
    own = (EXAMPLE / "hardening_spring.py").read_text("utf-8")
    own = own.partition("class P")[2].replace("\n\nZERO_AT_REST = True\n", "")
    assert shown.rstrip() == own.rstrip()
    lines = re.findall(r"```toml\n(.*?)```", section(), re.DOTALL)[0].splitlines()
    toml = (EXAMPLE / "my_joint.toml").read_text("utf-8")
    assert all(line.partition("  #")[0].rstrip() in toml for line in lines)
