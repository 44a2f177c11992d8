"""`python -m tests.fuzz --seconds 600 [--seed N] [--kinds model.xml robot.urdf | --options plan | --meaning 2000]`."""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from .meaning import run as recorded
from .options import attack
from .run import fuzz


def main() -> int:
    """Fuzz, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--kinds", nargs="*", default=[])
    parser.add_argument("--folder", type=Path, default=Path("/tmp/pliant_fuzz"))
    parser.add_argument("--options", nargs="*", metavar="COMMAND", help="bad options, not files")
    parser.add_argument("--meaning", type=int, metavar="N", help="N recordings of a known truth")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.meaning is not None:
        seeds = range(given.seed, given.seed + given.meaning)
        faults = recorded(seeds, given.folder)
        print(*faults, sep="\n")
        return bool(faults)
    if given.options is not None:
        return attacked(given)
    report = fuzz(given.folder, given.seed, seconds=given.seconds, kinds=given.kinds)
    print(f"seed {given.seed}, {report.tried.total()} files")
    for name, tried in sorted(report.tried.items()):
        print(f"  {name}: {tried} tried, {report.loaded[name]} still load")
    print(f"slowest {report.slowest:.1f} s, largest {report.memory / 2**20:.0f} MiB")
    return bool(report.faults)


def attacked(given: argparse.Namespace) -> int:
    """Bad values of the commands' options, and what was found."""
    folder = Path(tempfile.mkdtemp(dir=given.folder))
    report = attack(folder, given.seed, seconds=given.seconds, only=given.options)
    print(
        f"seed {given.seed}, {report.codes.total()} command lines, by exit status: {report.codes}"
    )
    print(f"slowest {report.slowest:.1f} s, largest {report.memory / 2**20:.0f} MiB")
    print("accepted:", *report.accepted, sep="\n  ")
    print(*report.faults, sep="\n")
    return bool(report.faults)


if __name__ == "__main__":
    sys.exit(main())
