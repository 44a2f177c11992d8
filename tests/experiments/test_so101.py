"""Public numbers of the SO-101: what one number changes that no other can make up for."""

from pathlib import Path

import numpy as np
import pytest

from pliant.experiments.so101 import so101


def test_what_is_apart_is_the_height_over_the_others() -> None:
    """Three directions with known angles; the height over a plane from its normal."""
    changes = np.array([[1.0, 0.0, 0.0, 0.0], [3.0, 4.0, 0.0, 0.0], [1.0, 1.0, 2.0, 0.0]])
    left = np.linalg.norm(so101.apart(changes), axis=1)
    volume = np.linalg.det(changes[:, :3])
    for k in range(3):
        a, b = np.delete(changes[:, :3], k, axis=0)
        assert left[k] == pytest.approx(volume / np.linalg.norm(np.cross(a, b)))
    twice = so101.apart(np.array([[1.0, 2.0], [2.0, 4.0]]))
    assert twice == pytest.approx(0.0, abs=1e-12)  # one does what the other does


@pytest.mark.long
def test_public_numbers_are_compared_and_no_motion_tells_the_armature(tmp_path: Path) -> None:
    outcome = so101.run(None, tmp_path)
    errors = [float(row.here.partition(" mrad")[0]) for row in outcome.rows[:5]]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 2.0 * errors[-1]
    said = {row.what.partition(",")[0]: row for row in outcome.rows[5:]}
    assert list(said) == list(so101.NUMBERS)
    assert "any of these motions" in said["armature"].note
    assert "step_response" in said["dry friction"].note
    assert all(path.stat().st_size > 1000 for path in outcome.figures)
