"""The site is built, and leads where it says, without a network."""

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlparse

from bs4 import BeautifulSoup, Tag

from pliant.experiments.index import titles

ROOT = Path(__file__).parents[2]
HOSTS = {
    "docs.rs",
    "github.com",
    "keepachangelog.com",
    "semver.org",
    "www.apache.org",
}
"""All that pages may link to."""
PACKAGES = ("pliant", "pliant.identify", "pliant.robots", "pliant.estimate", "pliant.learn")


def built(folder: Path) -> dict[Path, BeautifulSoup]:
    """Every page of the site, built with warnings as errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    done = subprocess.run(
        [*command, "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = (folder / "html").rglob("*.html")
    return {page: BeautifulSoup(page.read_text("utf-8"), "html.parser") for page in pages}


def links(page: BeautifulSoup) -> Iterator[str]:
    """Targets of the links and pictures of a page's own text."""
    article = page.find("article") or page
    assert isinstance(article, Tag)
    for name, attribute in (("a", "href"), ("img", "src")):
        for tag in article.find_all(name):
            target = tag.get(attribute)
            if isinstance(target, str) and not target.startswith("data:"):
                yield target


def broken(path: Path, target: str, pages: dict[Path, BeautifulSoup]) -> str:
    """Why a link leads nowhere, or nothing."""
    url = urlparse(target)
    if url.scheme in ("http", "https"):
        return "" if url.hostname in HOSTS else "host is not known"
    there = (path.parent / unquote(url.path)).resolve() if url.path else path
    if not there.exists():
        return "no such file"
    if url.fragment and there in pages and "_modules" not in there.parts:
        found = pages[there].find(id=unquote(url.fragment))
        return "" if found is not None else "no such place"
    return ""


def test_the_site_builds_without_a_warning_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    pages = built(tmp_path)
    assert len(pages) > 60
    faults: list[str] = []
    own = {path: page for path, page in pages.items() if "_modules" not in path.parts}
    for path, page in own.items():
        for target in links(page):
            if why := broken(path, target, pages):
                faults.append(f"{path.relative_to(tmp_path)}: {target}: {why}")
        for script in page.find_all(["script", "link"]):
            source = script.get("src") or script.get("href") or ""
            if str(source).startswith(("http:", "https:", "//")):
                faults.append(f"{path.name} loads {source}")
    assert not faults, "\n".join(faults)
    assert (tmp_path / "html" / "searchindex.js").stat().st_size > 50_000
    _check_reference(tmp_path / "html" / "generated" / "python", pages)


def test_every_experiment_has_its_pictures_in_the_gallery() -> None:
    for name in titles():
        pictures = list((ROOT / "docs" / "gallery" / "pictures" / name).glob("*.png"))
        assert pictures, f"python tools/gallery_pictures.py {name}"


def _check_reference(folder: Path, pages: dict[Path, BeautifulSoup]) -> None:
    """Every public name has an entry with a text."""
    for package in PACKAGES:
        page = pages[folder / f"{package.replace('.', '_')}.html"]
        for name in import_module(package).__all__:
            if f"{package}.{name}" in PACKAGES:  # a package that can be called
                continue
            elsewhere = [f"{other.replace('.', '_')}.html#{other}.{name}" for other in PACKAGES]
            if any(page.find("a", href=one) for one in elsewhere[1:] if package == "pliant"):
                continue  # described there
            entry = page.find(id=f"{package}.{name}")
            assert isinstance(entry, Tag), f"{package}.{name} is not in the reference"
            said = entry.parent.find("dd", recursive=False) if entry.parent else None
            assert isinstance(said, Tag) and len(said.get_text().strip()) > 20, f"{package}.{name}"
