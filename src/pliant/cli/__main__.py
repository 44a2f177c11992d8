"""`python -m pliant.cli`."""

import sys

from pliant.cli import main

sys.exit(main())
