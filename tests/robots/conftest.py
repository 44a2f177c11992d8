"""Fixtures of the tests of robots."""

import pytest


@pytest.fixture(autouse=True)
def log_elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to MUJOCO_LOG.TXT in the working directory."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def texts():
    import urdf_texts

    return urdf_texts


@pytest.fixture
def write(tmp_path):
    def written(text: str, name: str = "robot.urdf"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written
