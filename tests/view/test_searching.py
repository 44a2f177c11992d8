"""A search is watched: what the page shows is what the search says, and the search is the same."""

from typing import Any

import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

import pliant
from pliant.cli.progress import SearchProgress
from pliant.cli.terminal import Terminal
from pliant.identify import SearchSettings
from pliant.io.log import example_logs
from pliant.view.searching import Searched, search_shown

QUICK = SearchSettings(starts=1, generations=3, polish=1, final_polish=1, rounds=0, finalists=1)


def test_the_page_has_the_best_that_the_search_ends_with() -> None:
    log = pliant.read_log(sorted(example_logs())[0], repair=["all"])
    with search_shown(port=0) as (_, page):
        told = SearchProgress(Terminal(as_json=True), page=page)
        found = pliant.identify("xl330_bam_m1", [log], search_settings=QUICK, report=told)
        last = page._seen[-1]
        page.show()
        table, curve = page._table.content, page._plot.data
    assert last.best >= found.search.error
    assert set(last.values) == set(found.values)
    assert all(low <= x <= high for x, low, high in last.values.values())
    assert all(name in table for name in found.values)
    assert curve[2][-1] == pytest.approx(1e3 * last.best)
    assert (curve[2][1:] <= curve[2][:-1] + 1e-12).all()
    alone = pliant.identify("xl330_bam_m1", [log], search_settings=QUICK)
    assert dict(alone.values) == dict(found.values)


def test_errors_that_are_no_numbers_and_hostile_names_do_no_harm() -> None:
    values: Any = {"<b>": (float("nan"), 0.0, 1.0)}
    with search_shown(port=0) as (_, page):
        for best in (float("inf"), 0.02, 0.01):
            one = Searched(
                part="<i>",
                done=10,
                planned=20,
                best=best,
                newest=float("nan"),
                seconds_left=1.0,
                values=values,
            )
            page.note(one)
        page.show()
        assert len(page._seen) == 2
        assert "<b>" not in page._table.content.replace("<b data", "")
        assert "<i>" not in page._table.content
