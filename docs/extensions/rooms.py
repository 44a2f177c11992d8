"""The map of rooms, from the layers of `pyproject.toml` and the first sentences of the rooms themselves.

python docs/extensions/rooms.py       writes the map in CONTRIBUTING.md anew
"""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "pliant"
PAGE = ROOT / "CONTRIBUTING.md"
MAP = re.compile(r"(?<=<!-- map: python docs/extensions/rooms.py -->\n).*?(?=<!-- end -->)", re.S)


def rooms() -> list[tuple[str, Path, list[str]]]:
    """Name of each room from the top floor down, the file that describes it, the rooms in it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (floors,) = (c["layers"] for c in contracts["contracts"] if c.get("containers") == ["pliant"])
    found: list[tuple[str, Path, list[str]]] = []
    for name in (name for floor in floors for name in floor.split(" | ")):
        folder = PACKAGE / name
        if folder.is_dir():
            inner = sorted(path.parent for path in folder.rglob("*/__init__.py"))
            within = [path.relative_to(folder).as_posix() for path in inner]
            found.append((name, folder / "__init__.py", within))
        else:
            found.append((f"{name}.py", PACKAGE / f"{name}.py", []))
    return found


def sentence(path: Path) -> str:
    """First sentence of a module's docstring."""
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    first = re.sub(r"\s+", " ", said.partition("\n\n")[0])
    return re.split(r"(?<=\.) (?=[A-Z])", first)[0].removesuffix(".")


def short() -> str:
    """Markdown of the map for CONTRIBUTING: rooms within rooms by their names."""
    lines: list[str] = []
    for name, path, inner in rooms():
        lines.append(f"- `{name}`: {sentence(path)}")
        if inner and name not in ("experiments", "laws"):  # a room for each paper or family
            lines[-1] += f" ({', '.join(inner)})"
    return "\n".join([*lines, ""])


def page() -> str:
    """Markdown of the map for the site: every room with its sentence."""
    lines = ["# Map of the rooms", ""]
    lines += [
        "Folders and files of `src/pliant`, from the top floor down. A room imports only from"
    ]
    lines += ["rooms below it.", "", "| room | contents |", "|---|---|"]
    for name, path, inner in rooms():
        lines.append(f"| `{name}` | {sentence(path)} |")
        for within in inner:
            said = sentence(path.parent / within / "__init__.py")
            lines.append(f"| `{name}/{within}` | {said} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(MAP.sub(lambda _: f"\n{short()}\n", PAGE.read_text("utf-8")), encoding="utf-8")
