"""The lines that put an actuator on a robot, ready to be pasted."""

import json
import re
from collections.abc import Mapping
from shlex import quote


def attach_line(files: Mapping[str, object]) -> str:
    """Python that attaches joint to actuator file."""
    pairs = ", ".join(f"{text_of(joint)}: {text_of(file)}" for joint, file in files.items())
    return f"pliant.attach(spec, {{{pairs}}})"


def simulate_line(model: str, files: Mapping[str, object]) -> str:
    """The command that does, quoted for a shell.

    A joint whose name has what separates names is found by a pattern.
    """
    words = ",".join(f"{re.sub('[=,]', '?', joint)}={file}" for joint, file in files.items())
    return f"pliant simulate {quote(model)} --attach {quote(words)}"


def text_of(value: object) -> str:
    """A string of Python that is this."""
    return json.dumps(str(value), ensure_ascii=False)


def lines_to_run(model: str, files: Mapping[str, str]) -> dict[str, str]:
    """Python, and a command: joint to actuator file."""
    attach = attach_line(files)
    code = f"""import mujoco
import pliant

spec = mujoco.MjSpec.from_file({text_of(model)})
print({attach})  # joint: actuator; says what it set
model = spec.compile()
data = mujoco.MjData(model)
while data.time < 5.0:
    data.ctrl[:] = 0.5  # goal [rad]
    mujoco.mj_step(model, data)"""
    line = f"{simulate_line(model, files)} --goal {quote(f'{next(iter(files))}=0.5')}"
    return {"attach": attach, "line": line, "code": code}
