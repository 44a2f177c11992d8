"""Draw the picture of the page on compensation: an SO-101's elbow that settles from both sides.

python tools/compensation_picture.py       writes docs/how_to/compensate.png
"""

import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

import pliant
from pliant.arrays import Floats

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
bench: Any = import_module("compensation")  # of a folder that is no package

JOINT, SEED = "elbow_flex", 6


def main() -> None:
    """Write it."""
    mpl.rcParams.update({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False})
    figure: Any = Figure(figsize=(6.4, 2.6), layout="constrained")
    sides = figure.subplots(1, 2, sharey=True)
    with tempfile.TemporaryDirectory() as folder:
        robot = Path(folder) / "robot.toml"
        robot.write_text(
            f'model = "{bench.ARM.as_posix()}/so101.xml"\n[joints]\n"*" = {{ actuator = "{bench.SERVO}" }}\n'
        )
        arm = bench.Arm(robot, SEED)
        known = pliant.Compensator(robot, cycle=bench.CYCLE, payload={bench.PLACE: bench.MASS})
    k = known.joints.index(JOINT)

    def compensated(q: Floats, v: Floats, a: Floats, seen: Floats) -> Floats:
        return known.step(q, v, a, measured=seen, age=bench.CYCLE)

    for axes, told, title in zip(
        sides, (bench.plain, compensated), ("told the motion", "compensated"), strict=True
    ):
        for side, colour in ((1, "C0"), (-1, "C1")):
            known.reset()
            course = bench.approach(side, known.joints)
            axes.plot(course.time, course.position[:, k], "--", color="0.6", lw=1)
            axes.plot(course.time, arm.run(course, told)[:, k], color=colour)
        axes.set(title=title, xlabel="time [s]")
    sides[0].set_ylabel("elbow [rad]")
    figure.savefig(ROOT / "docs" / "how_to" / "compensate.png", dpi=110)


if __name__ == "__main__":
    main()
