"""Streams that are closed, or have no room: an answer, or one line, and never a traceback."""

import json
import subprocess
import sys

import pytest

SHOW = f"{sys.executable} -m pliant.cli show xl330_bam_m1"


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"{SHOW} >&-", 0, ""),
        (f"{SHOW} >&- <&-", 0, ""),
        (f"{SHOW} > /dev/full", 1, "pliant: the output cannot be written; found 'No space"),
        (f"{SHOW} --json > /dev/full", 1, "pliant: the output cannot be written; found 'No space"),
        (f"{SHOW}x 2>&-", 1, ""),
        (f"{SHOW}x --json 2>&- | cat", 0, ""),
    ],
)
def test_a_stream_that_takes_nothing(line: str, code: int, said: str) -> None:
    ended = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert ended.returncode == code
    assert ended.stderr.startswith(said)
    assert "Traceback" not in ended.stderr
    if "| cat" in line:
        assert "unknown actuator" in json.loads(ended.stdout)["error"]
