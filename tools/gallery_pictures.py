"""Make the pictures of the documentation's gallery: every experiment's figures, compact.

python tools/gallery_pictures.py [EXPERIMENT ...]

Runs the experiments (all: some three minutes) and writes `docs/gallery/pictures/EXPERIMENT/*.png`,
at most 900 pixels wide with 256 colours. Run it after a change that moves a figure, and commit them.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image

from pliant.experiments.index import recipe, titles
from pliant.experiments.support.offscreen import choose_offscreen

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
        few.save(target, optimize=True)


def main(names: list[str]) -> None:
    """Run the experiments `names`, or all, and keep their figures."""
    choose_offscreen()  # or bodies are drawn as points
    for name in names or list(titles()):
        folder = FOLDER / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as temporary:
            for figure in recipe(name).run(None, Path(temporary)).figures:
                compact(figure, folder / figure.name)
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
