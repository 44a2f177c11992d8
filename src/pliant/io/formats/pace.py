"""PACE recordings (`.pt`): `time`, `dof_pos` and `des_dof_pos`, as torch saves them.

A `.pt` is a pickle in a ZIP. It is read by `torch_file`, which knows tensors and nothing else.
"""

from pathlib import Path

from pliant.errors import PliantError, located
from pliant.io.findings import Finding
from pliant.io.formats.reading import Reading
from pliant.io.formats.runs import run
from pliant.io.formats.torch_file import read_tensors
from pliant.io.robot_log import RobotLog

NEEDED = ("time", "dof_pos", "des_dof_pos")


def read_pace(path: Path, reading: Reading) -> list[RobotLog]:
    """The one run in a file; joints are called by number.

    Raises:
        PliantError: it is no such file, or holds more than tensors.
    """
    with located(path):
        found = read_tensors(path)
        for name in NEEDED:
            if name not in found:
                raise PliantError("is missing", field=name, accepted=NEEDED)
        time = found["time"].reshape(-1)
        position, goal = found["dof_pos"], found["des_dof_pos"]
        for name, array in (("dof_pos", position), ("des_dof_pos", goal)):
            if array.ndim != 2 or array.shape != (len(time), position.shape[-1]):
                raise PliantError(
                    "has the wrong shape",
                    field=name,
                    found=f"shape {array.shape}",
                    accepted=f"({len(time)}, joints)",
                )
        joints = [f"joint_{k}" for k in range(position.shape[1])]
        note = "has no gains and no names of joints: give control.kp, and --rename"
        said = [Finding("missing", "file", note, "note")]
        return [run(path.stem, path, joints, time, position, goal=goal, findings=said)]
