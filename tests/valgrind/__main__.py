"""`python -m tests.valgrind`: the callbacks under valgrind's memcheck; 1 if one reads or writes amiss.

Memcheck sees every access to the heap, of compiled code too: that is made for the processor that valgrind
shows, which knows no AVX-512. It does not see an access that misses its array and stays within the
block: each mjModel and each mjData is one block and an arena.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

PROGRAM = Path(__file__).with_name("program.py")
MEMCHECK = (
    "valgrind --tool=memcheck --leak-check=no --show-leak-kinds=none --undef-value-errors=no "
    "--error-limit=no --num-callers=12 --xml=yes"
).split()
PLAIN = {"PYTHONMALLOC": "malloc", "OPENBLAS_NUM_THREADS": "1"}
LOADER = "ld-linux"
"""The system's loader reads names of folders in words of 8 bytes; valgrind reports that always."""


def main() -> int:
    """Compile and run under valgrind, and say what it found."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | PLAIN | {"PLIANT_CACHE_DIR": str(Path(folder, "cache"))}
        report = Path(folder, "report.xml")
        command = [*MEMCHECK, f"--xml-file={report}", sys.executable, str(PROGRAM)]
        code = subprocess.run(command, env=environment, check=False).returncode
        found = faults(report.read_text(encoding="utf-8", errors="replace"))
    print("\n".join(found[:20]) or "no access amiss", f"({len(found)} places, exit code {code})")
    return int(bool(found) or code != 0)


def faults(report: str) -> list[str]:
    """Invalid accesses in memcheck's XML with the innermost frames, but for those of the loader."""
    found: list[str] = []
    if "</valgrindoutput>" not in report:  # it was killed, or crashed with its program
        report += "</valgrindoutput>"
    for error in ET.fromstring(report).iter("error"):
        frames = [
            f"{Path(frame.findtext('obj', 'compiled code')).name}: {frame.findtext('fn', '?')}"
            for frame in error.iterfind("stack[1]/frame")
        ]
        kind = error.findtext("kind", "")
        if kind.startswith("Invalid") and LOADER not in frames[0]:
            found.append(f"{error.findtext('what')} in {' < '.join(frames[:4])}")
    return found


if __name__ == "__main__":
    sys.exit(main())
