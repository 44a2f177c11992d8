"""What is printed to be pasted can be: spaces, quotes and commas in paths and names."""

import ast
import shlex
import subprocess
from shutil import which

import pytest

from pliant.cli.choices import attached
from pliant.cli.command_line import read
from pliant.report.words import attach_line, simulate_line

FILES = {"elbow": "my servos/it's.toml", "a=b,c": "x.toml"}


def test_the_line_of_python_is_read_back() -> None:
    [call] = ast.parse(attach_line(FILES)).body
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    assert ast.literal_eval(call.value.args[1]) == FILES


def test_the_command_is_read_back() -> None:
    words = shlex.split(simulate_line("my robot.xml", FILES))
    assert words[:4] == ["pliant", "simulate", "my robot.xml", "--attach"]
    assert words[4:] == ["elbow=my servos/it's.toml,a?b?c=x.toml"]


@pytest.mark.skipif(which("sh") is None, reason="quoted for a shell")
@pytest.mark.parametrize(
    "model", ["my robot.xml", "it's.xml", 'a"b.xml', "$HOME.xml", "a;b&(c).xml", "`a`.xml", "*.xml"]
)
def test_a_shell_hands_the_command_its_names_as_they_are(model: str) -> None:
    line = simulate_line(model, FILES).replace("pliant", "printf '%s\\n'", 1)
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[:3] == ["simulate", model, "--attach"]


@pytest.mark.parametrize(
    "path", ["a,b.toml", "it's,x.toml", "my servos/b.toml", "a[1].toml", "a;b.toml"]
)
def test_the_parser_reads_the_file_of_each_joint_back(path: str) -> None:
    _, *words = shlex.split(simulate_line("arm.xml", {"elbow": path, "knee": "x.toml"}))
    assert attached(vars(read(words))["attach"]) == [("elbow", path), ("knee", "x.toml")]
