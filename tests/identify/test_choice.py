"""Held-out error decides, log by log, and of equals the simplest."""

import pytest

from pliant import PliantError, load_actuator
from pliant.identify.choice import Trial, candidates, choose, take


class Known(Trial):
    """A trial whose errors are given instead of found."""

    def __init__(self, size: int, *errors: float) -> None:
        object.__setattr__(self, "size", size)
        object.__setattr__(self, "errors", errors)

    size: int
    errors: tuple[float, ...]

    @property
    def parameters(self) -> int:
        return self.size

    @property
    def held_out(self) -> float:
        return sum(self.errors) / len(self.errors)

    def of_each_log(self) -> dict[str, float]:
        return {str(k): error for k, error in enumerate(self.errors)}


def test_a_clearly_better_model_is_taken_whatever_its_size() -> None:
    small, large = Known(4, 0.050, 0.061, 0.052, 0.060), Known(18, 0.030, 0.041, 0.032, 0.040)
    choice = take([small, large])
    assert choice.chosen is large
    assert choice.verdict(small) == "worse than the best by 20.0 +- 0.0 mrad a log"


def test_of_equals_the_simplest_is_taken() -> None:
    small, large = Known(4, 0.030, 0.045, 0.032, 0.042), Known(18, 0.031, 0.041, 0.033, 0.040)
    choice = take([large, small])
    assert choice.trials[0] is large
    assert choice.chosen is small
    assert choice.verdict(small) == "taken: as good as the best, and simpler"
    assert choice.verdict(large) == "as good as the best, with more parameters"


def test_one_bad_log_does_not_hide_that_the_others_are_better() -> None:
    """Compared log by log: what all models find hard does not count as noise between them."""
    small = Known(4, 0.035, 0.025, 0.305)
    large = Known(18, 0.030, 0.020, 0.300)
    assert take([small, large]).chosen is large


def test_candidates_are_every_model_with_every_extension() -> None:
    made = candidates(
        load_actuator("xl330_bam_m6"), ("m1", "m4"), ({}, {"driver": "supply_resistance"})
    )
    assert [(a.laws["friction"].name, a.laws["driver"].name) for a in made] == [
        ("m1", "ideal_supply"), ("m1", "supply_resistance"),
        ("m4", "ideal_supply"), ("m4", "supply_resistance"),
    ]  # fmt: skip


def test_an_unknown_group_is_refused() -> None:
    with pytest.raises(
        PliantError, match="by: cannot be held out; found 'gian'; did you mean 'gain'"
    ):
        choose([load_actuator("xl330_bam_m1")], [], by="gian")
