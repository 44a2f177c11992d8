"""The spring of one's own, as the documentation shows it, in all engines against its equations."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how_to" / "own_spring.md").read_text("utf-8")
EXAMPLE = ROOT / "examples" / "own_spring"


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
    code = re.findall(r"```python\n(import mujoco.*?)```", PAGE, re.DOTALL)[0]
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


def physics(text: str) -> list[str]:
    """Code of a law as a compiler sees it: its classes and functions, without words."""
    body = ast.parse(text).body
    return [ast.dump(n) for n in body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]


def test_the_page_shows_the_files_of_the_example():
    """Its law, and the lines of the TOML that name it."""
    [law] = re.findall(r"```python\n(\"{3}A spring.*?)```", PAGE, re.DOTALL)
    assert physics(law) == physics((EXAMPLE / "hardening_spring.py").read_text("utf-8"))
    lines = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
    toml = (EXAMPLE / "my_joint.toml").read_text("utf-8")
    assert all(line.partition("  #")[0].rstrip() in toml for line in lines)
