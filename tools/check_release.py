"""Check that a tag can be released: python tools/check_release.py vX.Y.Z [--notes | --owner NAME].

The tag must equal the version in pyproject.toml, CITATION.cff and the conda recipe, the changelog must have a
section for it, and no address may still contain the placeholder OWNER. With --notes, print that section. With --owner,
first put NAME into all addresses, once: nothing else states where the project is on GitHub.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
WITH_VERSION = {
    "CITATION.cff": r"^version: (\S+)",
    "packaging/conda/recipe.yaml": r"^  version: ([\d.]+)",
}
WITH_ADDRESS = (
    "pyproject.toml",
    "CITATION.cff",
    "packaging/conda/recipe.yaml",
    "docs/how_to/install.md",
)


def problems(tag: str) -> list[str]:
    """Reasons why `tag` cannot be released."""
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    found = [] if tag == f"v{version}" else [f"the tag is {tag}, pyproject.toml has {version}"]
    for name, pattern in WITH_VERSION.items():
        there = re.search(pattern, text(name), re.MULTILINE)
        if there is None or there[1] != version:
            found.append(f"{name} has another version")
    if not notes(version):
        found.append(f"CHANGELOG.md has no section [{version}]")
    return found + [f"{name} names no OWNER yet" for name in WITH_ADDRESS if "OWNER" in text(name)]


def set_owner(owner: str) -> None:
    """Put the owner of the repository into every address of the project."""
    for name in WITH_ADDRESS:
        (ROOT / name).write_text(re.sub(r"\bOWNER\b", owner, text(name)), "utf-8", newline="\n")


def notes(version: str) -> str:
    """The changelog's section of a version."""
    section = re.search(
        rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## \[|\Z)", text("CHANGELOG.md"), re.M | re.S
    )
    return section[1].strip() if section else ""


def text(name: str) -> str:
    """A file of the project."""
    return (ROOT / name).read_text("utf-8")


if __name__ == "__main__":
    tag, *more = sys.argv[1:]
    if more[:1] == ["--owner"]:
        set_owner(more[1])
    if more == ["--notes"]:
        print(notes(tag.removeprefix("v")))
    elif found := problems(tag):
        sys.exit("\n".join(found))
