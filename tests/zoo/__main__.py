"""`python -m tests.zoo --fetch`, and `--page FILE --records FOLDER` when all have been tried."""

import argparse
import sys
from pathlib import Path

from .packages import DEFAULT, fetch
from .page import page


def main() -> int:
    """Fetch the packages, or write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo")
    parser.add_argument("--fetch", action="store_true", help="download and unpack the packages")
    parser.add_argument("--folder", type=Path, default=DEFAULT)
    parser.add_argument("--page", type=Path, help="write the page of the documentation")
    parser.add_argument("--records", type=Path, help="what the tests left in PLIANT_ZOO_RECORDS")
    parser.add_argument("--note", default="", help="what is particular about these records")
    given = parser.parse_args()
    if given.fetch:
        fetch(given.folder)
    if given.page and given.records:
        given.page.write_text(page(given.records, given.note), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
