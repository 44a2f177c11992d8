"""Every snippet on every page runs, from the top of the page to its end, in a folder of its own.

A page is one program: `python` blocks share their names, `sh` blocks run their `pliant` and `python`
lines there, the outputs under `text` must have been printed. Other lines of `sh` (pip, git) are for the
reader's machine: those of `ELSEWHERE`, and no others. Commands within a sentence or a table are read by
the parser. Comments before a block, which no page shows, say what else is meant:

    <!-- file: NAME -->       the block is written to that file
    <!-- excerpt: FILE -->    every line of the block stands in that file of the project
    <!-- quick: OPTIONS -->   added to the block's commands here: a shorter search
    <!-- output: of it -->    every line of the block has been printed, whatever its numbers
    <!-- before
    ... -->                   Python that makes what a reader has: a recording, a robot
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Region
from sybil.parsers.markdown.lexers import FencedCodeBlockLexer

import pliant
from pliant.cli import main
from pliant.cli.command_line import commands, read
from pliant.errors import PliantError
from pliant.io.log import example_logs

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    if "generated" not in path.parts
    and re.search(r"^ *(```(python|sh|toml|xml)|<!-- excerpt)", path.read_text("utf-8"), re.M)
)
RUN = ("pliant ", "python ")
ELSEWHERE = (
    "git clone ",
    "pip install ",
    "pre-commit install",
    "pytest ",
    "source .venv/bin/activate",
    "python3 -m venv .venv && .venv/bin/pip install ",
    "uv pip install ",
    "uv venv && uv pip install ",
)
"""Commands that make the reader's environment, or run these very tests."""
KINDS = {"python", "sh", "text", "toml", "xml", "yaml"}
INLINE = re.compile(r"`(pliant [a-z][^`]*)`")
BEFORE = re.compile(r"<!-- before\n(.*?)-->", re.DOTALL)
MARK = re.compile(r"^<!-- (\w+): (.+) -->\n+\Z", re.MULTILINE)
NUMBER = re.compile(r"[-+−]?\d[\d.,]*(?:e[-+]?\d+)?")


class Page:
    """One page in a folder of its own."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.document = Document(path.read_text("utf-8"), str(path))
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}
        self.printed = ""

    def run(self, capture: pytest.CaptureFixture[str]) -> None:
        """Every block, in order."""
        lexed = FencedCodeBlockLexer("[a-z]+")(self.document)
        blocks = [(r.start, r) for r in lexed]
        hidden = [(m.start(), m) for m in BEFORE.finditer(self.document.text)]
        for start, block in sorted([*blocks, *hidden], key=lambda one: one[0]):
            if isinstance(block, re.Match):
                self._python(block[1], start)
            else:
                self._block(block, capture)

    def _block(self, block: Region, capture: pytest.CaptureFixture[str]) -> None:
        language = re.match(r" *```(\w+)", self.document.text[block.start :].lstrip("\n"))
        source = str(block.lexemes["source"])
        marks = self._marks(block.start)
        if "file" in marks:
            path = self.folder / marks["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        elif language is not None and language[1] == "python":
            self._python(source, block.start)
            self.printed = capture.readouterr().out
        elif language is not None and language[1] == "sh":
            self._shell(source, marks.get("quick", ""), block.start, capture)
        elif "output" in marks:
            self._compare(source, block.start)
        elif "excerpt" in marks:
            self._excerpt(source, ROOT / marks["excerpt"], block.start)

    def _marks(self, start: int) -> dict[str, str]:
        """The comments right before a block."""
        marks: dict[str, str] = {}
        before = self.document.text[:start]
        while found := MARK.search(before):
            marks[found[1]] = found[2].strip()
            before = before[: found.start()]
        return marks

    def _line(self, start: int) -> int:
        return self.document.text.count("\n", 0, start) + 1

    def _python(self, source: str, start: int) -> None:
        place = "\n" * self._line(start) + source
        exec(compile(place, self.document.path, "exec"), self.names)

    def _shell(
        self, source: str, quick: str, start: int, capture: pytest.CaptureFixture[str]
    ) -> None:
        """Commands of Pliant run in this process, which has loaded its compilers already."""
        self.printed = ""
        for line in source.replace("\\\n", " ").splitlines():
            command = line.partition("  #")[0].strip()
            if not command.startswith(RUN):
                continue
            name, *words = shlex.split(f"{command} {quick}")
            if name == "pliant":
                code = main(words)
            else:
                code = subprocess.run(
                    [sys.executable, "-W", "error", *words], cwd=self.folder, check=False
                ).returncode
            out, err = capture.readouterr()
            where = f"{self.document.path}:{self._line(start)}: {command}"
            assert code == 0, f"{where}\n{out}{err}"
            self.printed += out + err

    def _excerpt(self, shown: str, file: Path, start: int) -> None:
        """Every line that the page shows stands in the file, whatever its numbers and comments."""
        lines = {_plain(line) for line in file.read_text("utf-8").splitlines()}
        for line in filter(None, map(_plain, shown.splitlines())):
            assert line in lines, f"{self.document.path}:{self._line(start)}: {line} not in {file}"

    def _compare(self, shown: str, start: int) -> None:
        """Every line that the page shows was printed, whatever its numbers."""
        printed = {_shape(line) for line in self.printed.splitlines()}
        for line in filter(str.strip, shown.splitlines()):
            if line.strip() != "...":
                where = f"{self.document.path}:{self._line(start)}"
                assert _shape(line) in printed, f"{where}: {line}\nis not in\n{self.printed}"


def _plain(line: str) -> str:
    """A line of TOML without its comment."""
    return _shape(re.sub(r"(^|\s)#.*", "", line))


def _shape(line: str) -> str:
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder of a reader: the examples, and a folder `logs` of a pendulum's recordings."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "logs").mkdir()
    for log in example_logs()[::3]:
        shutil.copy(log, tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "examples"))
    return tmp_path


FIRST = ("CONTRIBUTING.md", "README.md", "docs/contributing/add", "docs/tutorials/first")
"""Pages that a reader begins with; the others' snippets repeat at length what tests of their rooms do."""


def _runs() -> list[Any]:
    names = [str(path.relative_to(ROOT)) for path in PAGES]
    marks = [() if name.startswith(FIRST) else pytest.mark.long for name in names]
    return [
        pytest.param(path, id=name, marks=mark)
        for path, name, mark in zip(PAGES, names, marks, strict=True)
    ]


@pytest.mark.parametrize("path", _runs())
def test_every_snippet_of_a_page_runs(
    path: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert pliant.__all__  # what a page imports is what is installed
    Page(path, folder).run(capsys)


def _texts() -> list[Path]:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    return sorted(path for path in pages if "generated" not in path.parts)


@pytest.mark.parametrize("path", _texts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_every_page_is_of_a_kind_that_is_run_or_compared(path: Path) -> None:
    text = path.read_text("utf-8")
    blocks = list(re.finditer(r"^( *)(```+|~~~+)([^\n]*)\n(.*?)^\1\2 *$", text, re.M | re.S))
    assert len(re.findall(r"^ *(?:```|~~~)", text, re.M)) == 2 * len(blocks)
    for block in blocks:
        kind, where = block[3].strip(), f"{path}: {block[0][:60]}"
        if kind.startswith("{"):  # a directive of the site
            continue
        assert kind in KINDS, where
        assert path in PAGES, where
        marks = {mark for mark, _ in MARK.findall(_comments(text[: block.start()]))}
        if kind not in ("python", "sh"):
            assert marks & {"file", "output", "excerpt"}, where
        for command in _commands(block[4]) if kind == "sh" else ():
            assert command.startswith((*RUN, *ELSEWHERE)), command


def _comments(before: str) -> str:
    """The lines of comments right before a block."""
    lines: list[str] = []
    for line in reversed(before.rstrip().splitlines()):
        if not line.startswith("<!--"):
            break
        lines.append(f"{line}\n")
    return lines[0] if lines else ""


def _commands(source: str) -> list[str]:
    lines = source.replace("\\\n", " ").splitlines()
    return [c for line in lines if (c := line.partition("  #")[0].strip()) and c[0] != "#"]


@pytest.mark.parametrize("path", _texts(), ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_sentences_and_tables_can_be_read(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prose = re.sub(r"^( *)(```+|~~~+).*?^\1\2 *$", "", path.read_text("utf-8"), flags=re.M | re.S)
    for command in INLINE.findall(prose):
        words = shlex.split(command)[1:]
        try:
            if len(words) == 1 or words[1:] in (["--help"], ["--help-all"]):
                assert words[0] in commands(), f"{path}: {command}"
            elif len(words) == 2 and words[1].startswith("--"):  # that option of that command
                with pytest.raises(SystemExit):
                    read([words[0], "--help-all"])
                assert words[1] in capsys.readouterr().out, f"{path}: {command}"
            else:
                read(words)
        except (SystemExit, PliantError) as error:
            pytest.fail(f"{path}: {command}: {error}")
