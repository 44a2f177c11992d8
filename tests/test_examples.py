"""Examples, and what `docs/contributing/add.md` shows how to add: all of it runs."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pliant.assemble import Actuator, Number, assemble
from pliant.catalogue import load_law, load_topology
from pliant.engines.joint.engine import JointEngine
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs, read_log
from pliant.lower.law import lower
from pliant.lower.source import source_of

ROOT = Path(__file__).parents[1]
SHOWN = re.compile(r"^python (examples/\S+\.py)", re.MULTILINE)
ON_PAGES = {
    ROOT / name
    for page in ROOT.glob("docs/**/*.md")
    for name in SHOWN.findall(page.read_text("utf-8"))
}
EXAMPLES = sorted({*ROOT.glob("examples/*.py"), *ROOT.glob("examples/*/run.py")} - ON_PAGES)
"""Those that no page runs, as tests/docs/test_snippets.py does, every warning an error too."""


def run(*command: str | Path) -> str:
    """Run Python in the project's folder, every warning an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *map(str, command)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name + path.stem)
def test_an_example_runs(path: Path) -> None:
    assert run(path)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A folder with the files that the page shows."""
    text = (ROOT / "docs/contributing/add.md").read_text("utf-8")
    files = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", text, re.DOTALL)
    assert [name for name, _ in files] == ["tanh_friction.py", "my_motor.toml", "direct_drive.py"]
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def test_the_device_of_the_page_is_an_actuator_that_moves(written: Path) -> None:
    log = read_log(example_logs()[0])
    engine = JointEngine(load_actuator(written / "my_motor.toml"))
    assert np.ptp(engine.rollout(log).position) > 0.1


def test_the_law_of_the_page_runs_compiled_and_is_that_of_the_examples(written: Path) -> None:
    """0.01 + 0.02 tanh(0.6 / 0.5), whatever the load."""
    path = written / "tanh_friction.py"
    (lowered,) = lower([source_of(load_law("friction_budget", str(path)))], "llvm")
    found = lowered.evaluate("budget", np.array([[-0.6, 3.0, -1.0, 0.01, 0.02, 0.5]]))[0, 0]
    assert found == pytest.approx(0.01 + 0.02 * (1.0 - 2.0 / (np.exp(2.4) + 1.0)), rel=1e-13)
    assert path.read_text("utf-8") == (ROOT / "examples/own_law/tanh_friction.py").read_text(
        "utf-8"
    )


def test_the_topology_of_the_page_turns_a_constant_inertia(written: Path) -> None:
    """Constant torque from rest: q = tau t^2 / (2 J), with the first-order step's own error."""
    given = {
        "own.armature": (0.02, "kg m^2"),
        "own.voltage": (24.0, "V"),
        "motor.k_t": (0.5, "N m/A"),
    }
    motor = load_law("motor", "torque_source")
    actuator = Actuator(
        name="direct",
        title="direct",
        device="direct",
        topology=load_topology(str(written / "direct_drive.py")),
        laws={"motor": motor},
        numbers={name: Number(*number, "test", "assumed") for name, number in given.items()},
        sources={"test": "chosen here"},
    )
    engine = JointEngine(assemble(actuator), plant="inertia")
    log = read_log(example_logs()[0])
    goal = np.full_like(log.goal, 0.1)
    held = type(log)(**{**vars(log), "goal": goal, "enabled": np.ones_like(log.enabled)})
    (inertia,) = (name for name in engine.names if name.startswith("plant."))
    values = engine.values({inertia: 0.03})
    moved = engine.rollout(held, values).position - log.position[0]
    expected = 0.5 * (0.1 * 0.5 / 0.05) * log.time**2
    np.testing.assert_allclose(moved, expected, atol=6e-3)
