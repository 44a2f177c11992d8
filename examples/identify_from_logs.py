"""Fit a servo to recorded logs and write its file.

The budget is tiny, so that this takes seconds: it shows the procedure, not a good fit.
"""

import sys
import tempfile
from pathlib import Path

from pliant import read_logs, write_actuator
from pliant.assemble import with_law
from pliant.identification.fit import hold_out, identify
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs


def main(folder: Path) -> None:
    logs = read_logs(example_logs())
    fitted, held_out = hold_out(logs, "gain=800")
    start = with_law(load_actuator("xl330_bam_m6"), "friction", "m4")
    result = identify(
        start,
        fitted,
        held_out=held_out,
        search_settings=SearchSettings(starts=1, jacobians=10),
        name="my_xl330",
    )
    assert result.held_out is not None
    print(
        f"fitted {1e3 * result.fitted.mae:.1f} mrad, held out {1e3 * result.held_out.mae:.1f} mrad"
    )
    for warning in result.warnings:
        print(f"warning: {warning}")
    path = folder / "my_xl330.toml"
    write_actuator(result.actuator, path)
    print(f"wrote {path.name}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
