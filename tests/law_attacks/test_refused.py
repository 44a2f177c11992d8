"""Laws that leave the subset are refused with their place."""

import subprocess
import sys
from pathlib import Path

import pytest

from pliant.catalogue import load_law
from pliant.errors import PliantError

from .laws import REFUSED, TOML, with_


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_what_is_no_law_is_refused(here: Path, text: str) -> None:
    path = here / "mine.py"
    path.write_text(text, "utf-8")
    with pytest.raises(PliantError) as caught:
        load_law("friction_budget", str(path))
    said = str(caught.value)
    assert said.startswith(f"{path}: ")
    assert len(said) < 1000


def test_the_law_that_all_of_them_change_is_accepted(here: Path) -> None:
    path = here / "mine.py"
    path.write_text(with_())
    law = load_law("friction_budget", str(path))
    assert law.module.budget(1.0, 0.0, 0.0, law.module.P(0.5)) == 0.5


def test_the_law_of_the_report(here: Path) -> None:
    """`pliant show` of an actuator whose law imports `sys` through `typing` ran its command."""
    (here / "tanh_friction.py").write_text(REFUSED["sys out of typing"])
    (here / "device.toml").write_text(TOML.read_text())
    ended = subprocess.run(
        [sys.executable, "-m", "pliant.cli", "show", "device.toml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert f"{here / 'tanh_friction.py'}: line " in ended.stderr
    assert "Traceback" not in ended.stderr
