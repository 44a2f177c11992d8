"""Every command where `pliant` is installed without any extra: it works, or says in a line what to install."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from .paths import ARM, PATHS, Ended, taken

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MODULES = {
    "dynamixel-sdk": "dynamixel_sdk",
    "feetech-servo-sdk": "scservo_sdk",
    "pyserial": "serial",
}
USERS = "identify plots pandas parquet bags record view gym cluster ros2 warp".split()
NEED = {
    "demo": "identify",
    "convert": "parquet",
    "record": "record",
    "identify": "identify",
    "choose": "identify",
    "identify-robot": "identify",
    "view": "view",
    "ros": "ros2",
    "show": "plots",
    "tune": "plots",
    "plot": "plots",
    "characterise": "identify",
    "reproduce": "plots",
}
"""Command to the extra that its path here needs; those that are not named need none."""


def hidden() -> str:
    """The modules that the extras bring, and Pliant alone does not."""
    packages = [re.split(r"[ <>=~\[]", entry)[0] for extra in USERS for entry in EXTRAS[extra]]
    return ",".join(MODULES.get(name, name.replace("-", "_")) for name in packages)


@pytest.fixture(scope="module")
def ended(folder: Path) -> Callable[[str], Ended]:
    return taken(folder, "without_extras", PLIANT_HIDDEN=hidden())


@pytest.mark.long
@pytest.mark.parametrize("command", PATHS)
def test_a_command_works_or_names_the_extra_that_it_needs(
    command: str, ended: Callable[[str], Ended]
) -> None:
    done = ended(command)
    if command not in NEED:
        assert done.code == 0, done.err
        return
    last = done.err.rstrip().splitlines()[-1]
    assert done.code == 1, done.out
    pattern = r"pliant: (?:\S+: )?the package [\w.-]+ is not installed; accepted: pip install "
    assert re.fullmatch(pattern + rf'"pliant\[{NEED[command]}\]"', last), done.err
    assert "Traceback" not in done.err


ATTACH = """
import mujoco, pliant
spec = mujoco.MjSpec.from_file(PATH)
pliant.attach(spec, {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"})
model = spec.compile()
mujoco.mj_step(model, mujoco.MjData(model), nstep=10)
print(*{module.partition(".")[0] for module in sys.modules})
"""


def test_attach_needs_five_packages() -> None:
    """Others that the base has are for files, tables and command lines."""
    script = ATTACH.replace("PATH", repr(str(ARM)))
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + script], capture_output=True, text=True, check=True
    )
    base = {re.split(r"[ <>=~\[]", entry)[0] for entry in PROJECT["project"]["dependencies"]}
    imported = {name.replace("_", "-") for name in done.stdout.split()}
    needed = {"numpy", "mujoco", "llvmlite", "tomlkit", "pydantic"}
    small = {"platformdirs", "typing-extensions"}
    assert needed <= imported
    assert (base & imported) - needed - small == set()
