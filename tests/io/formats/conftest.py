"""Data sets as LeRobot writes them, made by pyarrow alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import arrow as pa

NAMES = ["shoulder_pan.pos", "elbow_flex.pos"]
Made = Callable[..., Path]


def episode(number: int, frames: int, fps: float, lists: Any) -> Any:
    """One episode: sines of its own frequency, the action a frame and a half ahead."""
    k = np.arange(frames)
    state = np.column_stack([40.0 * np.sin(0.1 * (number + 1) * k), 20.0 * np.cos(0.07 * k)])
    action = np.column_stack(
        [40.0 * np.sin(0.1 * (number + 1) * (k + 1.5)), 20.0 * np.cos(0.07 * (k + 1.5))]
    )
    return pa.table(
        {
            "action": pa.array(list(action.astype(np.float32)), lists),
            "observation.state": pa.array(list(state.astype(np.float32)), lists),
            "timestamp": pa.array((k / fps).astype(np.float32)),
            "frame_index": pa.array(k),
            "episode_index": pa.array(np.full(frames, number)),
            "index": pa.array(k),
            "task_index": pa.array(0 * k),
        }
    )


@pytest.fixture
def made(tmp_path: Path) -> Made:
    def make(version: str = "v3.0", **changes: Any) -> Path:
        root = tmp_path / "set"
        lists = pa.list_(pa.float32(), 2) if version == "v3.0" else pa.list_(pa.float32())
        episodes = [episode(number, 60, 30.0, lists) for number in range(3)]
        feature = {"dtype": "float32", "shape": [2]}
        names: Any = NAMES if version == "v3.0" else {"motors": ["shoulder_pan", "elbow_flex"]}
        info = {
            "codebase_version": version,
            "robot_type": "so101_follower",
            "fps": 30,
            "total_frames": 180,
            "features": {
                "action": feature | {"names": names},
                "observation.state": feature | {"names": names},
            },
        }
        (root / "meta").mkdir(parents=True)
        (root / "meta" / "info.json").write_text(json.dumps(info | changes))
        chunk = root / "data" / "chunk-000"
        chunk.mkdir(parents=True)
        if version == "v3.0":
            pa.parquet.write_table(pa.concat_tables(episodes[::-1]), chunk / "file-000.parquet")
        else:
            for number, table in enumerate(episodes):
                pa.parquet.write_table(table, chunk / f"episode_{number:06d}.parquet")
        return root

    return make
