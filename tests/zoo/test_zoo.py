"""Pliant's actuators on robots that others made.

    python -m tests.zoo --fetch                    once: the packages, some 900 MB unpacked
    PLIANT_ZOO=1 pytest -n 2 -m zoo tests/zoo

`PLIANT_ZOO` is 1, or the folder of the packages. What came of each model goes to `$PLIANT_ZOO_RECORDS`,
from which `python -m tests.zoo --page FILE` makes the page of the documentation.
"""

import json
import os
import re
import tomllib
from dataclasses import asdict
from pathlib import Path

import pytest

from .packages import DEFAULT, PACKAGES, ZooModel, missing, models
from .trial import Record, Run, tried

pytestmark = pytest.mark.zoo

WANTED = os.environ.get("PLIANT_ZOO", "")
FOLDER = DEFAULT if WANTED in ("", "1") else Path(WANTED)
REFUSALS = tomllib.loads((Path(__file__).parent / "refusals.toml").read_text("utf-8"))
MODELS = list(models(FOLDER)) if WANTED else []


def test_the_packages_are_here() -> None:
    if not WANTED:
        pytest.skip(f"set PLIANT_ZOO=1 to try the models of {', '.join(PACKAGES)}")
    assert missing(FOLDER) == [], "python -m tests.zoo --fetch"
    assert len(MODELS) > 200


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_model_runs_or_is_refused_with_a_reason(model: ZooModel) -> None:
    record = tried(model)
    if folder := os.environ.get("PLIANT_ZOO_RECORDS"):
        name = re.sub(r"\W+", "_", str(model))
        (Path(folder) / f"{name}.json").write_text(json.dumps(asdict(record), indent=1))
    if record.refused:
        assert reason("model", record.refused), record.refused
        return
    assert record.runs or record.unstable
    assert [fault for run in record.runs for fault in faults(record, run)] == []


def faults(record: Record, run: Run) -> list[str]:
    """What no person would accept."""
    at = f"{run.actuator}, {run.options}"
    if run.refused:
        known = reason("actuator", run.refused)
        return [] if known else [f"{at}: refused: {run.refused}"]
    found: list[str] = []
    told = run.warnings or any("may diverge" in note for note in record.repaired)
    if not run.sound and not told:
        found.append(f"{at}: ran away, and nothing was said: {run.bad} bad states, {run.gained} J")
    if run.difference:
        found.append(f"{at}: a copy differs by {run.difference}")
    if run.lost:
        found.append(f"{at}: gone without a word: {', '.join(run.lost)}")
    if run.misplaced:
        found.append(f"{at}: controls elsewhere than said: {', '.join(run.misplaced)}")
    named = {name for name in record.had if name}
    kept = [name for name in record.had if name in named & {*run.controls}]
    if kept != [name for name in run.controls if name in named]:
        found.append(f"{at}: the order of the controls changed: {run.controls}")
    return found


def reason(kind: str, message: str) -> str | None:
    """What is behind a refusal that is on the list."""
    return next((why for sign, why in REFUSALS[kind].items() if re.search(sign, message)), None)
