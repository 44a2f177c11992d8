"""Draw the picture of the page on tuning: the gains tried on the joints of an SO-101.

python tools/tuning_picture.py             writes docs/how_to/tune.png
"""

import contextlib
import io
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from PIL import Image

from pliant.report.still import bytes_of, tuning_figure
from pliant.robots.tuning import tune

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
bench: Any = import_module("tuning")  # of a folder that is no package


def main() -> None:
    """Write it."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        fit, _ = bench.robots(Path(folder))
        found = tune(bench.trials(fit, 60, 0))
    with Image.open(io.BytesIO(bytes_of(tuning_figure(found), "png"))) as drawn:
        page = Image.new("RGB", drawn.size, "white")
        page.paste(drawn.convert("RGB"))
    small = page.resize((760, round(760 * page.height / page.width)))
    few = small.quantize(128, method=Image.Quantize.FASTOCTREE)  # keeps colours that are rare
    few.save(ROOT / "docs" / "how_to" / "tune.png", optimize=True)


if __name__ == "__main__":
    main()
