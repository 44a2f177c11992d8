"""Files of any kind, size and depth are refused at once, or compile."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

from pliant.catalogue import load_law
from pliant.errors import PliantError
from pliant.lower.law import lower_law
from pliant.subset import check_source

from .laws import REFUSED, with_


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "large"])
def test_what_is_no_file_of_text_is_refused_at_once(here: Path, kind: str) -> None:
    path = here / "mine.py"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_text(f"{with_()}#{' ' * 2_000_000}")
    with pytest.raises(PliantError):
        check_source(path)
    with pytest.raises(PliantError):
        load_law("friction_budget", str(path))


def test_deep_laws_are_refused_on_a_small_stack_too(here: Path) -> None:
    """In a thread whose stack is the smallest that threads are given."""
    path = here / "mine.py"
    path.write_text(REFUSED["100 000 sums"])
    said: list[str] = []

    def check() -> None:
        try:
            check_source(path)
        except PliantError as error:
            said.append(str(error))

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=check)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert said and said[0].startswith(f"{path}: ")


def test_the_deepest_law_that_is_accepted_compiles(here: Path) -> None:
    def nested(levels: int) -> str:
        return with_(body=f"return {'abs(' * levels}p.K_c{')' * levels}")

    path = here / "deep.py"
    path.write_text(nested(54))
    law = load_law("friction_budget", str(path))
    for target in ("python", "llvm"):
        lowered = lower_law(law, target)
        assert lowered.evaluate("budget", np.array([[1.0, 0.0, 0.0, 0.5]])) == [[0.5]]
    path = here / "deeper.py"
    path.write_text(nested(60))
    with pytest.raises(PliantError, match="is nested too deeply"):
        load_law("friction_budget", str(path))
