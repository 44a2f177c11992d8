"""Parts of the estimator's core by themselves, as plain Python, against closed forms."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pliant.estimate.core import learning


def test_friction_that_the_rounding_of_its_sign_leaves_out_is_a_part_of_it() -> None:
    s: Any = SimpleNamespace(terms=np.zeros((1, 2, 3)), parameters=np.array([[9.0, 9.0, 9.0, 0.4]]))
    row: Any = np.array([0.0, 0.0, 0.0, -0.25])
    without, with_friction = SimpleNamespace(friction=0), SimpleNamespace(friction=1)
    assert learning._rounded_friction(s, without, 0, row) == 0.0  # type: ignore[arg-type]
    assert learning._rounded_friction(s, with_friction, 0, row) == pytest.approx((0.4 * 0.75) ** 2)  # type: ignore[arg-type]
