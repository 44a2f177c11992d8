"""A recording is watched: the page has its samples, and the file is the same."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

from pliant.cli import main
from pliant.io.log import read_log
from pliant.view.recording import Recorded, RecordingPage, recording_shown

WORDS = [
    "record", "--emulated", "xl330_bam_m6", "--virtual-time", "--mass", "0.2", "--length", "0.1",
    "--motion", "fast", "--duration", "1", "--max-current", "20", "--output",
]  # fmt: skip


def test_the_page_has_the_samples_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[RecordingPage] = []
    begin = RecordingPage.__init__

    def kept(page: RecordingPage, server: object) -> None:
        begin(page, server)
        pages.append(page)

    monkeypatch.setattr(RecordingPage, "__init__", kept)
    assert main([*WORDS, str(tmp_path / "watched"), "--watch"]) == 0
    assert main([*WORDS, str(tmp_path / "alone")]) == 0
    log = read_log(tmp_path / "watched" / "fast.json")
    (page,) = pages
    np.testing.assert_allclose([row[2] for row in page._seen], log.position)
    assert (tmp_path / "watched/fast.json").read_text() == (
        tmp_path / "alone/fast.json"
    ).read_text()


def test_another_run_begins_anew_and_names_do_no_harm() -> None:
    with recording_shown(port=0) as (_, page):
        for name in ("first", "<b>"):
            for k in range(3):
                now = Recorded(
                    name=name, time=0.1 * k, length=1.0, samples=k, lost=0, goal=0.1, position=0.2
                )
                page.note(now)
            page.show(now)
        assert len(page._seen) == 3
        assert "<b>" not in page._said.content
        np.testing.assert_allclose(page._plot.data[2], 0.2)
