"""The drawing of friction budgets shows what the laws compute."""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant

EXTENSIONS = Path(__file__).parents[2] / "docs" / "extensions"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(EXTENSIONS))
    monkeypatch.delitem(sys.modules, "figures", raising=False)
    return runpy.run_path(str(EXTENSIONS / "budgets.py"))


def test_budgets_over_speed_and_load_are_those_of_the_model_table(made: dict[str, Any]) -> None:
    """Row M4 by hand, a load that the motor holds: tau_m - tau_e is twice the load."""
    p = {
        name.removeprefix("friction."): number.value
        for name, number in pliant.load_actuator("mx64_bam_m4").numbers.items()
    }
    v, load = np.array([0.0, 0.7, 3.0]), 1.5
    s = np.exp(-((v / p["v_s"]) ** p["alpha"]))
    expected = (
        p["K_c"] + p["K_v"] * v + 2 * load * p["K_l"] + s * (p["K_cs"] + 2 * load * p["K_ls"])
    )
    found = made["budget"]("m4", v, load)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_the_drawing_names_every_model_and_load(made: dict[str, Any]) -> None:
    drawn = made["page"]()
    for name in ("M1", "M2", "M3", "M4", "M5", "M6", "load 0 N m", "load 2 N m"):
        assert f">{name}</text>" in drawn
