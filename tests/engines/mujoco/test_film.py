"""Pictures as files."""

import io

import matplotlib.image
import numpy as np

from pliant.engines.mujoco.film import png


def test_another_reader_finds_the_same_pixels() -> None:
    image = np.random.default_rng(0).integers(0, 256, (7, 5, 3), np.uint8)
    read = matplotlib.image.imread(io.BytesIO(png(image)), format="png")
    np.testing.assert_array_equal(np.round(255.0 * read).astype(np.uint8), image)
