"""Faults put into a real recording: each is found, said in these words, and repaired on request."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.faults_signal import position_dropouts
from pliant.io.findings import Finding
from pliant.io.log import Log, check_log, read_log

Write = Callable[[dict[str, Any]], Path]
QUANTUM = 2.0 * np.pi / 4096
KNOWN = {"arm_mass", "speed"}


def new(findings: list[Finding] | tuple[Finding, ...], also: str = "") -> list[Finding]:
    """Findings beyond those of the intact recording."""
    return [f for f in findings if f.field not in KNOWN or f.field == also]


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(PliantError) as caught:
        read_log(path, **options)
    return str(caught.value).replace(f"{path.parent}{os.sep}", "")


def intact(run: dict[str, Any], write: Write) -> Log:
    return read_log(write(run))


def rms(a: Any, b: Any) -> float:
    return float(np.sqrt(np.mean((np.asarray(a) - np.asarray(b)) ** 2)))


def test_dropouts_of_position_and_voltage(run: dict[str, Any], write: Write) -> None:
    before = intact(run, write)
    lost = [0, 1, 57, 300, 302, 610, 611, 612 + 6, 1109]
    lost = [row for row in lost if abs(before.position[row]) > 0.1]
    assert len(lost) >= 5
    for row in lost:
        run["entries"][row]["position"] = 0.0
    run["entries"][400]["input_volts"] = 0.0
    log = read_log(write(run))
    assert log.position[lost[0]] == 0.0, "nothing is repaired unless asked"
    found = new(log.findings)
    assert [(f.kind, f.field, f.severity, f.repaired) for f in found] == [
        ("dropout", "position", "warning", False),
        ("dropout", "input_volts", "warning", False),
    ]
    assert found[0].where == tuple(f"entries[{row}]" for row in lost)
    t = run["entries"][400]["timestamp"]
    assert found[1].message == f"1 dropout, up to 7.3 V off (first at entries[400], t = {t:.3f} s)"
    mended = read_log(write(run), repair=["dropout"])
    assert all(f.repaired for f in new(mended.findings))
    error = np.abs(mended.position - before.position)
    assert np.flatnonzero(error).tolist() == [r for r in lost if error[r] > 0]
    assert error.max() < 0.01
    assert before.voltage is not None and mended.voltage is not None
    assert np.abs(mended.voltage - before.voltage).max() < 0.6


@pytest.mark.parametrize("row", [0, 1, -2, -1])
def test_a_dropout_at_an_end_is_found_and_mended(
    run: dict[str, Any], write: Write, row: int
) -> None:
    before = intact(run, write)
    run["entries"][row]["position"] += 1.0
    mended = read_log(write(run), repair=["dropout"])
    assert [f.count for f in new(mended.findings)] == [1]
    assert np.abs(mended.position - before.position).max() < 0.01


@pytest.mark.parametrize("middle", [0.0, 1.0, -1.0])
def test_failed_reads_at_the_end_against_the_motion_are_found(middle: float) -> None:
    rows = np.arange(300)
    line = middle - 0.03 * (rows - 292.0)  # passes it seven rows before the end
    for end, lost in ((294, False), (299, True)):  # 0.03 rad away, and 0.18
        read = np.where(np.isin(rows, [50, 100]), middle, line)[:end]
        read = np.r_[read, np.full(5, middle)]
        bad, _ = position_dropouts(0.01 * np.arange(len(read)), read)
        assert np.flatnonzero(bad).tolist() == [50, 100, *(range(end, end + 5) if lost else ())]


def test_a_failed_read_inside_a_step_is_found() -> None:
    time, goal = np.arange(60) / 30.0, np.where(np.arange(60) < 30, -0.8, -0.1)
    line = np.r_[np.full(31, -0.8), 0.0, -0.35, -0.03, 0.13, 0.12, 0.01, np.full(23, -0.1)]
    bad, _ = position_dropouts(time, line, goal)
    assert np.flatnonzero(bad).tolist() == [31]
    sound = np.where(np.arange(60) == 31, -0.69, line)
    assert not position_dropouts(time, sound, goal)[0].any()


@pytest.mark.parametrize("middle", [1.5, -1.5])
def test_failed_reads_in_a_row_are_found_far_from_zero_too(middle: float) -> None:
    rows = np.arange(400)
    line = middle + 0.3 * np.sin(rows / 50.0)
    for count in (3, 5):
        lost = np.isin(rows, 200 + np.arange(count))
        bad, size = position_dropouts(rows / 50.0, np.where(lost, 0.0, line), 0.0 * line + middle)
        assert np.flatnonzero(bad).tolist() == np.flatnonzero(lost).tolist()
        np.testing.assert_allclose(size[lost], np.abs(line[lost]), atol=0.05)


@pytest.mark.parametrize("forward", [1, -1])
def test_equal_reads_of_a_motion_as_fast_before_or_after_them_are_sound(forward: int) -> None:
    line = np.r_[np.full(20, 0.9), 1.0, 0.9, 0.6, 0.6, 0.6, np.full(20, 0.9)][::forward]
    assert not position_dropouts(0.01 * np.arange(len(line)), line)[0].any()
    line[line == 1.0] = 0.9
    assert np.array_equal(position_dropouts(0.01 * np.arange(len(line)), line)[0], line == 0.6)


def test_a_failed_read_soon_after_a_step_of_goals_is_found() -> None:
    time = np.arange(60) / 30.0
    goal = np.where(time < 0.9, -0.1, 0.607)
    line = np.r_[np.full(28, -0.1), 0.2, 0.5, 0.62, 0.634, 0.64, 0.635, 0.627, 0.62, 0.0, 0.611]
    line = np.r_[line, np.full(60 - len(line), 0.609)]
    bad, _ = position_dropouts(time, line, goal)
    assert np.flatnonzero(bad).tolist() == [36]
    assert not position_dropouts(time, np.where(line == 0.0, 0.614, line), goal)[0].any()


def test_a_dropout_does_not_hide_another(run: dict[str, Any], write: Write) -> None:
    rows = [300, 302, 305, 307]
    for row in rows:
        run["entries"][row]["position"] += 1.0
    found = [f for f in check_log(write(run)) if f.kind == "dropout"]
    assert [f.where for f in found] == [tuple(f"entries[{row}]" for row in rows)]


def test_three_bad_samples_in_a_row_are_jumps(run: dict[str, Any], write: Write) -> None:
    for row in (300, 301, 302):
        run["entries"][row]["position"] += 1.0
    found = new(check_log(write(run)))
    assert [(f.kind, f.where) for f in found] == [("jump", ("entries[300]", "entries[303]"))]


@pytest.mark.parametrize("seed", range(5))
def test_random_spikes_are_found_exactly(run: dict[str, Any], write: Write, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = sorted(int(r) for r in rng.choice(np.arange(4, 1106), 20, replace=False))
    for row in rows:
        run["entries"][row]["position"] += rng.choice([-1, 1]) * rng.uniform(0.15, 3.0)
    found = [f for f in check_log(write(run)) if f.kind == "dropout"]
    assert [f.where for f in found] == [tuple(f"entries[{row}]" for row in rows)]


def test_an_impact_a_step_and_fast_motion_are_not_dropouts() -> None:
    time = np.arange(0.0, 1.0, 0.005) + 0.001 * np.sin(np.arange(200) ** 2)
    moving = {
        "impact": np.abs(time - 0.4) * 12.0,
        "stop": np.minimum(time, 0.5) * 15.0,
        "step": np.where(time < 0.5, 0.0, 1.0),
        "fast": np.sin(2 * np.pi * 4.0 * time),
    }
    for name, position in moving.items():
        bad, _ = position_dropouts(time, np.round(position / QUANTUM) * QUANTUM)
        assert not bad.any(), name


def test_turns_that_were_not_counted_are_put_in_on_request(
    run: dict[str, Any], write: Write
) -> None:
    before = intact(run, write)
    for entry in run["entries"][500:]:
        entry["position"] += 2 * np.pi
    path = write(run)
    found = new(check_log(path))
    t = run["entries"][500]["timestamp"]
    assert [(f.kind, f.repair, f.message) for f in found] == [
        (
            "wrap",
            "wrap",
            f"its counts wrap, 1 time, by 6.283 rad (610 samples, first at entries[500], t = {t:.3f} s)",
        )
    ]
    mended = read_log(path, repair=["wrap"])
    np.testing.assert_allclose(mended.position, before.position, atol=1e-12)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (lambda x: np.mod(x, 2 * np.pi), "its counts wrap"),
        (lambda x: np.mod(x, 2 * np.pi * 16), "its counts wrap, 11 times, by 100.5 rad"),
        (
            lambda x: np.where(x < 0, 16 * np.pi - x, x),
            "a bit of its counts (50.27 rad) is their sign",
        ),
        (lambda x: x - 4 * np.pi, "stands -12.57 rad, -2 turns, from its command throughout"),
    ],
)
def test_wraps_sign_bits_and_other_turns_come_back_as_they_were(
    run: dict[str, Any], write: Write, written: Callable[[Any], Any], said: str
) -> None:
    before = intact(run, write)
    for entry in run["entries"]:
        entry["position"] = float(written(entry["position"]))
    path = write(run)
    assert said in next(f.message for f in check_log(path) if f.kind == "wrap")
    np.testing.assert_allclose(read_log(path, repair=["wrap"]).position, before.position, atol=1e-9)


def test_a_slip_in_mid_run_is_a_jump(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"][500:]:
        entry["position"] += 0.3
    assert [(f.kind, f.where) for f in new(check_log(write(run)))] == [("jump", ("entries[500]",))]


@pytest.mark.parametrize(("unit", "factor"), [("0.1 V", 10.0), ("0.01 V", 100.0), ("mV", 1e3)])
def test_voltage_in_another_unit(
    run: dict[str, Any], write: Write, unit: str, factor: float
) -> None:
    before = intact(run, write)
    for entry in run["entries"]:
        entry["input_volts"] = round(factor * entry["input_volts"], 9)
    path = write(run)
    (found,) = new(check_log(path), "input_volts")
    assert (found.kind, found.severity) == ("voltage-unit", "warning")
    assert found.message == (
        f"median {7.3 * factor:.4g} where the supply is 7.4 V: in units of {unit}; treated as "
        "not recorded"
    )
    assert read_log(path).voltage is None, "nobody needs it"
    mended = read_log(path, repair=["voltage-unit"])
    assert before.voltage is not None and mended.voltage is not None
    assert np.abs(mended.voltage - before.voltage).max() < 1e-9


def test_a_voltage_that_fits_no_unit_is_left_out(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"]:
        entry["input_volts"] = 0
    path = write(run)
    assert read_log(path).voltage is None
    assert read_log(path, repair=["voltage-unit"]).voltage is None


def test_a_voltage_that_is_not_finite_spoils_no_log(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"]:
        entry["input_volts"] = float("nan")
    (found,) = new(check_log(write(run)), "input_volts")
    assert (found.kind, found.severity) == ("nan", "warning")
    assert read_log(write(run)).voltage is None


def test_a_stated_supply_that_the_voltmeter_contradicts_is_told(
    run: dict[str, Any], write: Write
) -> None:
    for entry in run["entries"]:
        entry["input_volts"] = 11.9 if entry["timestamp"] < 3.0 else 12.1
    run["vin"] = 15.0
    (found,) = new(check_log(write(run)))
    assert (found.kind, found.severity) == ("supply", "warning")
    assert found.message == (
        "15 V is stated, 12.1 V was measured at low current: give the right one "
        "(--reading voltage=12.1), or --reading supply=measured"
    )
    assert new(check_log(write(run), supply=12.0))[-1].kind == "given"


def test_a_bare_arm_swings_by_its_own_mass(run: dict[str, Any], write: Write) -> None:
    run["mass"] = 0.0
    assert refused(write(run)) == (
        "run.json: mass: is 0, a bare arm, and arm_mass is not known: give arm_mass [kg]"
    )
    run["arm_mass"] = 0.05
    assert (read_log(write(run)).mass, read_log(write(run)).arm_mass) == (0.0, 0.05)


def test_isolated_nan_is_interpolated_on_request(run: dict[str, Any], write: Write) -> None:
    before = intact(run, write)
    for row in (17, 500):
        run["entries"][row]["position"] = float("nan")
    run["entries"][600]["speed"] = float("inf")
    path = write(run)
    assert refused(path) == (
        "run.json: position: 2 values are not finite (first at entries[17], t = 0.093 s) "
        "(and 1 more error, see `pliant check`); accepted: repair 'nan': each is interpolated "
        "from its neighbours"
    )
    mended = read_log(path, repair=["nan"])
    assert np.abs(mended.position - before.position).max() < 0.01
    assert mended.velocity is not None and np.isfinite(mended.velocity).all()


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([0], "at the start of the log"),
        ([1109], "at the end of the log"),
        ([40, 41], "not isolated"),
    ],
)
def test_nan_without_good_neighbours_stays_an_error(
    run: dict[str, Any], write: Write, rows: list[int], why: str
) -> None:
    for row in rows:
        run["entries"][row]["position"] = float("nan")
    text = refused(write(run), repair="all")
    assert f"; {why}, so not interpolated; accepted: repair 'stretch'" in text
    mended = read_log(write(run), repair=["stretch"])
    assert len(mended.time) == max(rows[0], 1109 - rows[-1])
    run["entries"][700]["position"] = float("nan")  # a single one does not end the stretch
    assert len(read_log(write(run), repair=["nan", "stretch"]).time) == len(mended.time)


@pytest.mark.parametrize("factor", [40.0])
def test_an_unusual_time_is_a_warning(run: dict[str, Any], write: Write, factor: float) -> None:
    for entry in run["entries"]:
        entry["timestamp"] *= factor
    finding = next(f for f in check_log(write(run)) if f.kind == "time")
    assert (finding.field, finding.severity, finding.repair) == ("timestamp", "warning", None)
    assert finding.message.endswith("the time is probably in ms, not in s")


def test_swapped_and_repeated_times_are_sorted_on_request(
    run: dict[str, Any], write: Write
) -> None:
    before = intact(run, write)
    entries = run["entries"]
    entries.insert(201, dict(entries[200]))
    np.testing.assert_array_equal(read_log(write(run), repair=["time"]).time, before.time)
    entries[100], entries[101] = entries[101], entries[100]
    path = write(run)
    assert refused(path) == (
        "run.json: timestamp: 1 step backward, 1 repeated time (first at entries[101]); accepted: "
        "repair 'time': rows are sorted by time; repeated times and rows without a time are dropped"
    )
    mended = read_log(path, repair=["time"])
    np.testing.assert_array_equal(mended.time, before.time)
    np.testing.assert_array_equal(mended.position, before.position)
    np.testing.assert_array_equal(mended.goal, before.goal)


def test_a_restarted_clock_is_not_sorted(run: dict[str, Any], write: Write) -> None:
    run["entries"] = run["entries"][:600] + run["entries"][:300]
    assert refused(write(run), repair="all") == (
        "run.json: timestamp: 1 step backward (first at entries[600]); the clock goes back by "
        "3.21 s: cut the file into two runs"
    )


def test_one_row_far_back_in_time_makes_no_two_runs(run: dict[str, Any], write: Write) -> None:
    run["entries"][9]["timestamp"] -= 50.0
    told = refused(write(run), repair="all")
    assert told.endswith("goes back by 50 s in one row: leave it out")


def test_time_that_stands_still_is_refused(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"]:
        entry["timestamp"] = 1.0
    assert refused(write(run), repair="all") == (
        "run.json: timestamp: 1109 repeated times (first at entries[1]); time never advances"
    )


def test_a_gap_is_reported_and_not_filled(run: dict[str, Any], write: Write) -> None:
    del run["entries"][300:340]
    path = write(run)
    t = [entry["timestamp"] for entry in run["entries"]]
    assert [str(f) for f in new(check_log(path))] == [
        (
            f"warning: timestamp: 1 gap, the longest {t[300] - t[299]:.3f} s where 0.0053 s is "
            f"usual (first after entries[299], t = {t[299]:.3f} s); cut the file there, or keep the longest stretch"
        )
    ]
    assert len(read_log(path, repair="all").time) == len(t)
    assert len(read_log(path, repair=["stretch"]).time) == len(t) - 300


def test_incomplete_entries_are_dropped_on_request(run: dict[str, Any], write: Write) -> None:
    before = intact(run, write)
    del run["entries"][5]["position"], run["entries"][9]["speed"]
    path = write(run)
    assert refused(path) == (
        "run.json: position, speed: 2 rows are incomplete (first entries[5]); accepted: repair "
        "'length': incomplete rows are dropped"
    )
    mended = read_log(path, repair=["length"])
    np.testing.assert_array_equal(mended.position, np.delete(before.position, [5, 9]))
    np.testing.assert_array_equal(mended.time, np.delete(before.time, [5, 9]))


def test_too_few_rows_are_refused(run: dict[str, Any], write: Write) -> None:
    del run["entries"][7:]
    assert refused(write(run)) == ("run.json: rows: only 7 complete, at least 8 are needed")


def test_several_faults_at_once_are_all_found_and_repaired(
    run: dict[str, Any], write: Write
) -> None:
    before = intact(run, write)
    entries = run["entries"]
    for entry in entries:
        entry["input_volts"] *= 10
        entry["speed"] *= 180 / np.pi
    entries[50]["position"] = float("nan")
    entries[400]["position"] += 1.0
    entries[600], entries[601] = entries[601], entries[600]
    del entries[700]["goal_position"]
    path = write(run)
    kinds = [f.kind for f in check_log(path)]
    assert kinds == [
        "missing",
        "length",
        "time",
        "nan",
        "voltage-unit",
        "dropout",
        "velocity-unit",
        "velocity-lag",
    ]
    mended = read_log(path, repair="all")
    assert np.abs(mended.position - np.delete(before.position, 700)).max() < 0.01
    assert all(f.repaired for f in mended.findings if f.repair)
    part = refused(path, repair=[k for k in kinds if k not in ("missing", "time")])
    assert part.startswith("run.json: timestamp: 1 step backward (first at entries[601]); accepted")


def test_a_motor_that_was_never_powered_is_refused(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"]:
        entry["torque_enable"] = False
    assert refused(write(run)) == (
        "run.json: torque_enable: is 0 in every row: the motor was never powered, so nothing can "
        "be identified from it"
    )
    run["entries"][5]["torque_enable"] = True
    assert intact(run, write).enabled.sum() == 1


def test_goals_in_degrees_are_told(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"]:
        for key in ("position", "goal_position"):
            entry[key] = float(np.degrees(entry[key]))
        del entry["speed"]  # which would tell, and refuse
    most = max(abs(entry["goal_position"]) for entry in run["entries"])
    found = [f for f in new(read_log(write(run)).findings) if f.kind == "goal-unit"]
    assert [str(f.message) for f in found] == [
        f"reaches {most:.4g} rad: degrees? --unit deg, or of some columns --columns"
    ]


def entries(run: dict[str, Any], **columns: Any) -> dict[str, Any]:
    """The recording with other values, for as many samples as there are."""
    rows = zip(run["entries"], *columns.values(), strict=False)
    changed = [{**row, **dict(zip(columns, map(float, new), strict=True))} for row, *new in rows]
    return {**run, "entries": [{k: v for k, v in row.items() if k != "speed"} for row in changed]}


def test_what_is_told_of_a_robots_joint_is_told_of_one_on_a_bench(
    run: dict[str, Any], write: Write
) -> None:
    """Doubled samples, a driver's filter, an encoder that loses counts, a moment of motion."""
    place = np.array([entry["position"] for entry in run["entries"]])
    told = np.array([entry["goal_position"] for entry in run["entries"]])
    smooth = place.copy()
    for n in range(1, len(place)):
        smooth[n] = 0.8 * smooth[n - 1] + 0.2 * place[n]
    follows = np.round(0.95 * np.r_[[told[0]] * 9, told[:-9]] / QUANTUM) * QUANTUM
    drifts = follows + np.linspace(0.0, 0.4, len(told))
    for values, said in (
        (np.repeat(place, 2), "each reading appears 2 times"),
        (smooth, "each value is 0.8 times the previous one"),
        (drifts, "drifts by +0.39 rad from its command, evenly"),
        (np.clip(np.linspace(-3.0, 40.0, len(place)), 0.0, 1.0), "moves for 0.2"),
    ):
        found = new(check_log(write(entries(run, position=values))))
        assert [f.message for f in found if f.severity == "warning" and said in f.message], found
    assert not [
        f for f in new(check_log(write(entries(run, position=follows)))) if f.severity != "note"
    ]


def test_commands_of_a_bench_that_are_what_the_joint_did_are_refused(
    run: dict[str, Any], write: Write
) -> None:
    place = [entry["position"] for entry in run["entries"]]
    path = write(entries(run, goal_position=place[2:]))
    wrapped = entries(run, goal_position=place[2:], position=np.mod(place, 2.0 * np.pi))
    assert refused(path) == (
        "run.json: goal_position: is the position 2 samples later: what the joint did, not what it was told: no command; record what was sent"
    )
    kinds = {one.kind for one in new(check_log(write(wrapped))) if one.severity != "note"}
    assert kinds == {"command", "wrap"}


def test_a_goal_of_no_joint_is_told_at_once_without_a_word_of_how_it_is_followed(
    run: dict[str, Any], write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    """Least squares with it would print, and not end."""
    told = [entry["goal_position"] for entry in run["entries"]]
    far = entries(
        run, position=told, goal_position=[1e308 if n == 500 else q for n, q in enumerate(told)]
    )
    assert [(f.kind, f.severity) for f in new(check_log(write(far)))] == [("range", "error")]
    assert capfd.readouterr().out == ""
