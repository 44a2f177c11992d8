"""`pliant identify` with a prior, given values and conventions of the recording."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import TINY, Ended, Pliant


def identify(pliant: Pliant, logs: list[Path], *words: object) -> Ended:
    return pliant("identify", *logs, "--actuator", "xl330_bam_m1", *TINY, *words)


def test_what_moved_is_shown_and_kept(pliant: Pliant, logs: list[Path]) -> None:
    words = ("--prior", "xl330_bam_m1")
    ended = identify(pliant, logs, *words)
    assert ended.code == 0, ended.err
    head = next(line for line in ended.out.splitlines() if line.startswith("prior"))
    assert head.split("  ")[-1].strip() == "moved [std]"
    prior: dict[str, Any] = identify(pliant, logs, *words, "--json").json["prior"]
    assert prior["actuator"] == "xl330_bam_m1"
    assert set(prior["moved"]) >= {"motor.k_t", "motor.R", "friction.K_c"}


def test_logs_of_another_device_are_warned_of(pliant: Pliant, logs: list[Path]) -> None:
    ended = pliant("identify", *logs, "--actuator", "mx64_bam_m1", *TINY)
    assert "The logs are of another device: 2 of 2 say 'xl330', mx64_bam_m1 is of " in (ended.out)
    # Its voltage is the logs' then, for MuJoCo runs a servo at that of its file.
    assert "written with the settings of the logs" in ended.err
    assert ", voltage 7.4 V" in ended.err


def test_a_value_is_given(pliant: Pliant, logs: list[Path]) -> None:
    found = identify(pliant, logs, "--fix", "motor.R=3.2,motor.k_t", "--json").json
    assert found["parameters"]["motor.R"]["value"] == 3.2
    assert found["parameters"]["motor.R"]["source"] == "given"
    assert not {"motor.R", "motor.k_t"} & set(found["identified"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fix", "motor.R=x"], "--fix: is not a number; found 'x'"),
        (
            ["--fit", "motor.R", "--fix", "motor.R"],
            "fit and fix: is in both fit and fix; found 'motor.R'",
        ),
        (["--sample-age", "1"], "sample age: out of range; found 1.0; accepted: 0 to 0.1 s"),
    ],
)
def test_what_is_refused(pliant: Pliant, logs: list[Path], words: list[str], said: str) -> None:
    ended = identify(pliant, logs, *words)
    assert ended.code == 1
    assert ended.err.splitlines()[-1] == f"pliant: {said}"
