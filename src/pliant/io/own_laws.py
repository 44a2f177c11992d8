"""Laws from outside the package, kept beside the actuator file that names them.

An actuator file opens laws in its own folder or below. So a file that is written gets its laws'
files beside it, unless they are there: the text that was checked and ran.
"""

import hashlib
from pathlib import Path

from pliant.catalogue import Physics, law_files, topology_files
from pliant.io.output import write_whole
from pliant.subset import read


def reference(part: Physics, folder: Path | None = None) -> str:
    """Name of a law or topology in an actuator file.

    Args:
        part: one of the catalogue, which goes by its name, or one from outside.
        folder: where the actuator file is; without one the file is named by its whole path.
    """
    known = topology_files() if part.kind == "topology" else law_files(part.kind)
    if known.get(part.name) == part.path:
        return part.name
    if folder is None:
        return str(part.path)
    if part.path.is_relative_to(folder.resolve()):
        return part.path.relative_to(folder.resolve()).as_posix()
    return _copy_name(part, folder)


def write_own_laws(parts: list[Physics], folder: Path) -> None:
    """Write what `reference` calls by a name in `folder`, and is not there.

    Raises:
        PliantError: the folder cannot be written.
    """
    for part in parts:
        path = folder / reference(part, folder)
        if path.suffix == ".py" and path.resolve() != part.path and not path.exists():
            write_whole(path, read(part.path).text)


def _copy_name(part: Physics, folder: Path) -> str:
    """The law's own name, unless another file has it."""
    text = read(part.path).text
    path = folder / part.path.name
    try:
        taken = path.exists() and path.read_bytes() != text.encode()
    except OSError:
        taken = True
    if not taken:
        return path.name
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{path.stem}_{mark}.py"
