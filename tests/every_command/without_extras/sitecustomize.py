"""Hides what the extras bring: an installation of `pliant` alone, in this process and its children.

Python imports this at its start where this folder is in PYTHONPATH; PLIANT_HIDDEN names the modules.
"""

import os
import sys

for module in os.environ["PLIANT_HIDDEN"].split(","):
    sys.modules[module] = None  # type: ignore[assignment] - an import of it fails
