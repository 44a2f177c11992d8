"""Write a small LeRobot data set of an SO-101, from recordings that come with Pliant.

    python examples/lerobot_data_set.py FOLDER

writes FOLDER/my_dataset, of two episodes in degrees with the gripper in percent, as teleoperation
records them, and FOLDER/so101.xml, the robot's model.
"""

import json
import shutil
import sys
import tempfile
from importlib import import_module, resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.robots import read_robot_logs

pa: Any = import_module("pyarrow")
pq: Any = import_module("pyarrow.parquet")  # neither has types

Floats = NDArray[np.float64]
RATE = 30.0
"""[1/s] Frames."""
GRIPPER = (-0.17453, 1.74533)
"""[rad] The gripper at 0 and at 100 %."""
ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))


def in_units(positions: Floats) -> Any:
    """Angles [rad] in LeRobot's units."""
    written = np.degrees(positions)
    low, high = GRIPPER
    written[:, -1] = 100.0 * (positions[:, -1] - low) / (high - low)
    return pa.array(list(written.astype(np.float32)), pa.list_(pa.float32(), written.shape[1]))


def resampled(time: Floats, known: Floats, values: Floats) -> Floats:
    """`values`, at the instants `known`, at others."""
    return np.interp(time, known, values)


def main(folder: Path) -> None:
    """Write model and data set to `folder`."""
    root = folder / "my_dataset"
    (root / "meta").mkdir(parents=True)
    (root / "data" / "chunk-000").mkdir(parents=True)
    shutil.copyfile(ARM / "so101.xml", folder / "so101.xml")
    logs = read_robot_logs(ARM / "motions")[:2]
    tables: list[Any] = []
    for number, log in enumerate(logs):
        time = np.arange(0.0, 8.0, 1.0 / RATE)
        frame = np.arange(len(time))

        state, action = (
            in_units(np.column_stack([resampled(time, log.time, one) for one in values.T]))
            for values in (log.position, log.goal)
        )
        tables.append(
            pa.table(
                {
                    "observation.state": state,
                    "action": action,
                    "timestamp": time.astype(np.float32),
                    "frame_index": frame,
                    "episode_index": 0 * frame + number,
                }
            )
        )
    names = [f"main_{joint}.pos" for joint in logs[0].joints]
    feature = {"dtype": "float32", "shape": [len(names)], "names": names}
    info = {
        "codebase_version": "v3.0",
        "robot_type": "so101_follower",
        "fps": int(RATE),
        "features": {"action": feature, "observation.state": feature},
    }
    (root / "meta" / "info.json").write_text(json.dumps(info), encoding="utf-8")
    pq.write_table(pa.concat_tables(tables), root / "data" / "chunk-000" / "file-000.parquet")
    print(f"wrote {root} and {folder / 'so101.xml'}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp()))
