"""A search is watched: what the page shows is what the search says, and the search is the same."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

import pliant
from pliant.cli import main
from pliant.cli.searching import SearchProgress
from pliant.cli.terminal import Terminal
from pliant.identification import SearchSettings
from pliant.identification.problem.evaluation import evaluate
from pliant.io.log import example_logs
from pliant.view.watching import Predicted, Searched, SearchPage, Tried, watched

QUICK = SearchSettings(starts=1, jacobians=2)
BRIEF = ("--starts", "1", "--jacobians", "2", "--json")


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[SearchPage]:
    """The pages that commands open."""
    made: list[SearchPage] = []
    begin = SearchPage.__init__

    def kept(page: SearchPage, server: object) -> None:
        begin(page, server)
        made.append(page)

    monkeypatch.setattr(SearchPage, "__init__", kept)
    return made


def one_of_each_gain() -> list[str]:
    logs = {log.gain: log.path for log in pliant.read_logs([*example_logs()], repair=["all"])}
    return [str(path) for path in logs.values()][:2]


def searched(**more: Any) -> Searched:
    given = {"part": "", "done": 10, "planned": 20, "best": 0.02, "newest": 0.02}
    return Searched(**{**given, "seconds_left": 1.0, "values": {"k": (0.5, 0.0, 1.0)}, **more})


def test_the_page_has_the_best_that_the_search_ends_with() -> None:
    log = pliant.read_log(sorted(example_logs())[0], repair=["all"])
    with watched("a search", SearchPage, port=0) as (_, page):
        terminal = Terminal(as_json=True)
        terminal.page = page
        told = SearchProgress(terminal)
        found = pliant.identify("xl330_bam_m1", [log], search_settings=QUICK, report=told)
        last = page._seen[-1]
        page.show()
        table, curve = page._table.content, page._plot.data
    assert set(last.values) == set(found.values)
    assert all(low <= x <= high for x, low, high in last.values.values())
    assert all(name in table for name in found.values)
    assert curve[2][-1] == pytest.approx(1e3 * last.best)
    alone = pliant.identify("xl330_bam_m1", [log], search_settings=QUICK)
    assert dict(alone.values) == dict(found.values)


def test_intervals_and_bands_of_the_file_are_on_the_page(
    pages: list[SearchPage], tmp_path: Path
) -> None:
    logs, out = one_of_each_gain(), tmp_path / "out.toml"
    words = ["identify", *logs, "--actuator", "xl330_bam_m1", "--repair", "all", *BRIEF]
    assert main([*words, "--no-test", "--output", str(out), "--watch"]) == 0
    (page,) = pages
    written = pliant.load_actuator(out).identification["intervals_90"]
    assert set(page._intervals) == set(written)
    for name, ends in page._intervals.items():
        np.testing.assert_allclose(ends, written[name], rtol=1e-4)
        assert f"{ends[0]:.3g} … {ends[1]:.3g}" in page._table.content
    assert len(page.predicted) == len(logs)
    found = evaluate(out, pliant.read_logs(logs, repair=["all"]))
    for entry, one in zip(found.entries, page.predicted.values(), strict=True):
        assert one.name == entry.log.name
        np.testing.assert_array_equal(one.measured, entry.measured)
        assert (one.low <= one.high).all()
        assert np.mean((one.low <= one.measured) & (one.measured <= one.high)) > 0.5


def test_models_compared_are_on_the_page_as_in_the_result(
    pages: list[SearchPage], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["choose", *one_of_each_gain(), "--actuator", "xl330_bam_m6", "--repair", "all"]
    words += ["--model", "m1,m2", "--plain", *BRIEF]
    assert main([*words, "--watch"]) == 0
    (page,) = pages
    result = json.loads(capsys.readouterr().out)
    assert [one.name for one in page.tried] == list(result["models"])
    for one in page.tried:
        found = result["models"][one.name]
        assert 1e3 * one.held_out == pytest.approx(found["held_out_mae_mrad"])
        assert 1e3 * one.fitted == pytest.approx(found["mae_mrad"])
        assert one.verdict == found["verdict"]
        assert one.name in page._tried.content
    assert page._seen[-1].part in result["models"]


def test_another_part_of_a_search_begins_a_curve_anew() -> None:
    with watched("a search", SearchPage, port=0) as (_, page):
        for part, done in (("shoulder", 10), ("shoulder", 20), ("elbow", 30), ("elbow", 40)):
            page.note(searched(part=part, done=done))
        assert [one.done for one in page._seen] == [30, 40]
        page.note(searched(part="elbow", done=5))
        assert [one.done for one in page._seen] == [5]


def test_errors_that_are_no_numbers_and_hostile_names_do_no_harm() -> None:
    values: Any = {"<b>": (float("nan"), 0.0, 1.0)}
    with watched("a search", SearchPage, port=0) as (_, page):
        for best in (float("inf"), 0.02, 0.01):
            page.note(searched(part="<i>", best=best, newest=float("nan"), values=values))
        none, line = float("nan"), np.zeros(3)
        tried: Any = {"name": "<u>", "fitted": none, "held_out": none}
        page.compare([Tried(**tried)])
        log = Predicted(name="<s>", time=line, measured=line, simulated=line, low=line, high=line)
        page.predict({"<b>": (none, none)}, [log])
        assert len(page._seen) == 2
        assert "<b>" not in page._table.content.replace("<b data", "")
        assert not any(x in page._table.content + page._tried.content for x in ("<i>", "<u>"))
