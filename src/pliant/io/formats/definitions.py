"""Message types that bags of sqlite3 often do not define, as their packages do."""

from functools import cache
from typing import Any

from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.io.formats.cdr import Definitions
from pliant.io.formats.tables import first_line

EXTRA = "bags"

_JTC = "control_msgs/msg/JointTrajectoryControllerState"
_POINT = "trajectory_msgs/JointTrajectoryPoint"
_BEGIN = "std_msgs/Header header\nstring[] joint_names\n"
_JTC_VERSIONS = (
    "".join(f"{_POINT} {name}\n" for name in ("desired", "actual", "error")),
    "".join(f"{_POINT} {name}\n" for name in ("reference", "feedback", "error", "output")),
    "".join(
        f"{_POINT} {name}\n"
        for name in ("desired", "actual", "error", "reference", "feedback", "output")
    ),
)

_GO = {
    "IMUState": "float32[4] quaternion\nfloat32[3] gyroscope\nfloat32[3] accelerometer\n"
    "float32[3] rpy\nint8 temperature",
    "MotorState": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 ddq\nfloat32 tau_est\nfloat32 q_raw\n"
    "float32 dq_raw\nfloat32 ddq_raw\nint8 temperature\nuint32 lost\nuint32[2] reserve",
    "BmsState": "uint8 version_high\nuint8 version_low\nuint8 status\nuint8 soc\nint32 current\n"
    "uint16 cycle\nint8[2] bq_ntc\nint8[2] mcu_ntc\nuint16[15] cell_vol",
    "LowState": "uint8[2] head\nuint8 level_flag\nuint8 frame_reserve\nuint32[2] sn\n"
    "uint32[2] version\nuint16 bandwidth\nIMUState imu_state\nMotorState[20] motor_state\n"
    "BmsState bms_state\nint16[4] foot_force\nint16[4] foot_force_est\nuint32 tick\n"
    "uint8[40] wireless_remote\nuint8 bit_flag\nfloat32 adc_reel\nint8 temperature_ntc1\n"
    "int8 temperature_ntc2\nfloat32 power_v\nfloat32 power_a\nuint16[4] fan_frequency\n"
    "uint32 reserve\nuint32 crc",
    "MotorCmd": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 tau\nfloat32 kp\nfloat32 kd\n"
    "uint32[3] reserve",
    "BmsCmd": "uint8 off\nuint8[3] reserve",
    "LowCmd": "uint8[2] head\nuint8 level_flag\nuint8 frame_reserve\nuint32[2] sn\n"
    "uint32[2] version\nuint16 bandwidth\nMotorCmd[20] motor_cmd\nBmsCmd bms_cmd\n"
    "uint8[40] wireless_remote\nuint8[12] led\nuint8[2] fan\nuint8 gpio\nuint32 reserve\nuint32 crc",
}
_HG = {
    "IMUState": "float32[4] quaternion\nfloat32[3] gyroscope\nfloat32[3] accelerometer\n"
    "float32[3] rpy\nint16 temperature",
    "MotorState": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 ddq\nfloat32 tau_est\n"
    "int16[2] temperature\nfloat32 vol\nuint32[2] sensor\nuint32 motorstate\nuint32[4] reserve",
    "LowState": "uint32[2] version\nuint8 mode_pr\nuint8 mode_machine\nuint32 tick\n"
    "IMUState imu_state\nMotorState[35] motor_state\nuint8[40] wireless_remote\n"
    "uint32[4] reserve\nuint32 crc",
    "MotorCmd": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 tau\nfloat32 kp\nfloat32 kd\nuint32 reserve",
    "LowCmd": "uint8 mode_pr\nuint8 mode_machine\nMotorCmd[35] motor_cmd\nuint32[4] reserve\nuint32 crc",
}


def parsed(text: str, kind: str) -> dict[str, Any]:
    """The types in a definition as files have it, with those that it needs below separators.

    Raises:
        PliantError: it is no definition.
    """
    typesys = extra_module("rosbags.typesys", EXTRA)
    try:
        return dict(typesys.get_types_from_msg(text, kind))
    except (typesys.TypesysError, RecursionError) as error:
        raise PliantError(
            f"its definition cannot be read: {first_line(error)}", found=kind
        ) from None


@cache
def common() -> Definitions:
    """Types of ROS 2 itself: sensor_msgs, trajectory_msgs, std_msgs."""
    typesys = extra_module("rosbags.typesys", EXTRA)
    return dict(typesys.get_typestore(typesys.Stores.ROS2_HUMBLE).fielddefs)


@cache
def candidates(kind: str) -> tuple[Definitions, ...]:
    """Definitions of a type that a file does not define itself, the newest version last."""
    if kind == _JTC:
        return tuple({**common(), **parsed(_BEGIN + version, kind)} for version in _JTC_VERSIONS)
    package = kind.partition("/")[0]
    own = {"unitree_go": _GO, "unitree_hg": _HG}.get(package)
    if own is None:
        return (common(),)
    types: dict[str, Any] = dict(common())
    for name, text in own.items():
        types |= parsed(text, f"{package}/msg/{name}")
    return (types,)
