"""Public numbers of the SO-101: what one number changes that no other can make up for."""

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
