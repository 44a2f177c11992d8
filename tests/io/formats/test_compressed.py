"""Bags compressed by message, and whole files by the zstd program's own library."""

import os
from pathlib import Path

import numpy as np
import pytest
import zstandard
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from pliant.errors import PliantError
from pliant.io.log_file import log_files
from pliant.io.robot_logs import read_robot_log, recordings_in

LINE = np.column_stack([np.sin(0.05 * np.arange(100)), np.cos(0.05 * np.arange(100))])


def bag(path: Path, storage: StoragePlugin, mode: CompressionMode | None = None) -> Path:
    store = get_typestore(Stores.ROS2_HUMBLE)
    state, nothing = store.types["sensor_msgs/msg/JointState"], np.array([], dtype=float)
    header, time = store.types["std_msgs/msg/Header"], store.types["builtin_interfaces/msg/Time"]
    writer = Writer(path, version=9, storage_plugin=storage)
    if mode is not None:
        writer.set_compression(mode, CompressionFormat.ZSTD)
    with writer:
        topics = {
            name: writer.add_connection(name, state.__msgtype__, typestore=store)
            for name in ("/joint_states", "/joint_commands")
        }
        for k, line in enumerate(LINE):
            at = 10**18 + k * 10**7
            for name, shift in (("/joint_states", 0.0), ("/joint_commands", 0.1)):
                head = header(time(at // 10**9, at % 10**9), "")
                said = state(head, ["a", "b"], line + shift, nothing, nothing)
                writer.write(topics[name], at, store.serialize_cdr(said, state.__msgtype__))
    return path


@pytest.mark.parametrize("storage", StoragePlugin)
@pytest.mark.parametrize("mode", [CompressionMode.MESSAGE, CompressionMode.FILE])
def test_what_rosbags_compressed_is_read(
    tmp_path: Path, storage: StoragePlugin, mode: CompressionMode
) -> None:
    if storage is StoragePlugin.MCAP and mode is CompressionMode.FILE:
        pytest.skip("rosbags does not write it")
    log = read_robot_log(bag(tmp_path / "bag", storage, mode))
    np.testing.assert_array_equal(log.position, LINE)
    np.testing.assert_array_equal(log.goal, LINE + 0.1)


@pytest.mark.parametrize("suffix", [".zst", ".zstd"])
@pytest.mark.parametrize("storage", StoragePlugin)
def test_a_compressed_file_is_read_and_found_in_a_folder(
    tmp_path: Path, storage: StoragePlugin, suffix: str
) -> None:
    (inside,) = [p for p in bag(tmp_path / "bag", storage).iterdir() if p.suffix != ".yaml"]
    runs = tmp_path / "runs"
    runs.mkdir()
    packed = runs / (inside.name + suffix)
    packed.write_bytes(zstandard.ZstdCompressor().compress(inside.read_bytes()))
    np.testing.assert_array_equal(read_robot_log(packed).position, LINE)
    assert recordings_in(runs) == log_files(runs) == [packed]
    assert [p.name for p in runs.iterdir()] == [packed.name]
    packed.write_bytes(packed.read_bytes()[:-200])
    with pytest.raises(PliantError, match="is cut off") as caught:
        read_robot_log(packed)
    assert caught.value.file == str(packed)


def test_a_pipe_with_a_compressed_files_name_is_refused_unopened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.mcap.zst")
    with pytest.raises(PliantError, match="is a pipe"):
        read_robot_log(tmp_path / "a.mcap.zst")
