"""The project itself: its two commands, its rules, and that its parts agree."""

import ast
import inspect
import json
import re
import subprocess
import sys
import tomllib
import typing
from graphlib import TopologicalSorter
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import mujoco
import pytest

import pliant
from pliant.catalogue import PACKAGE
from pliant.io.log_json import HEADER_NAMES

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
BIN = Path(sys.executable).parent
HEAVY = {"llvmlite", "warp", "mujoco", "matplotlib", "scipy", "numpy"}
HOSTS = {
    "docs.isaacsim.omniverse.nvidia.com",
    "dfki-ric-underactuated-lab.github.io",
    "emanual.robotis.com",
    "github.com",
    "git-lfs.github.com",
    "littlebirdelectronics.com.au",
    "docs.rs",
    "wiki.seeedstudio.com",
    "keepachangelog.com",
    "semver.org",
    "robonine.com",
    "vdocuments.us",
    "wiki.aifitlab.com",
    "arxiv.org",
    "product.tkkcorporation.com",
    "www.apache.org",
    "www.cubemars.com",
    "www.scribd.com",
    "www.w3.org",
    "www.waveshare.com",
    "www.yumpu.com",
    "purl.org",
    "creativecommons.org",
    "matplotlib.org",
    "raw.githubusercontent.com",
    PROJECT["project"]["urls"]["Documentation"].split("/")[2],
    "pypi.org",
}
"""All that the project links to, or that a file format names."""


def tracked() -> list[Path]:
    """The text files of the project: what git knows, or all where it does not."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    binary = {".png", ".npz", ".gz", ".pt"}
    paths = [ROOT / name for name in listed.stdout.splitlines()]
    return [path for path in paths if path.is_file() and path.suffix not in binary]


def ran(*command: str) -> None:
    """Run a tool; on failure, its output is the message."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def test_the_linter_finds_nothing() -> None:
    ran(str(BIN / "ruff"), "check")


def test_the_formatter_changes_nothing() -> None:
    ran(str(BIN / "ruff"), "format", "--check")


@pytest.mark.long
def test_types_hold() -> None:
    """With the syntax of this Python: the types of its NumPy may need it."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    here = ["--pythonpath", sys.executable, "--pythonversion", version]
    ran(str(BIN / "pyright"), "--project", str(ROOT), *here)


def test_imports_keep_their_direction() -> None:
    ran(str(BIN / "lint-imports"), "--no-cache")


def test_no_file_imports_another_that_imports_it() -> None:
    """Neither when asked for something, nor for types alone."""
    files = {
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in (ROOT / "src").rglob("*.py")
    }
    graph: dict[str, set[str]] = {}
    for module, path in files.items():
        taken = graph[module] = set[str]()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                taken |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                taken |= {one if one in files else node.module for one in inside}
    TopologicalSorter(
        {one: (taken & files.keys()) - {one} for one, taken in graph.items()}
    ).prepare()


def test_the_readme_has_two_commands_and_ci_runs_the_second() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python3 ")]
    assert len(commands) == 2
    assert commands[0].endswith("pliant demo")
    script = (ROOT / ".ci" / "run").read_text("utf-8")
    pattern = re.search(r"grep -E '([^']+)' README\.md", script)
    assert pattern is not None
    assert [line for line in lines if re.search(pattern[1], line)] == [commands[1]]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100


def test_importing_pliant_imports_no_engine() -> None:
    """No compiler, no engine, no plots; all that on first use."""
    code = "import json, sys, pliant; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not HEAVY & set(json.loads(done.stdout))


ASKED_TWICE = """
import inspect, sys
for name in sys.argv[1:]:
    for module in [m for m in sys.modules if m.partition(".")[0] == "pliant"]:
        del sys.modules[module]
    import pliant
    first, again = getattr(pliant, name), getattr(pliant, name)
    print(name, first is again, inspect.isfunction(again))
"""
"""Each name that a module has too, by a package that nothing was asked of: its import binds the module."""


def test_a_public_name_is_what_it_says_however_often_it_is_asked_for() -> None:
    names = [name for name in pliant.__all__ if find_spec(f"pliant.{name}") and name[0].islower()]
    assert names
    words = [sys.executable, "-c", ASKED_TWICE, *names]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [f"{name} True True" for name in names]


def test_what_public_functions_return_can_be_named_from_the_package() -> None:
    """Pliant's own classes in their annotations, a tuple's too."""
    for name in pliant.__all__:
        function = getattr(pliant, name)
        if inspect.isfunction(function):
            returned = typing.get_type_hints(function)["return"]
            for kind in typing.get_args(returned) or (returned,):
                if getattr(kind, "__module__", "").startswith("pliant."):
                    assert getattr(pliant, kind.__name__) is kind


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("laws/**/*.py")), ids=lambda p: p.stem)
def test_laws_import_only_mathematics_and_laws(path: Path) -> None:
    assert imported(path) <= {"math", "typing"} | laws(imported(path))


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("topologies/*.py")), ids=lambda p: p.stem)
def test_topologies_import_only_mathematics_laws_and_ports(path: Path) -> None:
    assert imported(path) <= {"math", "typing", "pliant.ports"} | laws(imported(path))


def imported(path: Path) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add("." * node.level + (node.module or ""))
    return modules


def laws(modules: set[str]) -> set[str]:
    return {name for name in modules if name == "pliant.laws" or name.startswith("pliant.laws.")}


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("laws/*/[!_]*.py")), ids=lambda p: p.stem)
def test_a_law_says_what_it_leaves_out(path: Path) -> None:
    assert "Left out: " in (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")


CITATION = re.compile(r"\b(servos_and_friction|compliant_actuators): (.+)")


@pytest.mark.parametrize(
    "path",
    sorted([*PACKAGE.glob("laws/*/*.py"), *PACKAGE.glob("topologies/*.py")]),
    ids=lambda p: p.stem,
)
def test_the_section_that_a_law_names_exists(path: Path) -> None:
    for page, sections in CITATION.findall(path.read_text("utf-8")):
        text = (ROOT / "docs" / "reference" / f"{page}.md").read_text("utf-8").lower()
        for part in re.split(r", |\(", sections.lower()):
            name = part.strip(" ).;").removeprefix("row ")
            marks = [f"# {name}\n", f"# {name}. ", f"# {name} ", f"| {name} |"]
            assert any(mark in text for mark in marks) or "=" in name, f"{page}: {name}"


def test_the_version_stands_in_one_place() -> None:
    number = PROJECT["project"]["version"]
    assert version("pliant") == number
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## \[([^\]]+)\]", changes, re.MULTILINE)[0] in {number, "Unreleased"}
    for path in (*PACKAGE.glob("*.py"), *PACKAGE.glob("cli/*.py")):
        assert number not in path.read_text("utf-8"), path


def test_what_is_imported_is_a_dependency() -> None:
    declared = {
        re.split(r"[ <>=~\[]", entry)[0].replace("-", "_")
        for entry in PROJECT["project"]["dependencies"]
    }
    optional = {
        "warp",
        "mujoco_warp",
        "gymnasium",
        "distributed",
        "pinocchio",
        "mjlab",
        "torch",
        "jax",
        "newton",
        "pandas",
        "rosbags",
        "dynamixel_sdk",
        "scservo_sdk",
        "mcap",
        "mcap_protobuf",
        "cyclonedds",
        "viser",
        "mjviser",
        "websockets",
    }
    named = {"yaml": "pyyaml"}
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        found |= {name.partition(".")[0] for name in imported(path) if not name.startswith(".")}
    outside = found - sys.stdlib_module_names - {"pliant", "__future__"} - optional
    assert {named.get(name, name) for name in outside} <= declared


def test_no_file_names_a_machine() -> None:
    """No absolute path of somebody's machine, nothing beside the repository, no odd host."""
    private = re.compile(r"(?<![\w.<])/(?:home|work|root|mnt|opt|Users)/\w|\.\./shared")
    for path in tracked():
        text = path.read_text("utf-8")
        assert not private.search(text), f"{path}: {private.search(text)}"
        hosts = set(re.findall(r"https?://([\w.-]+)", text))
        assert hosts <= HOSTS, f"{path}: {hosts - HOSTS}"


def test_the_log_format_of_the_page_is_that_of_the_reader() -> None:
    page = (ROOT / "docs" / "reference" / "logs.md").read_text("utf-8")
    for name in HEADER_NAMES.values():
        assert f"`{name}`" in page


def test_no_page_has_a_blank_left() -> None:
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        assert "<FILL" not in page.read_text("utf-8"), page.name


def test_the_stubs_name_what_mujoco_has() -> None:
    stub = ast.parse((ROOT / "typings" / "mujoco" / "__init__.pyi").read_text("utf-8"))
    for node in stub.body:
        if isinstance(node, ast.FunctionDef):
            assert hasattr(mujoco, node.name), node.name
        if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
            continue
        real = getattr(mujoco, node.name)
        for part in node.body:
            name = getattr(part, "name", None) or ast.unparse(getattr(part, "target", ast.Name("")))
            assert not name or hasattr(real, name), f"{node.name}.{name}"
