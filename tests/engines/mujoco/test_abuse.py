"""A model with native actuators that was tampered with is refused by name, or warned of, or runs.

The cases are in `abuse.py`, each in a process of its own: none of them may crash or hang.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = Path(__file__).with_name("abuse.py")
REFUSED = {
    "second command deleted": "'a' has lost its second command",
    "on a tendon": "'b' acts on no joint",
    "on a body": "'b' acts on no joint",
    "on a site": "'b' acts on no joint",
    "on a ball": "'b' acts on a joint that is neither hinge nor slide",
    "another actuator of its instance": "'mine' has not been completed",
    "parameters cut": "'a' has fewer numbers in actuator_user than parameters",
    "state cut": "'a' has fewer activations than its state takes",
    "integrated by MuJoCo": "'a' has fewer activations than its state takes, or a dyntype",
    "laws forged": "'a' was saved with other laws",
    "laws left out": "'a' was saved with other laws",
    "laws of some text": "'a' was saved with other laws",
    "history_moved_away": "'b' has a history of commands that is not in the model",
    "form_forgotten": "'a' has not been completed",
    "before data: a parameter is nan": "'a' has a parameter in actuator_user that is not finite",
    "before data: a parameter is inf": "'a' has a parameter in actuator_user that is not finite",
    "before data: sub-steps are nan": "'a' has sub-steps, grip or mobility",
    "before data: sub-steps are none": "'a' has sub-steps, grip or mobility",
    "before data: sub-steps are 101": "'a' has sub-steps, grip or mobility",
    "before data: sub-steps are huge": "'a' has sub-steps, grip or mobility",
    "before data: grip is 0": "'b' has sub-steps, grip or mobility",
    "before data: mobility is infinite": "'a' has sub-steps, grip or mobility",
    "before data: dynprm is all zero": "'a' has not been completed",
    "before data: joint is -1": "'a' acts on no joint",
    "before data: joint is a million": "'a' acts on no joint",
    "before data: transmission is a tendon": "'a' acts on no joint",
    "before data: dyntype is integrator": "or a dyntype that is not user",
    "before data: act begins at a million": "'a' has fewer activations",
    "before data: act begins at -5": "'a' has fewer activations",
    "before data: act is narrow": "'a' has fewer activations",
}
WARNED = [name.replace("before", "after") for name in REFUSED if name.startswith("before")]
# Not these: MuJoCo itself would read at such addresses.
WARNED = [name for name in WARNED if ": act" not in name and ": joint" not in name]
WARNED += ["timestep_nan"]
OTHER_DATA = {
    "data of fewer actuators": "a",
    "data of more actuators": "a",
    "data of the same on other joints": "a",
    "data of other laws": "b",
    "data of another's plugin": "a",
    "data of one that MuJoCo read": "a",
    "data of one completed, where MuJoCo read": "b",
    "data of one that MuJoCo read on another joint": "b",
}
"""Data, and the actuator that is named. Data of a model without actuators crash MuJoCo itself."""
RESET = ["act nan", "act inf", "act -inf", "act 1e300"]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("abuse")  # MuJoCo writes its log there
    run = subprocess.run(
        [sys.executable, PROGRAM], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_no_case_crashes_or_hangs(outcomes):
    assert [name for name, found in outcomes.items() if "status" in (found or ())] == []


@pytest.mark.parametrize(("name", "said"), REFUSED.items())
def test_a_model_that_cannot_run_is_refused_by_its_actuators_name(outcomes, name, said):
    assert f"Pliant: actuator {said}" in outcomes[name] or said in outcomes[name]


@pytest.mark.parametrize("name", WARNED)
def test_what_is_broken_after_the_data_was_made_is_warned_of(outcomes, name):
    assert outcomes[name]["warned"]


@pytest.mark.parametrize("name", RESET)
def test_a_state_that_is_no_number_is_warned_of_and_reset_like_a_position(outcomes, name):
    assert outcomes[name] == {"warned": True, "act finite": True}


@pytest.mark.parametrize(("name", "joint"), OTHER_DATA.items())
def test_data_of_another_model_are_refused_and_stay_good_for_their_own(outcomes, name, joint):
    said, goes_on = outcomes[name]
    assert f"Pliant: actuator '{joint}' is stepped with the data of another model" in said
    assert goes_on


def test_data_go_on_with_models_that_differ_in_numbers_alone(outcomes):
    copied, again, same, other = outcomes["data_of_models_that_differ_in_numbers"]
    assert copied == again == same
    assert np.isfinite(other)


def test_scaling_whole_rows_of_parameters_touches_nothing_but_parameters(outcomes):
    assert outcomes["whole_row_scaled"] == [True, True]
    assert outcomes["rows_drawn_at_random"] == outcomes["plain"]


def test_the_second_command_is_found_wherever_it_stands(outcomes):
    assert outcomes["first_of_two_deleted"] == outcomes["only_the_first_attached"]
    np.testing.assert_allclose(outcomes["two_children_with_prefixes"], 2 * outcomes["plain"])


def test_a_forked_process_moves_as_its_parent(outcomes):
    here, child = outcomes["forked"]
    assert here == child == outcomes["plain"]
