"""Make the pictures of the documentation's gallery: every experiment's figures, compact.

python tools/gallery_pictures.py [EXPERIMENT ...]

Runs the experiments (all: some three minutes) and writes `docs/gallery/pictures/EXPERIMENT/*.png`,
at most 900 pixels wide with 256 colours, with the version of Pliant in them. Run it after a change that moves a
figure, and commit them: tests/experiments/test_pictures.py compares each with a fresh one.
"""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from pliant.experiments.index import recipe, titles
from pliant.experiments.support.offscreen import choose_offscreen
from pliant.experiments.support.recipe import Row

FOLDER = Path(__file__).parents[1] / "docs" / "gallery" / "pictures"
WIDEST, COLOURS = 900, 256


def compact(source: Path, target: Path) -> None:
    """A smaller copy of a picture."""
    with Image.open(source) as picture:
        height = round(picture.height * min(1.0, WIDEST / picture.width))
        small = picture.convert("RGB").resize((min(WIDEST, picture.width), height))
        # Median cut would merge the colours of thin lines.
        palette = Image.Quantize.FASTOCTREE
        few = small.quantize(COLOURS, palette, dither=Image.Dither.NONE)
        info = PngInfo()
        info.add_text("Software", f"pliant {version('pliant')}")
        few.save(target, optimize=True, pnginfo=info)


def apart(one: Path, other: Path) -> float:
    """Fraction of the pixels that differ visibly, in colour by a quarter; 1 for pictures of different sizes."""
    with Image.open(one) as first, Image.open(other) as second:
        if first.size != second.size:
            return 1.0
        pixels: list[NDArray[np.int16]] = [
            np.asarray(x.convert("RGB"), dtype=np.int16) for x in (first, second)
        ]
    change = np.abs(pixels[0] - pixels[1]).max(axis=-1)
    return np.count_nonzero(change > 60) / change.size


def draw(name: str, folder: Path) -> Sequence[Row]:
    """Run the experiment `name` and write its compact figures into `folder`; returns its numbers."""
    with tempfile.TemporaryDirectory() as temporary:
        outcome = recipe(name).run(None, Path(temporary))
        for figure in outcome.figures:
            compact(figure, folder / figure.name)
    return outcome.rows


def main(names: list[str]) -> None:
    """Run the experiments `names`, or all, and keep their figures."""
    choose_offscreen()  # otherwise bodies are drawn as points
    for name in names or list(titles()):
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        draw(name, folder)
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
