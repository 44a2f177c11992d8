"""Find the servos of an arm from motions of it: `python examples/identify_arm.py`.

The recordings are simulated here (`arm_recordings.py`); read those of a real arm with
`pliant.robots.read_robot_logs("runs/")`. The arm's model and the type of its servos are known; their delays
and the winding of one of them are not.
"""

from pathlib import Path

from arm_recordings import record

import pliant
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.identification.search.search import SearchSettings
from pliant.robots import identify_robot

ARM = Path(__file__).with_name("arm.xml")
REAL = {"motor.R": 3.0, "timing.delay": 0.012}
FIT = {"*.timing.delay": (0.0, 0.04), "shoulder.motor.R": None}
BRIEF = SearchSettings(starts=1, jacobians=8)

known = {
    joint: pliant.with_law(pliant.load_actuator(name), "timing", "command_delay")
    for joint, name in {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}.items()
}
real = {
    "shoulder": known["shoulder"].with_values(REAL, "nobody knows", "assumed"),
    "elbow": known["elbow"].with_values({"timing.delay": 0.02}, "nobody knows", "assumed"),
}
runs = {name: record(ARM, real, name, seconds=2.0) for name in ("fast", "steps", "mixed")}
found = identify_robot(
    ARM,
    known,
    [runs["fast"], runs["steps"]],
    held_out=[runs["mixed"]],
    fit=FIT,
    fix=["*.own.*", "*.friction.*", "*.control.*", "*.motor.k_t", "elbow.motor.R"],
    search_settings=BRIEF,
    settings=ManySettings(timestep=1e-3),
)

for name, value in found.values.items():
    print(f"{name:24} {value:.4g}")
print(f"error {1e3 * found.fitted.mae:.2f} mrad", end="")
if found.held_out is not None:
    print(f", of a motion that was not fitted {1e3 * found.held_out.mae:.2f} mrad")
for word in found.warnings:
    print("open:", word)
