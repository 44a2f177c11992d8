"""A short soak; longer with `python -m tests.soak --steps 1e7`."""

import numpy as np
import pytest

from . import __main__ as soak


def test_three_arms_stay_finite_and_small() -> None:
    assert soak.main(["--steps", "50000"]) == 0


def test_what_is_not_finite_or_warned_of_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = soak.compiled

    def broken(actuators: dict[str, str]) -> object:
        model = compiled(actuators)
        model.opt.timestep = np.nan
        return model

    monkeypatch.setattr(soak, "compiled", broken)
    assert soak.main(["--steps", "50000"]) == 1
