"""Some recordings of a known truth, always the same; more with `python -m tests.fuzz --meaning 2000`."""

from pathlib import Path

import numpy as np
import pytest

from . import meaning


@pytest.mark.long
def test_no_reader_gives_a_wrong_value_without_a_word(tmp_path: Path) -> None:
    assert meaning.run(range(20261127, 20261127 + 40), tmp_path) == []


def test_a_wrong_value_without_a_word_is_seen(tmp_path: Path) -> None:
    made = meaning.simulated(np.random.default_rng(3))
    path, reading = meaning.as_csv(made, tmp_path)
    (log,) = meaning.read_robot_logs(path, reading)
    assert meaning.wrong(made, log, lambda rows: rows - 2) == []
    made.true = made.true + 0.1
    assert len(meaning.wrong(made, log, lambda rows: rows - 2)) == len(made.names)
