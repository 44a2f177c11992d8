"""The gallery: every experiment's pictures."""

from pathlib import Path

from pliant.experiments.index import titles

PICTURES = Path(__file__).parents[1] / "gallery" / "pictures"


def page() -> str:
    """Markdown of all pictures, by experiment."""
    lines = ["# Pictures of the experiments", ""]
    lines += [
        "`pliant reproduce NAME` draws each of them. The papers' results beside those reproduced here:",
        "[](/gallery/index.md).",
        "",
    ]
    for name, title in titles().items():
        pictures = sorted((PICTURES / name).glob("*.png"))
        lines += [f"## {title}", "", f"`{name}`", ""]
        for picture in pictures:
            words = picture.stem.replace("_", " ")
            lines += [f"![{title}: {words}](/gallery/pictures/{name}/{picture.name})", ""]
    return "\n".join(lines)
