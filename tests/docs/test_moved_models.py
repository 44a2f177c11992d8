"""Every row of the table of saved, copied and moved models has its test, or says why not."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how_to" / "move_model.md"
TESTS = ROOT / "tests" / "engines" / "mujoco"
ROWS = {
    "XML as saved": ("test_model_file", "test_a_saved_model_loads_as_plain_mujoco_and"),
    "XML written by hand": ("test_written", "test_it_moves_as_the_completed_model"),
    "MJB": ("test_moved", "test_a_binary_model_moves_in_a_process_that_knew_no_actuator"),
    "`pickle` of `MjModel`": ("test_moved", "test_a_spawned_worker_moves_as_this_process"),
    "`pickle` of `MjData`": ("test_moving", "test_pickled_data_goes_on_as_the_original"),
    "`copy`, `deepcopy`": ("test_moving", "test_copies_go_on_as_the_original"),
    "spawned workers": ("test_moved", "test_a_spawned_worker_moves_as_this_process"),
    "forked workers": ("test_abuse", "test_a_forked_process_moves_as_its_parent"),
    "threads, `rollout`": ("test_state", "test_rollout_on_two_threads_equals_the_loop"),
    "threads, `rollout`, `Batch`": (
        "test_state",
        "test_each_simulation_of_a_batch_has_parameters_of_its_own",
    ),
    "randomised parameters": ("test_randomise", "test_everything_that_depends_on_a_drawn_number"),
    "several robots": ("test_composition", "test_several_robots_in_one_world_move_as_each"),
    "`MjSpec.copy`": ("test_composition", "test_a_copied_spec_moves_as_the_original"),
}
UNTESTED = {
    "viewer": "not tested: it needs a display",
    "Studio": "| no | they do not know the plugin",
}


def rows() -> list[str]:
    table = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    return [line for line in table if not line.startswith("| to save or move |")]


def test_every_row_has_a_test_or_says_why_not() -> None:
    for row in rows():
        first = row.split("|")[1].strip()
        tested = [key for key in ROWS if first.startswith(key)]
        excused = [why for key, why in UNTESTED.items() if first.startswith(key)]
        assert tested or any(why in row for why in excused), row


def test_the_tests_of_the_table_are_there() -> None:
    for row, (file, name) in ROWS.items():
        text = (TESTS / f"{file}.py").read_text("utf-8")
        assert re.search(rf"^def {name}", text, re.M), name
        assert any(line.split("|")[1].strip().startswith(row) for line in rows()), row
