"""A recording is watched: the page has its samples, and the file is the same."""

import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

from pliant.cli import main
from pliant.io.log import read_log
from pliant.view.watching import Recorded, RecordingPage, watched

from .viewed import ITS_OWN, PATIENCE

WORDS = [
    "record", "--emulated", "xl330_bam_m6", "--virtual-time", "--mass", "0.2", "--length", "0.1",
    "--motion", "fast", "--duration", "1", "--max-current", "20", "--output",
]  # fmt: skip


def test_the_page_has_the_samples_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[RecordingPage] = []
    begin = RecordingPage.__init__

    def kept(page: RecordingPage, server: object, joints: list[str]) -> None:
        begin(page, server, joints)
        pages.append(page)

    monkeypatch.setattr(RecordingPage, "__init__", kept)
    assert main([*WORDS, str(tmp_path / "watched"), "--watch"]) == 0
    assert main([*WORDS, str(tmp_path / "alone")]) == 0
    log = read_log(tmp_path / "watched" / "fast.json")
    (page,) = pages
    np.testing.assert_allclose([one.positions["joint_1"] for one in page._seen], log.position)
    assert f"complete; {len(log.time)} samples are in" in page._said.content
    np.testing.assert_allclose(page._plot.data[2], log.position)
    assert (tmp_path / "watched/fast.json").read_text() == (
        tmp_path / "alone/fast.json"
    ).read_text()


def seen(name: str, k: int) -> Recorded:
    goals, positions = {"a": 0.1, "b": 0.3}, {"a": 0.2, "b": 0.4}
    return Recorded(
        name=name, time=0.1 * k, length=1.0, samples=k, lost=0, goals=goals, positions=positions
    )


def test_another_run_begins_anew_and_names_do_no_harm() -> None:
    with watched("", partial(RecordingPage, joints=["a", "b"]), port=0) as (_, page):
        for name in ("first", "<b>"):
            for k in range(3):
                page.note(seen(name, k))
            page.show()
        assert len(page._seen) == 3
        assert "<b>" not in page._said.content
        np.testing.assert_allclose(page._plot.data[2], 0.2)
        page.end("<b>", "stopped", "<b> is beyond its limit")
        assert "<b>" not in page._said.content
        assert "is beyond its limit" in page._said.content


def test_a_viewer_chooses_the_joint(browser: Any) -> None:
    with watched("", partial(RecordingPage, joints=["a", "b"]), port=0) as (address, page):
        for k in range(3):
            page.note(seen("run", k))
        tab = browser.new_context().new_page()
        tab.set_default_timeout(PATIENCE)
        tab.goto(address)
        tab.locator("xpath=//label[normalize-space()='Joint']/../../..//input").first.click()
        tab.get_by_role("option", name="b", exact=True).click()
        for _ in range(PATIENCE // 50):
            if page._plot.data[2][-1] == 0.4:
                break
            tab.wait_for_timeout(50)
        np.testing.assert_allclose(page._plot.data[1:], [[0.3] * 3, [0.4] * 3])
        tab.context.close()


def test_the_page_in_a_browser_until_ctrl_c(browser: Any, tmp_path: Path) -> None:
    words = ["record", "--emulated", "xl330_bam_m6", "--id", "1=left,2=right", "--watch"]
    words += ["--motion", "slow", "--duration", "600", "--max-current", "20"]
    words += ["--reach", "0.4,right=0.2", "--output", str(tmp_path)]
    # Tests that run in the background of a shell ignore Ctrl-C, and what they begin would too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    command = [sys.executable, "-m", "pliant.cli", *words]
    ours, terminal = os.openpty()  # where the page stays as long as somebody looks
    process = subprocess.Popen(command, stdin=terminal, stderr=subprocess.PIPE, text=True)
    os.close(terminal)
    signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    try:
        address = next(
            m.group() for line in process.stderr if (m := re.search(r"http://\S+", line))
        )
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        tab, complaints = context.new_page(), list[str]()

        def heard(message: Any) -> None:
            if message.type in ("error", "warning") and not any(w in message.text for w in ITS_OWN):
                complaints.append(message.text)

        tab.on("console", heard)
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(address)
        said, curves = tab.get_by_role("status"), tab.locator(".u-over")
        said.get_by_text(" of 600 s").wait_for()
        then, drawn = said.inner_text(), curves.screenshot()
        tab.wait_for_function(
            "then => document.querySelector('[role=status]').innerText != then", arg=then
        )
        for _ in range(PATIENCE // 50):  # drawn a moment after it is said
            if curves.screenshot() != drawn:
                break
            tab.wait_for_timeout(50)
        assert curves.screenshot() != drawn
        assert complaints == []
        process.send_signal(signal.SIGINT)
        said.get_by_text("interrupted").wait_for()
        rows = len((tmp_path / "slow.csv").read_text().splitlines()) - 1
        assert (
            f"slow: interrupted; {rows} samples are in {tmp_path / 'slow.csv'}" in said.inner_text()
        )
        context.close()
        assert process.wait(120) == 130
    finally:
        process.kill()
        process.communicate()
        os.close(ours)
