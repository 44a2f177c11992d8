"""The page about stiffness: its Python runs from top to bottom."""

import re
from pathlib import Path

import numpy as np
import pytest

from . import truth

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "stiffness.md"


def test_its_code_runs_and_is_right(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    named = truth.ARM.replace('<body pos="0 0 -0.25">', '<body name="forearm" pos="0 0 -0.25">')
    (tmp_path / "arm.xml").write_text(named)
    (tmp_path / "run.csv").write_text(truth.as_csv(truth.simulated(10.0)))
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(code) == 5
    names: dict = {}
    for k, block in enumerate(code):
        exec(compile(block, f"block {k}", "exec"), names)
        if k == 0:
            assert names["run"].estimate.sigma[-1, 1] == pytest.approx(truth.K, rel=0.01)
        if k == 2:
            np.testing.assert_allclose(names["now"].sigma, 103.0, rtol=0.01)
    assert names["spring"].parameters[1] == pytest.approx(6.85)
    assert capsys.readouterr().out
