"""Output reads well on narrow terminals, in pipes and where there is only ASCII."""

import io
import sys

import pytest

from pliant.cli.terminal import Pace, Terminal, columns, prepare_streams


class Narrow(io.StringIO):
    """A terminal of 40 columns."""

    def isatty(self) -> bool:
        return True


def narrow(monkeypatch: pytest.MonkeyPatch) -> Narrow:
    """Not a fixture: pytest puts its own stdout back before the test."""
    stream = Narrow()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


LONG = ["a", "1.5", "a long sentence that needs more room than forty columns have to give"]


def plain(text: str) -> str:
    from rich.text import Text

    return Text.from_ansi(text).plain


def test_a_table_fits_a_narrow_terminal_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow(monkeypatch)
    lines = plain(columns(["name", "value", "what"], [LONG], numbers=(1,))).splitlines()
    assert max(map(len, lines)) <= 40
    assert set(" ".join(LONG).split()) <= set(" ".join(lines).split())


def test_a_table_in_a_pipe_keeps_a_row_on_a_line() -> None:
    lines = columns(["name", "value", "what"], [LONG], numbers=(1,)).splitlines()
    assert len(lines) == 3
    assert lines[2].split() == " ".join(LONG).split()


def test_a_paragraph_is_wrapped_and_its_later_lines_indented(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = narrow(monkeypatch)
    Terminal().paragraph(LONG[2], indent=3)
    first, *later = [line.rstrip() for line in plain(stream.getvalue()).splitlines()]
    assert len(first) <= 40 and later
    assert all(line.startswith("   ") and len(line) <= 40 for line in later)


def test_control_characters_of_a_file_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in columns(["a"], [["\x1b[2J\x1b]0;title\x07"]])


def test_characters_that_a_terminal_lacks_are_written_in_ascii(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    prepare_streams()
    Terminal().say("2 – 3 mrad, ±1, ≥ 4, 漢")
    assert raw.getvalue() == b"2 - 3 mrad, +-1, >= 4, ?\n"


def test_columns_stand_below_each_other_where_there_is_only_ascii(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    prepare_streams()
    Terminal().say(columns(["name", "bounds ≤", "what"], [["a", "1 … 2", "b"], ["c", "", "d"]]))
    head, _, *rows = raw.getvalue().decode("ascii").splitlines()
    assert head.index("what") == rows[0].index("b") == rows[1].index("d")
    assert "<=" in head and "1 ... 2" in rows[0]


def test_progress_in_a_log_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("pliant.cli.terminal.time.monotonic", lambda: now[0])
    pace = Pace(Terminal())
    for _ in range(12):
        now[0] += 1.0
        pace.say("searching", 0.5)
    err = capsys.readouterr().err
    assert err == "searching, 50 % done\n" * 2
    assert "\x1b" not in err and "\r" not in err
