"""Groups held out in turn: each is predicted by the fit without it, begun where the fit to all ended."""

import numpy as np
import pytest

from pliant.identification.fit import fit
from pliant.identification.problem.evaluation import evaluate
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import fit_task
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.cross_validation import left_out
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log


@pytest.fixture(scope="module")
def recorded() -> list[Log]:
    """One log each of gain 100 and 200."""
    logs = [read_log(path) for path in example_logs()]
    return [next(log for log in logs if log.gain == gain) for gain in (100.0, 200.0)]


def test_a_group_is_predicted_by_a_fit_that_no_longer_sees_it(recorded: list[Log]) -> None:
    """Better on the log that stays, worse on that left out, than the fit to both; both errors as logs have them."""
    task = fit_task(
        JointRig(load_actuator("xl330_bam_m1")),
        {"search_settings": SearchSettings(starts=1, jacobians=15)},
    )
    found = fit(task, recorded)
    of_both = found.fitted.by_log()
    first, second = (log.name for log in recorded)
    fold = left_out(found, recorded[1:])
    assert list(fold.held_out) == [second]
    assert fold.error == fold.held_out[second] > of_both[second]
    assert fold.fitted < of_both[first]
    assert np.isfinite(fold.density[second])
    assert evaluate(found.actuator, recorded).mae == pytest.approx(found.fitted.mae)
