"""The site is built, and leads where it says, without a network."""

import runpy
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest

from pliant.experiments.index import titles
from tests.test_project import HOSTS

ROOT = Path(__file__).parents[2]
PACKAGES = ("pliant", "pliant.identification", "pliant.robots", "pliant.estimate", "pliant.learn")

BUILD = """
import sys, furo
from sphinx.cmd.build import main
furo._compute_navigation_tree = lambda context: ""
sys.exit(main(sys.argv[1:]))
"""
"""Sphinx without the theme's tree of all pages beside each page: it takes most of the time, and Sphinx
itself warns of pages that are in no tree."""


@dataclass(frozen=True)
class Page:
    """What the tests look at; of the trees of a whole site a process would keep half a gigabyte."""

    links: frozenset[str]
    """Targets of the links and pictures of the page's own text."""
    places: frozenset[str]
    loads: frozenset[str]
    described: Mapping[str, str]
    """Place of a Python name to the text below it."""


def built(folder: Path) -> dict[Path, Page]:
    """Every page of the site, built with warnings as errors, without Sphinx's copies of the source."""
    settings = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    extensions = ",".join(one for one in settings["extensions"] if one != "sphinx.ext.viewcode")
    command = [sys.executable, "-c", BUILD, "-W", "--keep-going", "-q", "-b", "html"]
    command += ["-D", f"extensions={extensions}"]
    done = subprocess.run(
        [*command, "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {path: read(path) for path in (folder / "html").rglob("*.html")}


def read(path: Path) -> Page:
    from bs4 import BeautifulSoup, Tag

    tree = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    article = tree.find("article") or tree
    assert isinstance(article, Tag)
    targets = [
        tag.get("href") if tag.name == "a" else tag.get("src") for tag in article(["a", "img"])
    ]
    loads = {str(tag.get("src") or tag.get("href") or "") for tag in tree(["script", "link"])}
    places = {str(tag["id"]): tag for tag in tree(id=True)}
    described: dict[str, str] = {}
    for name, tag in places.items():
        below = tag.parent.find("dd", recursive=False) if tag.name == "dt" and tag.parent else None
        if isinstance(below, Tag):
            described[name] = below.get_text().strip()[:100]
    links = {one for one in targets if isinstance(one, str) and not one.startswith("data:")}
    return Page(frozenset(links), frozenset(places), frozenset(loads), described)


def broken(path: Path, target: str, pages: dict[Path, Page]) -> str:
    """Why a link leads nowhere, or nothing."""
    url = urlparse(target)
    if url.scheme in ("http", "https"):
        return "" if url.hostname in HOSTS else "host is not known"
    there = (path.parent / unquote(url.path)).resolve() if url.path else path
    if not there.exists():
        return "no such file"
    if url.fragment and there in pages:
        return "" if unquote(url.fragment) in pages[there].places else "no such place"
    return ""


@pytest.mark.long
def test_the_site_builds_without_a_warning_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    pages = built(tmp_path)
    assert len(pages) > 60
    faults: list[str] = []
    for path, page in pages.items():
        for target in page.links:
            if why := broken(path, target, pages):
                faults.append(f"{path.relative_to(tmp_path)}: {target}: {why}")
        for source in page.loads:
            if source.startswith(("http:", "https:", "//")):
                faults.append(f"{path.name} loads {source}")
    assert not faults, "\n".join(faults)
    assert (tmp_path / "html" / "searchindex.js").stat().st_size > 50_000
    _check_reference(tmp_path / "html" / "generated" / "python", pages)


def test_every_experiment_has_its_pictures_in_the_gallery() -> None:
    for name in titles():
        pictures = list((ROOT / "docs" / "gallery" / "pictures" / name).glob("*.png"))
        assert pictures, f"python tools/gallery_pictures.py {name}"


def _check_reference(folder: Path, pages: dict[Path, Page]) -> None:
    """Every public name has an entry with a text."""
    for package in PACKAGES:
        page = pages[folder / f"{package.replace('.', '_')}.html"]
        for name in import_module(package).__all__:
            elsewhere = {f"{other.replace('.', '_')}.html#{other}.{name}" for other in PACKAGES[1:]}
            if package == "pliant" and elsewhere & page.links:
                continue  # described there
            assert len(page.described.get(f"{package}.{name}", "")) > 20, f"{package}.{name}"
