"""Makes the toy plugin known before any model that names it is compiled."""

import pytest


@pytest.fixture(scope="session", autouse=True)
def toy_plugin():
    import toy

    return toy.register()


@pytest.fixture(autouse=True)
def log_elsewhere(tmp_path, monkeypatch):
    """MuJoCo writes its warnings to MUJOCO_LOG.TXT in the working directory."""
    monkeypatch.chdir(tmp_path)
