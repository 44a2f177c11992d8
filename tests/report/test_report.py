"""The report: one file that needs nothing else, and says what the numbers say."""

import dataclasses
import gzip
import json
import re
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from pliant.assemble import Ensemble, with_law, with_laws
from pliant.identification.fit import Identification, identify
from pliant.identification.problem.doubt import Doubt
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import Trial, take
from pliant.identification.selection.fit_job import Fold, JobResult
from pliant.identification.selection.sweep import with_others
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log
from pliant.io.output import write_whole
from pliant.report.derived import derived, friction_budget
from pliant.report.page import report_text
from pliant.report.words import at_bounds, warnings
from pliant.robots.log_energy import energy_of_log
from pliant.words import apart, mrad

TINY = SearchSettings(starts=1, jacobians=1)


@pytest.fixture(scope="module")
def logs() -> list[Log]:
    return [read_log(path) for path in example_logs()[:3]]


@pytest.fixture(scope="module")
def found(logs: list[Log]) -> Identification:
    actuator = load_actuator("xl330_bam_m6")
    return identify(actuator, logs[:2], held_out=logs[2:], search_settings=TINY)


@pytest.fixture(scope="module")
def page(found: Identification) -> str:
    runs = {e.log.name: e.simulated + 5e-4 for e in found.fitted.entries}
    return report_text(found, runs, actuator_file=Path("mine.toml"))


class Tags(HTMLParser):
    """Every tag is closed, and every id is there once."""

    VOID = frozenset({"meta", "br", "hr", "img", "input", "link"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.used: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            self.used += re.findall(r"#([\w-]+)", value or "") if "href" in name else []
            self.used += re.findall(r"url\(#([\w-]+)\)", value or "")


def test_is_well_formed_with_unique_ids(page: str) -> None:
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    assert set(tags.used) <= set(tags.ids)


def body(page: str) -> str:
    """Text that people read: without the plot library and the figures' data."""
    return re.sub(r"<script.*?</script>", "", page.partition("<body>")[2], flags=re.DOTALL)


def figures(page: str) -> list[dict[str, Any]]:
    """Every figure of the page, as plotly's own validators accept it."""
    found = re.findall(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)
    made = [json.loads(text) for text in found]
    for one in made:
        go.Figure(json.loads(re.sub(r'"@[a-z-]+"', '"#000"', json.dumps(one))))
    return made


def curve(figure: dict[str, Any], name: str) -> np.ndarray:
    """The y values of a curve."""
    (y,) = [trace["y"]["bdata"] for trace in figure["data"] if trace["name"] == name]
    return np.frombuffer(b64decode(y), "<f4")


def test_needs_nothing_from_outside(page: str) -> None:
    text = re.sub(r'(?s)<script type="text/plain".*?</script>', "", page)
    addresses = set(re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?([^"')\s>]+)""", text))
    assert all(address.startswith("#") for address in addresses), addresses
    assert "@import" not in text
    assert not re.findall(r"""<[^>]*["']?\w+://|url\(\s*["']?\w+://""", text)  # sources name pages


def test_holds_the_plot_library_whole(page: str) -> None:
    (packed,) = re.findall(r'id="plot-library">([^<]+)<', page)
    text = gzip.decompress(b64decode(packed)).decode()
    assert text.startswith("/**\n* plotly.js (cartesian - minified) v")
    assert "Licensed under the MIT license" in text[:300]
    assert "</script" not in text


def test_colours_come_from_the_style_sheet_alone(page: str) -> None:
    assert not re.findall(r"#[0-9a-fA-F]{6}\b", body(page))
    style = page.partition("<style>")[2].partition("</style>")[0]
    used = set(re.findall(r'"@([a-z-]+)"', json.dumps(figures(page))))
    assert used
    for name in used:
        assert style.count(f"--{name}:") == 2, f"{name} is not there in light and dark"


def test_tells_each_log_both_errors_and_their_difference(page: str, found: Identification) -> None:
    for entry in found.fitted.entries:
        row = next(r for r in page.split("<tr>") if r.startswith(f"<td>{entry.log.name}"))
        assert f"{1e3 * entry.mae:.1f}" in row
        assert "0.500" in row
    assert page.count('<span class="tag">held out</span>') == 2  # table, plot


def test_draws_what_was_measured_and_simulated_in_every_log(
    page: str, found: Identification
) -> None:
    assert found.held_out is not None
    entries = [*found.fitted.entries, *found.held_out.entries]
    *plots, diagram = figures(page)
    for plot, entry in zip(plots, entries, strict=True):
        np.testing.assert_allclose(curve(plot, "measured"), entry.log.position, atol=1e-6)
        np.testing.assert_allclose(curve(plot, "simulated"), entry.simulated, atol=1e-6)
        np.testing.assert_allclose(curve(plot, "residual"), 1e3 * entry.residual, atol=1e-3)
    names = {note["text"] for note in diagram["layout"]["annotations"]}
    assert names == {"stays", "driven", "back-driven"}


def test_measured_stays_visible_beside_what_covers_it(page: str) -> None:
    upper = {trace["name"]: trace for trace in figures(page)[0]["data"] if "yaxis" not in trace}
    order = list(upper)
    assert order.index("measured") < order.index("simulated")
    assert upper["measured"]["line"]["width"] > 2 * upper["simulated"]["line"]["width"]


def test_answers_in_order_is_it_good_can_i_use_it_what_is_not_known(page: str) -> None:
    marks = [
        '<p class="verdict">',
        "encoder&#39;s step",
        "<h2>Use it</h2>",
        "<h2>Measured and simulated</h2>",
        "<h2>What is not known</h2>",
        "<h2>Parameters</h2>",
    ]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "million steps" not in page


def test_names_every_parameter_with_its_meaning(page: str, found: Identification) -> None:
    for field in found.actuator.fields:
        assert f"<code>{field.partition('.')[2]}</code>" in page
    assert "torque constant at the output" in page
    assert "mounting error of the bench" in page


def test_holds_hashes_seed_and_the_lines_to_run_it(page: str, found: Identification) -> None:
    for entry in found.fitted.entries:
        assert entry.log.digest in page
    assert "mine.toml" in page
    assert "mj_step" in page


def test_text_of_files_is_escaped(found: Identification) -> None:
    evil = '<script>alert("x")</script>$\\frac{'
    entries = [
        dataclasses.replace(
            e, log=dataclasses.replace(e.log, name=evil, trajectory=evil, device=evil)
        )
        for e in found.fitted.entries
    ]
    actuator = dataclasses.replace(
        found.actuator,
        title=evil,
        name=evil,
        device=evil,
        sources={**found.actuator.sources, "default": evil},
        identification={"date": evil},
    )
    fitted = dataclasses.replace(found.fitted, entries=tuple(entries))
    changed = dataclasses.replace(
        found, rig=found.rig.with_actuators({"": actuator}), fitted=fitted
    )
    text = report_text(changed, None, actuator_file=Path(evil))
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert" in text


def test_is_written_whole_or_not_at_all(found: Identification, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_whole(path, report_text(found))
    assert path.stat().st_size < 8e6
    assert path.read_text().endswith("</html>\n")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_says_which_parameters_end_at_a_bound(found: Identification) -> None:
    low = found.actuator.with_values({"friction.K_cs": 0.0, "motor.R": 8.43}, "default", "assumed")
    changed = dataclasses.replace(found, rig=found.rig.with_actuators({"": low}))
    assert at_bounds(changed) | {"friction.K_cs": "lower", "motor.R": "upper"} == at_bounds(changed)
    words = "\n".join(warnings(changed))
    assert "inding resistance (motor.R) stopped at its upper bound, 8.43 Ohm" in words
    (zero,) = [word for word in warnings(changed) if "went to 0" in word]
    assert "friction.K_cs" in zero and "motor.R" not in zero


# Figures of a data sheet


def test_friction_of_m1_is_its_formula() -> None:
    actuator = load_actuator("xl330_bam_m1")
    v = np.array([0.0, 1.0, -3.0])
    expected = actuator.value("friction.K_c") + actuator.value("friction.K_v") * np.abs(v)
    np.testing.assert_allclose(friction_budget(actuator, v, 0.3, -0.2), expected, rtol=1e-14)


def test_m1_breaks_away_at_its_coulomb_friction_and_stalls_that_much_below_the_motor() -> None:
    actuator = load_actuator("xl330_bam_m1")
    figures, k_c = derived(actuator), actuator.value("friction.K_c")
    assert figures.breakaway_torque == pytest.approx(k_c, rel=1e-6)
    assert figures.backdrive_torque == pytest.approx(k_c, rel=1e-6)
    stalled = (
        actuator.value("motor.k_t") * actuator.value("own.voltage") / actuator.value("motor.R")
    )
    assert figures.motor_torque == pytest.approx(stalled, rel=1e-9)
    assert figures.stall_torque == pytest.approx(stalled - k_c, rel=1e-6)


def test_no_load_speed_is_where_friction_takes_all_of_the_motors_torque() -> None:
    """(U / k_t - K_c R / k_t^2) / (1 + K_v R / k_t^2) for M1."""
    actuator = load_actuator("xl330_bam_m1")
    k_t, r = actuator.value("motor.k_t"), actuator.value("motor.R")
    k_c, k_v = actuator.value("friction.K_c"), actuator.value("friction.K_v")
    volts = actuator.value("own.voltage")
    expected = (volts / k_t - k_c * r / k_t**2) / (1.0 + k_v * r / k_t**2)
    assert derived(actuator).no_load_speed == pytest.approx(expected, rel=1e-6)


def test_a_joint_that_its_load_locks_has_no_backdrive_torque() -> None:
    actuator = load_actuator("xl330_bam_m6").with_values(
        {"friction.K_e": 1.2}, "default", "assumed"
    )
    assert derived(actuator).backdrive_torque is None


def test_a_sagging_supply_stalls_earlier() -> None:
    stiff = load_actuator("xl330_bam_m6")
    soft = with_law(stiff, "driver", "supply_resistance").with_values(
        {"driver.R_s": 1.0}, "default", "assumed"
    )
    ratio = derived(soft).motor_torque / derived(stiff).motor_torque
    r = stiff.value("motor.R")
    assert ratio == pytest.approx(r / (r + 1.0), rel=1e-9)


# Numbers in words


def test_a_plain_number_at_its_bound_has_no_unit(found: Identification) -> None:
    alpha = found.actuator.numbers["friction.alpha"]
    ended = dataclasses.replace(alpha, value=10.0, low=0.3, high=10.0)
    numbers = {**found.actuator.numbers, "friction.alpha": ended}
    actuator = dataclasses.replace(found.actuator, numbers=numbers)
    changed = dataclasses.replace(found, rig=found.rig.with_actuators({"": actuator}))
    (word,) = [word for word in warnings(changed) if "friction.alpha" in word]
    assert "(friction.alpha) stopped at its upper bound, 10: better values" in word


def test_a_simulation_that_ran_away_stays_readable() -> None:
    assert [mrad(x) for x in (0.0123, 4e-5, 1e300, float("inf"), None)] == [
        "12.3",
        "0.040",
        "1e+303",
        "diverged",
        "–",
    ]
    assert apart(1e300) == "1e+303"


# Intervals and the models compared


def test_says_that_no_intervals_were_asked_for(page: str) -> None:
    assert "No intervals were asked for" in page


def test_shows_intervals_and_what_the_logs_leave_open(found: Identification) -> None:
    record = {
        **found.actuator.identification,
        "intervals_90": {"motor.k_t": [0.3456, 0.4567]},
    }
    actuator = dataclasses.replace(found.actuator, identification=record)
    text = "motor.k_t and motor.R can hardly be separated (correlation 0.99)"
    doubt = Doubt("correlated", ("motor.k_t", "motor.R"), text)
    rig = found.rig.with_actuators({"": actuator})
    text = report_text(dataclasses.replace(found, rig=rig, doubts=(doubt,)))
    row = next(r for r in text.split("<tr>") if "<code>k_t</code>" in r)
    assert "0.346 … 0.457" in row
    assert "<li>motor.k_t and motor.R can hardly be separated (correlation 0.99)." in text


def test_figures_of_the_fit_stand_beside_the_sheet(found: Identification, page: str) -> None:
    """With their intervals, or without any the values alone."""
    table = page.partition("<h2>Beside the data sheet</h2>")[2].partition("<h2>")[0]
    assert '<td>no-load speed at 6 V</td><td class="n">' in table
    assert '<td class="n">12.88</td>' in table and "…" not in table
    figures = {"stall_torque@6V": {"value": 0.5, "low": 0.41, "high": 0.62, "stated": 0.6}}
    text = _recorded(found, figures=figures)
    row = ["stall torque at 6 V", "0.5", "N m", "0.41 … 0.62", "0.6"]
    assert cells(text, "Beside the data sheet") == [row]


def _recorded(found: Identification, **entries: object) -> str:
    """The report of the same fit with other entries in its record."""
    record = {**found.actuator.identification, **entries}
    actuator = dataclasses.replace(found.actuator, identification=record)
    return report_text(dataclasses.replace(found, rig=found.rig.with_actuators({"": actuator})))


def cells(text: str, title: str) -> list[list[str]]:
    """Cells of the table below a heading."""
    part = text.partition(f"<h2>{title}</h2>")[2].partition("</table>")[0]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.split("<tr[^>]*>", part)[2:]]


def test_coverage_of_the_bands_is_in_the_report(found: Identification, page: str) -> None:
    assert "<h2>Bands</h2>" not in page
    groups = {"100.0": 0.811, "200.0": 0.925}
    held = {"samples": 0.868, "logs": 0.5, "groups": groups, "alone": 0.43, "factor": 1.5}
    text = _recorded(found, coverage=held, coverage_by="gain")
    assert cells(text, "Bands") == [
        ["gain 100", "81 %"],
        ["gain 200", "92 %"],
        ["samples inside", "87 %"],
        ["inside the draws alone", "43 %"],
        ["whole logs inside", "50 %"],
    ]
    assert "All logs have one P-gain" not in text
    assert "All logs have one P-gain" in _recorded(found, coverage=held, coverage_by="load")


def _carrying(found: Identification, *coulomb: float) -> str:
    """The report of a fit that carries draws with this friction beside its only fit."""
    own = found.actuator.value("friction.K_c")
    rows = np.array([own, *coulomb])[:, None]
    actuator = dataclasses.replace(found.actuator, ensemble=Ensemble(("friction.K_c",), rows, 1))
    return report_text(dataclasses.replace(found, rig=found.rig.with_actuators({"": actuator})))


def test_draws_that_stick_are_a_branch_of_their_own(found: Identification) -> None:
    """Two of eight hold with 5 N m, and stay where they began."""
    text = _carrying(found, 0.01, 0.0101, 0.0102, 0.0103, 0.0104, 0.0105, 5.0, 5.0)
    log = found.fitted.entries[0].log
    stay = 1e3 * np.mean(np.abs(log.position - log.position[0]))
    assert "posterior draws split here: 75 % reach" in text
    assert f"25 % reach {stay:.1f} mrad" in text
    assert len(curve(figures(text)[0], "25 % of the draws")) == len(log.time)
    together = _carrying(found, 0.01, 0.0101, 0.0102, 0.0103)
    assert "split here" not in together
    lone = _carrying(found, *np.linspace(0.01, 0.0105, 30), 5.0)
    assert "split here" not in lone  # one of 31 is outside of the band


def test_a_model_of_the_set_that_sticks_is_a_branch_of_the_report(found: Identification) -> None:
    """Five fits of M6, and two of M1 with a delay that hold with 5 N m."""
    near = Ensemble(("friction.K_c",), np.linspace(0.01, 0.0104, 5)[:, None], 5)
    m6 = dataclasses.replace(
        found.actuator.with_values({"friction.K_c": 0.01}, "test", "assumed"), ensemble=near
    )
    m1 = with_laws(found.actuator, {"friction": "m1", "timing": "command_delay"})
    m1 = m1.with_values({"friction.K_c": 5.0}, "test", "assumed")
    sticks = Ensemble(("friction.K_c",), np.array([[5.0], [5.1]]), 2)
    m1 = dataclasses.replace(m1, ensemble=sticks)
    taken, other = (
        dataclasses.replace(found, rig=found.rig.with_actuators({"": one})) for one in (m6, m1)
    )
    whole = with_others(taken, "m6", {"m1 + command_delay": other})
    assert whole.actuator is m6 and whole.carrying.laws["timing"].name == "command_delay"
    text = report_text(whole)
    assert "The file carries 5 fits of m6, which is attached, and 2 fits of m1 + command_" in text
    log = found.fitted.entries[0].log
    stay = 1e3 * np.mean(np.abs(log.position - log.position[0]))
    assert "equally good fits split here: 71 % reach" in text
    assert f"29 % reach {stay:.1f} mrad" in text
    assert len(curve(figures(text)[0], "29 % of the fits")) == len(log.time)
    assert "split here" not in report_text(taken)


def test_zeros_of_the_mountings_are_in_the_report(found: Identification, page: str) -> None:
    assert "Zeros of the mountings" not in page
    zeros = {"length 0.1": 0.0123, "length 0.15": -0.004}
    text = _recorded(found, zeros=zeros, zeros_held_out={"length 0.2": 0.02}, zero_by="length")
    first, second, out = cells(text, "Zeros of the mountings")
    assert (first, second) == (["length 0.1", "12.3"], ["length 0.15", "-4.0"])
    assert "length 0.2" in out[0] and "held out" in out[0] and out[1] == "20.0"


def test_what_differs_between_recorders_is_in_the_report(found: Identification, page: str) -> None:
    assert "<h2>Recorders</h2>" not in page
    ages, warmer = {"first": 0.0, "second": 0.0199}, {"first": -2.5, "second": 2.5}
    text = _recorded(found, recorders={"age": ages, "temperature": warmer}, recorder_by="day")
    assert cells(text, "Recorders") == [
        ["first", "0.0 ms", "-2.5 K"],
        ["second", "19.9 ms", "+2.5 K"],
    ]


def test_shows_the_models_compared_and_why_one_was_taken(found: Identification) -> None:
    def trial(size: int, *errors: float) -> Trial:
        values = {f"p{k}": 0.0 for k in range(size)}
        logs = {str(k): error for k, error in enumerate(errors)}
        folds = {"8": Fold(0.1, logs, {k: -100.0 * e for k, e in logs.items()})}
        return Trial(
            f"model of {size}", "gain", JobResult(values, 0.1, logs, folds, 1, 1, 2.0, 2.0)
        )

    choice = take("gain", [trial(4, 0.050, 0.061), trial(18, 0.030, 0.041)])
    text = report_text(found, choice=choice)
    table = text.partition("<h2>Models compared</h2>")[2].partition("<h2>")[0]
    rows = [row for row in table.split("<tr>") if row.startswith("<td>model of")]
    assert 'model of 18 <span class="tag">taken</span>' in rows[0]
    assert "<td>35.5</td>" in rows[0].replace(' class="n"', "")
    assert "worse by 20.0 +- 0.0 mrad a log" in rows[1]
    tags = Tags()
    tags.feed(text)
    assert tags.open == []


def test_the_energy_of_all_logs_is_in_the_report(page: str, found: Identification) -> None:
    """Fitted and held out: three logs. Their work goes into friction, but for what the load gained."""
    each = [
        energy_of_log(found.actuator, e.log)
        for e in (*found.fitted.entries, *found.held_out.entries)
    ]
    rows = page[page.index("<h2>Energy</h2>") :].partition("</table>")[0]
    assert "over 3 logs" in rows
    for quantity in ("drawn", "copper_loss", "friction"):
        assert f"{sum(float(np.nansum(getattr(one, quantity))) for one in each):.3g}" in rows
