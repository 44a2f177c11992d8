"""A URDF as a spec: its meshes found, its inertias in their axes, repaired where asked."""

import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterable
from pathlib import Path

import mujoco

from pliant.engines.spec.refusal import refusal, refused_line
from pliant.engines.spec.repairs import repaired
from pliant.engines.spec.urdf_inertia import turn_inertias
from pliant.io.urdf_xml import find_meshes, on_line, stripped

__all__ = ["urdf_spec"]


def urdf_spec(
    root: ET.Element,
    path: Path,
    packages: Iterable[str | Path] = (),
    repair: Collection[str] = (),
) -> tuple[mujoco.MjSpec, list[str]]:
    """The spec of a URDF, and what was left out or repaired, in words.

    Args:
        root: of the file; changed. path: of the file. packages: see `find_meshes`.
        repair: see `repairs`.

    Raises:
        PliantError: a mesh is missing, or MuJoCo refuses the file.
    """
    notes = find_meshes(root, path, packages, leave_out="meshes" in repair)
    try:
        spec = mujoco.MjSpec.from_string(stripped(root))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise refusal(error, place=on_line(root, refused_line(error))) from None
    turn_inertias(spec, root)
    return spec, [*notes, *repaired(spec, repair)]
