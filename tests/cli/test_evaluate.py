"""`pliant evaluate` of a bench: what is the recordings' is found in those that had no part in the fit."""

import dataclasses
import hashlib
import json
import re
from pathlib import Path

import numpy as np

from pliant.engines.joint.engine import JointEngine
from pliant.io.actuator_file import load_actuator, write_actuator
from pliant.io.log import example_logs, read_log

from .conftest import Pliant

LATE = 0.015


def test_a_late_recorder_of_new_logs_is_found_also_beside_logs_of_the_fit(
    pliant: Pliant, tmp_path: Path
) -> None:
    actuator = load_actuator("xl330_bam_m4")
    engine = JointEngine(actuator)

    def simulated(path: Path, age: float) -> Path:
        """The recording as the actuator itself would have made it."""
        log = dataclasses.replace(read_log(path), velocity=None)
        motion = engine.rollout(log).position
        at = np.interp(np.clip(log.time - age, 0.0, None), log.time, motion)
        content = json.loads(path.read_text(encoding="utf-8"))
        for entry, position in zip(content["entries"], at.tolist(), strict=True):
            entry["position"] = position
            del entry["speed"]
        made = tmp_path / f"{path.stem}_{1e3 * age:.0f}ms.json"
        made.write_text(json.dumps(content))
        return made

    sources = [path for path in example_logs() if path.stem.endswith(("28m42", "29m04", "29m47"))]
    fitted, new = simulated(sources[0], 0.0), [simulated(path, LATE) for path in sources]
    digest = hashlib.sha256(fitted.read_bytes()).hexdigest()
    known = dataclasses.replace(
        actuator, identification={"sample_age": 0.0, "logs": {fitted.stem: digest}}
    )
    file = tmp_path / "fitted.toml"
    write_actuator(known, file)
    for recorder_by in ("auto", "day"):
        words = ("--recorder-by", recorder_by, "--json")
        ended = pliant("evaluate", file, fitted, *new, *words)
        assert ended.code == 0, ended.out + ended.err
        found = ended.json
        (age,) = (one for name, one in found["found"].items() if name.startswith("age of "))
        assert abs(age["value"] - LATE) < 0.002
        assert age["value"] > 3.0 * age["std"]
        assert found["logs"][fitted.stem]["mae_mrad"] < 1.0, (
            "a log of the fit is taken as it was fitted"
        )
    assert re.search(r"age of these logs +0\.0 +1\d\.\d", pliant("evaluate", file, *new).out)
    assert pliant("evaluate", file, fitted, "--json").json["found"] == {}
