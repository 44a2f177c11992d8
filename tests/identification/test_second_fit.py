"""The test by a second fit is run again where its search has not found its end."""

from types import SimpleNamespace
from typing import Any

import pytest

from pliant import load_actuator
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import FitTask
from pliant.identification.selection import cross_validation as module
from pliant.io.log import example_logs, read_logs

LOGS = read_logs(example_logs())
KEPT = [log for log in LOGS if log.gain != 800.0]
TASK = FitTask(rig=JointRig(load_actuator("xl330_bam_m1")))
WHOLE: Any = SimpleNamespace(
    fitted=SimpleNamespace(by_log=lambda: {x.name: 1.0 if x.gain == 800.0 else 0.01 for x in LOGS})
)
"""A fit to all logs that comes to 10 mrad on all but those of gain 800."""


class Fits:
    """Stands for the fit: its ends are given, what it is called with is kept."""

    def __init__(self, *errors: float, interrupted: int | None = None) -> None:
        self.errors, self.interrupted = errors, interrupted
        self.seeds: list[int] = []

    def __call__(self, task: FitTask[Any], logs: object, **_: object) -> object:
        assert [log.name for log in logs] == [log.name for log in KEPT]  # type: ignore[attr-defined]
        k = len(self.seeds)
        self.seeds.append(task.search.seed)
        fitted = SimpleNamespace(mae=self.errors[k])
        return SimpleNamespace(fitted=fitted, interrupted=k == self.interrupted)


def run(fits: Fits, monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(module, "fit", fits)
    found = module.second_fit(TASK, LOGS, "gain=800", WHOLE, lambda _: None)
    return found.fitted.mae


@pytest.mark.parametrize(
    ("errors", "searches", "taken"),
    [
        ((0.0109,), 1, 0.0109),
        ((0.0111, 0.009), 2, 0.009),
        ((0.03, 0.02, 0.025, 0.04), 4, 0.02),
    ],
)
def test_searched_again_until_it_is_as_good_as_the_fit_to_all(
    errors: tuple[float, ...], searches: int, taken: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = Fits(*errors)
    assert run(fits, monkeypatch) == taken
    assert len(fits.seeds) == searches
    assert len(set(fits.seeds)) == searches
    assert fits.seeds[0] == TASK.search.seed


def test_ctrl_c_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = Fits(0.03, 0.05, interrupted=1)
    assert run(fits, monkeypatch) == 0.05
    assert len(fits.seeds) == 2


@pytest.mark.parametrize(("error", "says"), [(0.0109, False), (0.0111, True)])
def test_a_second_fit_that_stays_worse_is_told(error: float, says: bool) -> None:
    fitted = SimpleNamespace(mae=error, entries=[SimpleNamespace(log=log) for log in KEPT])
    second: Any = SimpleNamespace(fitted=fitted, interrupted=False)
    said = module.fell_short(second, WHOLE)
    assert (said is not None) == says
    if said is not None:
        assert "11.1 mrad" in said
        assert "10.0" in said
