"""Names of MuJoCo's structures in signatures; `plugin.layout` says what they mean to the compiler."""

from typing import Any

MjModel = MjData = Any
Numbers = Any
"""The address of float64."""
