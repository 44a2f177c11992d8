"""One good file of each kind that Pliant reads, to be broken."""

import io
import json
from functools import cache
from math import cos, sin
from pathlib import Path
from typing import Any

from rosbags.rosbag2 import StoragePlugin

from pliant.catalogue import actuator_files, law_files
from pliant.io.log import example_logs
from pliant.io.search_state import sealed

from . import recordings

ROOT = Path(__file__).parents[2]
ROWS = 60
BINARY = (".parquet", ".mcap", ".db3", ".pt")


def log_json() -> str:
    """The start of a recording."""
    document = json.loads(example_logs()[0].read_text())
    document["entries"] = document["entries"][:ROWS]
    return json.dumps(document)


def log_csv() -> str:
    """One joint, by our names."""
    rows = [f"{0.01 * k:.3f},{sin(0.1 * k):.5f},{sin(0.1 * k + 0.1):.5f},1" for k in range(ROWS)]
    return "\n".join(["time,position,goal,enabled", *rows]) + "\n"


def robot_csv() -> str:
    """Two joints."""
    rows = [f"{0.01 * k:.3f},{sin(0.1 * k):.5f},0.1,{cos(0.1 * k):.5f},0.2" for k in range(ROWS)]
    head = "time,position_a,goal_a,position_b [rad],goal_b"
    return "\n".join([head, *rows]) + "\n"


def encoder_csv() -> str:
    """Encoders of a joint with one motor and of one with two."""
    head = "time,q_a,theta_a,q_b,theta_a_b,theta_b_b"
    rows = [
        f"{0.005 * k:.4f},{sin(0.1 * k):.5f},{sin(0.1 * k) - 0.1:.5f},{cos(0.1 * k):.5f},0.1,-0.1"
        for k in range(ROWS)
    ]
    return "\n".join([head, *rows]) + "\n"


def torque_csv() -> str:
    """A slow pull on a spring."""
    rows = [f"{0.01 * k:.3f},{0.02 * k:.4f},0" for k in range(-30, 30)]
    return "\n".join(["q,tau,theta", *rows]) + "\n"


COLUMN_MAP = """counts_per_turn = 4096

[columns]
time = "t[ms]"
position = "q [counts]"
goal = { column = "q_des", unit = "deg" }

[constants]
mass = 0.49
length = 0.1
gain = 100
"""

ROBOT = """model = "arm.xml"
timestep = 0.001

[joints]
shoulder = { actuator = "xl330_bam_m6" }
elbow = { actuator = "mx106_bam_m4", parameters = { "own.voltage" = 11.0 } }
"""

MANAGER = """namespace: "robot"
T_sample: 0.01            # loop period
joints_number: 2
joints_name: ["j1", "j2"]
ref1_topic_name: ["/equilibrium_position", "/equilibrium_position"]
ref2_topic_name: ["/stiffness_preset", "/stiffness_preset"]
"""

URDF = """<robot name="r"><link name="base"/>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
  <origin xyz="0 0 0.035" rpy="0.1 0 0"/><axis xyz="0 0 1"/>
  <limit lower="-3.14" upper="3.14" effort="300" velocity="100"/>
  <dynamics damping="0.065" friction="0.0"/></joint>
<link name="arm"><inertial><origin xyz="0 0 0.1" rpy="0 0.2 0"/><mass value="0.1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<gazebo><plugin name="vsa" filename="libqbmove_plugin.so"><joint>j</joint>
  <operation_mode>6</operation_mode><pub_eltau>true</pub_eltau><pub_state>true</pub_state>
  <sub_ext_tau>true</sub_ext_tau><spring_k1>0.02</spring_k1><max_def>0.3</max_def>
</plugin></gazebo></robot>
"""

MODEL = """<mujoco model="m"><extension><plugin plugin="pliant.xl330_bam_m6"/></extension>
<compiler angle="radian"/><option timestep="0.002" integrator="implicitfast"/>
<default><joint axis="0 1 0" damping="0.001"/></default>
<worldbody><body name="a" pos="0 0 1"><joint name="j" range="-1 1"/>
  <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.1" mass="0.1"/>
  <body name="b" pos="0 0 -0.1"><joint name="k"/><geom size="0.02" mass="0.05"/></body>
</body></worldbody>
<actuator><plugin name="j" joint="j" plugin="pliant.xl330_bam_m6"><config key="control.kp" value="800"/>
</plugin><motor joint="k" gear="2"/></actuator></mujoco>
"""

CHECKPOINT = sealed(
    {
        "pliant_checkpoint": 1,
        "task": {"search": {"seed": 1}},
        "finished": {
            "start 1": {"point": [0.1, 0.2], "cost": 0.3, "error": 0.1, "evaluations": 12}
        },
        "descents": {
            "polish": {
                "at": [0.1, 0.2],
                "damping": 1e-3,
                "jacobians": 2,
                "stuck": 0,
                "done": {"point": [0.1, 0.2], "cost": 0.3, "error": 0.1, "evaluations": 12},
            }
        },
    }
)


DRAWS = "motor.k_t,friction.K_c,plant.mass\n0.4,0.01,0.5\n0.41,0.012,0.5\n0.42,0.02,0.5\n"

SERVOS = """[[servos]]
name = "plain"
source = "a model"
kp = 17.8
kv = 0.1
damping = 0.6
friction = 0.052
armature = 0.028
"""

RECORDED = (
    ROBOT
    + """
[zeros.elbow]
command_offset = 0.004
position_offset = -0.01
"""
)

CALIBRATION = json.dumps(
    {
        name: {"id": k, "drive_mode": 0, "homing_offset": 12, "range_min": 700, "range_max": 3300}
        for k, name in enumerate(("shoulder_pan", "elbow_flex"))
    }
)

INFO = json.dumps(
    {
        "codebase_version": "v3.0",
        "fps": 30,
        "total_frames": ROWS,
        "features": {
            "observation.state": {"dtype": "float32", "shape": [2], "names": ["a.pos", "b.pos"]},
            "action": {"dtype": "float32", "shape": [2], "names": ["a.pos", "b.pos"]},
        },
    }
)


def springs_csv() -> str:
    """A grid of deflections and presets."""
    grid = [(0.1 * k, 0.2 * n) for k in range(-3, 4) for n in range(3)]
    rows = [f"{q:.2f},{n:.2f},{(1.0 + n) * q + q**3:.5f}" for q, n in grid]
    return "\n".join(["deflection,preset,torque", *rows]) + "\n"


def torque_json() -> str:
    """A slow pull on a spring."""
    values = [0.01 * k for k in range(-30, 30)]
    return json.dumps(
        {
            "title": "pull",
            "q": values,
            "tau": [2.0 * q for q in values],
            "theta": [0.0] * len(values),
        }
    )


def parquet(columns: dict[str, Any]) -> bytes:
    """A Parquet file of these columns."""
    import pyarrow as pa
    from pyarrow import parquet as writer

    file = io.BytesIO()
    writer.write_table(pa.table(columns), file)
    return file.getvalue()


@cache
def episodes_parquet() -> bytes:
    """The rows of a LeRobot data set."""
    rows = range(ROWS)
    pairs = [[0.1 * k, 0.2 * k] for k in rows]
    return parquet(
        {
            "timestamp": [k / 30.0 for k in rows],
            "frame_index": list(rows),
            "episode_index": [0] * ROWS,
            "observation.state": pairs,
            "action": pairs,
        }
    )


def run_parquet() -> str:
    """A robot's log, a character for each byte."""
    names = "time position_a goal_a position_b goal_b".split()
    columns = {name: [0.01 * k * (n + 1) for k in range(ROWS)] for n, name in enumerate(names)}
    return parquet(columns).decode("latin-1")


def encoded(name: str, text: str) -> bytes:
    """The bytes of a file of that name."""
    if name == "pickle.pt":
        return recordings.pace(text.encode("latin-1"))
    return text.encode("latin-1" if name.endswith(BINARY) else "utf-8", "surrogatepass")


def good_files() -> dict[str, str]:
    """File name to text; the name tells the kind."""
    return {
        "log.json": log_json(),
        "log.csv": log_csv(),
        "robot.csv": robot_csv(),
        "encoder.csv": encoder_csv(),
        "torque.csv": torque_csv(),
        "actuator.toml": actuator_files()["xl330_bam_m6"].read_text(),
        "columns.toml": COLUMN_MAP,
        "robot.toml": ROBOT,
        "manager.yaml": MANAGER,
        "robot.urdf": URDF,
        "model.xml": MODEL,
        "law.py": law_files("compliance")["sinh_spring"].read_text(),
        "checkpoint.json": CHECKPOINT,
        "draws.csv": DRAWS,
        "springs.csv": springs_csv(),
        "torque.json": torque_json(),
        "servos.toml": SERVOS,
        "recorded.toml": RECORDED,
        "calibration.json": CALIBRATION,
        "info.json": INFO,
        "run.parquet": run_parquet(),
        "episodes.parquet": episodes_parquet().decode("latin-1"),
        "bag.db3": recordings.storage_of(recordings.joint_states()).decode("latin-1"),
        "metadata.yaml": recordings.joint_states()["metadata.yaml"].decode(),
        "run.mcap": recordings.storage_of(recordings.joint_states(StoragePlugin.MCAP)).decode(
            "latin-1"
        ),
        "low.mcap": recordings.storage_of(recordings.low_states()).decode("latin-1"),
        "run.pt": recordings.PACE.read_bytes().decode("latin-1"),
        "pickle.pt": recordings.pickled().decode("latin-1"),
        "journal.json": recordings.journal(),
    }
