"""Draw the picture of docs/how_to/replay.md: three joints of a recorded SO-101 and their simulation.

python tools/replay_picture.py       writes docs/_static/replay.png
"""

import io
from importlib import resources
from pathlib import Path

from PIL import Image

from pliant.report.explained import explained, explained_figure
from pliant.report.still import bytes_of
from pliant.robots import read_robot_logs, robot_rig

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
TARGET = Path(__file__).parents[1] / "docs" / "_static" / "replay.png"
JOINTS = ("shoulder_lift", "elbow_flex", "gripper")
WIDTH, COLOURS = 800, 40


def main() -> None:
    """Write it."""
    (log,) = read_robot_logs([ARM / "held_out"])
    servos = dict.fromkeys(log.joints, "sts3215_so101")
    rig = robot_rig(ARM / "so101_on_table.xml", servos, [log])
    found = [one for one in explained(rig, [log]) if one.joint in JOINTS]
    drawn = Image.open(io.BytesIO(bytes_of(explained_figure(found), "png"))).convert("RGB")
    small = drawn.resize((WIDTH, round(drawn.height * WIDTH / drawn.width)))
    palette = Image.Quantize.FASTOCTREE  # median cut would merge the colours of thin lines
    small.quantize(COLOURS, palette, dither=Image.Dither.NONE).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
