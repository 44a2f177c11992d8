"""The lines that put an actuator on a robot."""

from collections.abc import Mapping


def lines_to_run(model: str, files: Mapping[str, str]) -> dict[str, str]:
    """Python, and a command: joint to actuator file."""
    attached = ", ".join(f'"{joint}": "{file}"' for joint, file in files.items())
    words = ",".join(f"{joint}={file}" for joint, file in files.items())
    code = f'''import mujoco
import pliant

spec = mujoco.MjSpec.from_file("{model}")
print(pliant.attach(spec, {{{attached}}}))  # joint: actuator; says what it set
model = spec.compile()
data = mujoco.MjData(model)
while data.time < 5.0:
    data.ctrl[:] = 0.5  # goal [rad]
    mujoco.mj_step(model, data)'''
    line = f"pliant simulate {model} --attach {words} --goal {next(iter(files))}=0.5"
    attach = f"pliant.attach(spec, {{{attached}}})"
    return {"attach": attach, "line": line, "code": code}
