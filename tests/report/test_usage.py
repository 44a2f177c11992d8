"""What is printed to be pasted can be: spaces, quotes and commas in paths and names."""

import ast
import shlex

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
