"""Which edits of the package make a compiled actuator compile anew: those of compiled code alone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pliant

PROGRAM = """
import types
import pliant, pliant.lower.kernel as kernel
from pliant.lower.build import _digest
kernel.build = lambda text, stem, linker: types.SimpleNamespace(
    __name__=_digest(text, linker), __doc__=None)
from pliant.engines.mujoco.plugin import register
actuator = pliant.load_actuator("xl330_bam_m6")
print(register._module(actuator.topology, tuple(actuator.laws.items()))[0].__name__)
"""
ENGINE = "engines/mujoco"
NOT_COMPILED = [
    f"{ENGINE}/plugin/register.py",
    f"{ENGINE}/plugin/table.py",
    f"{ENGINE}/plugin/layout.py",
    f"{ENGINE}/attach.py",
    f"{ENGINE}/model_file.py",
    "engines/spec/rows.py",
    "engines/spec/steps.py",
    "engines/spec/attachment.py",
]
COMPILED = [
    f"{ENGINE}/native/kernel.py",
    f"{ENGINE}/native/memory.py",
    "engines/spec/slots.py",
]


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("source")
    shutil.copytree(
        Path(pliant.__file__).parent, home / "pliant", ignore=shutil.ignore_patterns("__pycache__")
    )
    return home


def fingerprint(home: Path) -> str:
    """The name under which a process with this copy of the package keeps the compiled actuator."""
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONPATH": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


def edited(home: Path, files: list[str]) -> str:
    """The same, after a line was added to each of `files`."""
    before = {file: (home / "pliant" / file).read_text() for file in files}
    for file in files:
        (home / "pliant" / file).write_text(before[file] + "\nEDITED = 1\n")
    try:
        return fingerprint(home)
    finally:
        for file in files:
            (home / "pliant" / file).write_text(before[file])


def test_an_edit_of_what_no_callback_uses_compiles_nothing(copy):
    assert edited(copy, NOT_COMPILED) == fingerprint(copy)


@pytest.mark.parametrize("file", COMPILED)
def test_an_edit_of_compiled_code_compiles_it_anew(copy, file):
    assert edited(copy, [file]) != fingerprint(copy)
