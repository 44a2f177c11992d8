"""A short soak; longer with `python -m tests.soak --steps 1e7`."""

import socket

import numpy as np
import pytest

from . import __main__ as soak
from . import faces


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


@pytest.mark.long
def test_page_and_topics_leave_nothing_behind() -> None:
    pytest.importorskip("viser", reason="pliant[view] is not installed")
    pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")
    assert faces.main(["--messages", "2000", "--viewers", "3"]) == 0


def test_a_port_that_stays_open_is_seen() -> None:
    before = faces.Held.now()
    with socket.create_server(("127.0.0.1", 0)):
        assert any("ports" in text for text in faces.Held.now().left_by(before))
    assert not faces.Held.now().left_by(before)
