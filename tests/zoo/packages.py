"""The packages whose models are tried, unpacked in one folder; nothing of them is installed."""

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

PACKAGES = {
    "dm_control": "1.0.50",
    "example-robot-data": "6.0.0",
    "gymnasium": "1.4.0",
    "mjlab": "1.6.0",
    "playground": "0.2.0",
    "pybullet": "3.2.7",  # with pybullet_data
}
PARTS = ("dm_control/mjcf/schema.xml", "package.xml")
"""Files that are no models: the schema of dm_control, a manifest of ROS."""
MOVES = re.compile(rb"<(joint|freejoint|include)\b")
"""A model without any of these has nothing to attach to: boxes, mugs, planes."""
DOWNLOAD = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
DOWNLOAD += ["--only-binary", ":all:"]
DEFAULT = user_cache_path("pliant-zoo", appauthor=False)


@dataclass(frozen=True)
class ZooModel:
    """A model file of a package."""

    package: str
    name: str
    """Of the file, within the package."""
    path: Path

    def __str__(self) -> str:
        return f"{self.package}:{self.name}"


def fetch(folder: Path = DEFAULT) -> None:
    """Download and unpack what is not there, by the ordinary client of the registry."""
    for package, version in PACKAGES.items():
        there = folder / f"{package}-{version}"
        if there.is_dir():
            continue
        with tempfile.TemporaryDirectory() as wheels:
            subprocess.run(
                [*DOWNLOAD, "--dest", wheels, f"{package}=={version}"],
                check=True,
            )
            draft = folder / f".{package}-{version}"
            for wheel in Path(wheels).glob("*.whl"):
                zipfile.ZipFile(wheel).extractall(draft)
            draft.replace(there)


def missing(folder: Path) -> list[str]:
    """Packages that are not in the folder."""
    return [f"{p}=={v}" for p, v in PACKAGES.items() if not (folder / f"{p}-{v}").is_dir()]


def models(folder: Path) -> Iterator[ZooModel]:
    """Every MJCF and URDF file in the folder that moves, in a fixed order."""
    for package, version in PACKAGES.items():
        root = folder / f"{package}-{version}"
        for path in sorted(p for kind in ("*.xml", "*.urdf") for p in root.rglob(kind)):
            name = path.relative_to(root).as_posix()
            if not name.endswith(PARTS) and MOVES.search(path.read_bytes()):
                yield ZooModel(package, name, path)
