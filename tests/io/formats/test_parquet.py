"""Parquet with the columns of a robot's log."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.formats import reading
from pliant.io.formats.runs import write_parquet
from pliant.io.formats.tables import ParquetFile
from pliant.io.robot_logs import read_robot_log

from . import arrow as pa

TIME = np.arange(0.0, 1.0, 0.01)
COLUMNS = {
    "time": TIME + 5.0,
    "position_a": np.sin(TIME),
    "goal_a": np.sin(TIME + 0.2),
    "position_b": TIME,
    "temperature_a": 30.0 + TIME,
    "supply": 12.0 + TIME,
}


def written(folder: Path, columns: dict) -> Path:
    pa.parquet.write_table(pa.table(columns), folder / "run.parquet")
    return folder / "run.parquet"


def test_columns_become_the_log_s(tmp_path: Path) -> None:
    log = read_robot_log(written(tmp_path, COLUMNS))
    assert log.joints == ("a", "b")
    np.testing.assert_allclose(log.time, TIME, atol=1e-12)
    np.testing.assert_array_equal(log.position[:, 0], np.sin(TIME))
    np.testing.assert_array_equal(log.others["temperature"][:, 0], 30.0 + TIME)
    assert log.commanded("a") and not log.commanded("b")
    assert log.supply is not None and log.supply[-1] == COLUMNS["supply"][-1]


def test_it_is_read_without_waiting_for_pandas(tmp_path: Path) -> None:
    """Which pyarrow imports where it is installed: half a second, 60 MB."""
    code = "import sys; from pliant.robots import read_robot_logs; read_robot_logs(sys.argv[1])"
    code += "; print('pandas' in sys.modules)"
    words = [sys.executable, "-c", code, str(written(tmp_path, COLUMNS))]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_it_is_written_as_another_reads_it(tmp_path: Path) -> None:
    log = read_robot_log(written(tmp_path, COLUMNS))
    write_parquet(log, tmp_path / "again.parquet")
    table = pa.parquet.read_table(tmp_path / "again.parquet").to_pydict()
    assert table["position_a"] == list(np.sin(TIME))
    assert set(table) == set(COLUMNS)


@pytest.mark.parametrize(("unit", "count"), [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_a_time_of_day_is_a_time(tmp_path: Path, unit: str, count: float) -> None:
    stamps = pa.array(np.rint(count * (1.7e9 + TIME)).astype(np.int64), pa.timestamp(unit))
    log = read_robot_log(written(tmp_path, COLUMNS | {"time": stamps}))
    np.testing.assert_allclose(log.time, TIME, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"time": np.zeros(100)}, "time: 99 repeated times (first at row 1)"),
        (
            {"position_a": np.where(TIME == 0.5, np.nan, 0.0)},
            "position_a: 1 value is not finite (first at row 50, t = 0.500 s)",
        ),
        ({"speed_c": TIME}, "columns: is a joint without position_c"),
        ({"torch": TIME}, "columns: is not a known column"),
        ({"goal_b": ["x"] * 100}, "goal_b: has no numbers"),
        ({"goal_b": [[1.0]] * 100}, "goal_b: is a list"),
    ],
)
def test_a_wrong_column_is_refused(tmp_path: Path, changes: dict, message: str) -> None:
    with pytest.raises(PliantError) as caught:
        read_robot_log(written(tmp_path, COLUMNS | changes))
    assert message in str(caught.value)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.parquet").write_bytes(b"PAR1 no, really" * 9)
    with pytest.raises(PliantError, match="is not a Parquet file"):
        read_robot_log(tmp_path / "run.parquet")


def test_more_than_fits_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LARGEST_VALUES", 599)
    with pytest.raises(PliantError, match="is too large; found '600 numbers'"):
        read_robot_log(written(tmp_path, COLUMNS))


def test_a_column_shorter_than_the_file_is_refused(tmp_path: Path) -> None:
    file = ParquetFile(written(tmp_path, COLUMNS))
    file.rows += 1  # as its footer may say
    with pytest.raises(PliantError, match="goal_a: is cut off; found 100; accepted: 101 rows"):
        file.columns(["goal_a"])


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="lists no open files")
@pytest.mark.parametrize("broken", [True, False])
def test_a_refused_file_does_not_stay_open(tmp_path: Path, broken: bool) -> None:
    path = written(tmp_path, {"time": TIME, "position_a": ["x"] * len(TIME)})
    if broken:
        path.write_bytes(b"PAR1" + 40 * b"x" + b"PAR1")
    with pytest.raises(PliantError) as kept:  # with the frames of all calls, and what these hold
        ParquetFile(path).columns(["time", "position_a"])
    opened = [one.resolve() for one in Path("/proc/self/fd").iterdir()]
    assert path.resolve() not in opened, kept.value
