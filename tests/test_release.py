"""What is published: the page on PyPI, dependencies, workflows, the recipe for conda."""

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
LINK = re.compile(r"!?\[[^\]]*\]\(([^)]+)\)")


def on_pypi() -> str:
    """The README as the build writes it into the package."""
    text = (ROOT / "README.md").read_text("utf-8")
    for one in PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"][
        "substitutions"
    ]:
        text = re.sub(one["pattern"], one["replacement"], text)
    return text.replace("$HFPR_VERSION", PROJECT["version"])


def test_links_and_pictures_of_the_page_on_pypi_are_files_of_the_repository() -> None:
    owner = PROJECT["urls"]["Repository"].removeprefix("https://github.com/")
    tag = f"v{PROJECT['version']}"
    begins = (
        f"https://github.com/{owner}/blob/{tag}/",
        f"https://raw.githubusercontent.com/{owner}/{tag}/",
    )
    links = LINK.findall(on_pypi())
    assert len(links) > 8
    for link in links:
        there = [link.removeprefix(begin) for begin in begins if link.startswith(begin)]
        assert there, link
        assert (ROOT / there[0].partition("#")[0]).is_file(), link
        assert link.startswith(begins[1]) == link.endswith(".png"), link


def test_the_recipe_for_conda_asks_for_the_same() -> None:
    recipe = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text("utf-8"))
    asked = {one.replace("mujoco-python ", "mujoco ") for one in recipe["requirements"]["run"]}
    assert asked == {f"python {PROJECT['requires-python']}", *PROJECT["dependencies"]}


def test_dependencies_have_a_highest_version_too() -> None:
    for one in PROJECT["dependencies"]:
        assert re.search(r"<\d", one), one


def test_every_system_and_python_that_is_claimed_is_tested() -> None:
    jobs: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text("utf-8"))[
        "jobs"
    ]
    matrix = jobs["fast"]["strategy"]["matrix"]
    claimed = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert claimed and set(claimed) <= set(matrix["python"])
    for system in ("ubuntu-24.04", "ubuntu-24.04-arm", "windows-", "macos-"):
        assert any(one.startswith(system) for one in matrix["os"])


def test_every_command_is_run_on_every_system() -> None:
    """Those tests are long ones, which pytest leaves out unless asked."""
    workflow = (ROOT / ".github/workflows/test.yml").read_text("utf-8")
    (words,) = re.findall(r"- run: python (-m pytest .*tests/every_command)", workflow)
    command = [sys.executable, *shlex.split(words), "--collect-only"]
    taken = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in ("demo", "identify", "simulate", "stiffness"):
        assert taken.count(f"[{name}]") == 2, name


@pytest.mark.parametrize("name", ["test", "release", "pages"])
def test_what_a_workflow_runs_is_there(name: str) -> None:
    text = (ROOT / f".github/workflows/{name}.yml").read_text("utf-8")
    assert yaml.safe_load(text)["jobs"]
    for path in re.findall(r"(?:tools|tests|examples|docs)/[\w./]+\w", text):
        assert (ROOT / path).exists(), path


@pytest.fixture
def checks() -> Any:
    spec = importlib.util.spec_from_file_location("check_release", ROOT / "tools/check_release.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_tag_of_another_version_is_not_released(checks: Any) -> None:
    assert (
        checks.problems("v9.9.9")[0]
        == f"the tag is v9.9.9, pyproject.toml has {PROJECT['version']}"
    )
    others = checks.problems(f"v{PROJECT['version']}")
    assert all(one.endswith("names no OWNER yet") for one in others), others
    assert checks.notes(PROJECT["version"])


def test_one_command_puts_the_owner_into_every_address(
    checks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(
        ROOT, tmp_path / "at", ignore=shutil.ignore_patterns(".*venv", ".git", "src", "data")
    )
    monkeypatch.setattr(checks, "ROOT", tmp_path / "at")
    checks.set_owner("jo-doe")
    assert checks.problems(f"v{PROJECT['version']}") == []
    address = re.compile(r"(?:github\.com|githubusercontent\.com|//)[/]?OWNER")
    left = [
        path
        for path in (tmp_path / "at").rglob("*")
        if path.suffix in {".toml", ".md", ".yaml", ".yml", ".cff", ".py", ".xml"}
        and address.search(path.read_text("utf-8"))
    ]
    assert left == []
    urls = tomllib.loads(checks.text("pyproject.toml"))["project"]["urls"]
    assert all("jo-doe" in url for url in urls.values())


def test_commands_that_install_have_quotes_that_windows_knows_too() -> None:
    code = (path for room in ("src", "examples", "tools") for path in (ROOT / room).rglob("*.py"))
    told = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *code]
    single = [path for path in told if "pip install '" in path.read_text("utf-8")]
    assert single == []


def test_another_python_is_refused_before_anything_fails() -> None:
    code = "import sys; sys.version_info = (3, 10, 2); import pliant"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1].startswith(
        "ImportError: Pliant needs 64-bit Python 3.11 or newer"
    )
