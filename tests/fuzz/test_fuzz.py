"""Hundreds of broken files, always the same ones; more with `python -m tests.fuzz --seconds 600`."""

from pathlib import Path
from random import Random

import pytest

from .mutations import mutated
from .run import Reader, _wrong, fuzz
from .seeds import encoded, good_files

SEED, COUNT = 20261122, 35


@pytest.mark.long
def test_no_broken_file_crashes_hangs_or_is_called_good_and_not_read(tmp_path: Path) -> None:
    report = fuzz(tmp_path, SEED, count=COUNT)
    assert report.faults == []
    assert set(report.tried.values()) == {COUNT}
    assert 0 < report.loaded.total() < report.tried.total()


def test_the_same_seed_breaks_a_file_in_the_same_way() -> None:
    for name, text in good_files().items():
        first, again = (mutated(name, text, Random(f"{SEED} {name} 7")) for _ in range(2))
        assert first == again
        assert any(mutated(name, text, Random(k)) != encoded(name, text) for k in range(5))


GOOD = {"loads": True, "said": "", "kind": "", "seconds": 1.0, "memory": 0, "good": True}
BAD = {
    "loads": False,
    "said": "a: line 3: bad",
    "file": "a",
    "field": "",
    "kind": "PliantError",
    "good": False,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        (BAD, ""),
        ({**BAD, "kind": "KeyError"}, "raised KeyError"),
        ({**BAD, "file": None}, "names no file"),
        ({**BAD, "said": "a: bad"}, "names no place"),
        ({**BAD, "said": "a: bad", "field": "b"}, ""),
        ({**BAD, "said": "x" * 9000, "field": "b"}, "a message of 9000"),
        ({**BAD, "good": True}, "check says good: True, loads: False"),
        ({"good": False}, "check says good: False, loads: True"),
        ({"error": "unexpected KeyError"}, "check failed"),
        ({"seconds": 11.0}, "took 11.0 s"),
        ({"memory": 3 * 2**30}, "took 3072 MiB"),
    ],
)
def test_what_must_never_happen_is_seen(change: dict[str, object], said: str) -> None:
    assert _wrong({**GOOD, **change}, "actuator.toml").startswith(said)
    assert bool(said) == bool(_wrong({**GOOD, **change}, "actuator.toml"))


def test_a_reader_that_dies_is_told_from_one_that_refuses(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    try:
        assert str(reader.ask(tmp_path / "no_such_kind")).startswith("died, exit code 1")
    finally:
        reader.close()
