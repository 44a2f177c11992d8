"""Draws for training: read from the file that `identify --draws` writes, or spread."""

from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.engines.spec.randomise import drawn_table, filled, spread
from pliant.errors import PliantError

SERVO = pliant.load_actuator("xl330_bam_m6")


def test_a_file_of_draws_loses_the_numbers_of_the_bench(tmp_path: Path) -> None:
    path = tmp_path / "draws.csv"
    path.write_text("motor.k_t,plant.arm_mass,own.armature\n0.3,1.0,0.002\n0.4,1.1,0.003\n")
    table = drawn_table(path, SERVO)
    assert {name: values.tolist() for name, values in table.items()} == {
        "motor.k_t": [0.3, 0.4],
        "own.armature": [0.002, 0.003],
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "spring.k,motor.k_t\n1,2\n",
            r"no such parameter; found 'spring\.k'",
        ),
        ("plant.arm_mass\n1\n", "needs columns of the same length"),
        ("motor.k_t\n-3\n", r"motor\.k_t: outside the range of its law; found -3"),
        ("motor.k_t\nnan\n", r"line 2, motor\.k_t: is not a number"),
        ("motor.k_t\n", "has no rows below its header"),
    ],
)
def test_a_file_that_is_no_draws_of_this_actuator_is_refused(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "draws.csv"
    path.write_text(text)
    with pytest.raises(PliantError, match=said) as refused:
        filled(SERVO, drawn_table(path, SERVO))
    assert "outside" in said or str(path) in str(refused.value)


def test_a_spread_lies_within_its_parts_and_is_seeded() -> None:
    table = spread(SERVO, {"motor.k_t": 0.1}, count=500, seed=3)
    ratio = table["motor.k_t"] / SERVO.value("motor.k_t")
    assert 0.9 <= ratio.min() < 0.92
    assert 1.08 < ratio.max() <= 1.1
    np.testing.assert_array_equal(
        table["motor.k_t"], spread(SERVO, {"motor.k_t": 0.1}, count=500, seed=3)["motor.k_t"]
    )
    with pytest.raises(PliantError, match=r"motor\.k_t: must be a fraction; found 1\.5"):
        spread(SERVO, {"motor.k_t": 1.5})
    with pytest.raises(PliantError, match="no such parameter; found 'motor"):
        spread(SERVO, {"motor.K_t": 0.1})
