"""The body of the robot of the experiment `centauro`, from simple shapes.

Sections can be left out; descendants of a missing section are left out too. Without legs, or when
grounded, the pelvis is fixed.
"""

from collections.abc import Iterable
from math import cos, pi, sin

import mujoco

from pliant.errors import PliantError, check_known
from pliant.experiments.support.benches import BLUE, PALE, RED, empty, hinge, shape

SOURCES = {
    "THIGH, SHANK": "section 2: legs as long as the arms, 80 cm",
    "UPPER_ARM, FOREARM, HAND": "section 2: arms of 80 cm; how they share it is assumed",
    "MASSES": "section 2: arms and legs of about 10 kg; how they share it, and all else, is assumed",
    "CORNERS, DOWN, SPREAD, FOOT, DAMPING, TURNED, BENT, FLOOR_FRICTION": "assumed: places, postures and damping are not published",
    "PELVIS, TORSO, PALM, ROD, WHEEL": "assumed: shapes are not published",
}

FIVE = ("pelvis", "torso", "arms", "legs", "wheels")
SECTIONS = {
    "pelvis": None,
    "torso": "pelvis",
    "arms": "torso",
    "legs": "pelvis",
    "wheels": "legs",
    "hip_wheels": "legs",
    "knee_wheels": "legs",
}
"""Name to the section that it is attached to; `wheels` are those at hips and knees, which the last two add alone."""
POSTURES = ("initial", "spider", "mammal")
FLOATING = "base"
CORNERS = {
    1: (0.25, 0.2, pi / 4),
    2: (0.25, -0.2, -pi / 4),
    3: (-0.25, 0.2, 3 * pi / 4),
    4: (-0.25, -0.2, -3 * pi / 4),
}
"""Leg to the position of its hip in the pelvis [m], and its direction [rad]."""
THIGH = SHANK = 0.4
"""[m]"""
DOWN = {"initial": 0.35, "spider": -0.35, "mammal": 1.05}
"""[rad] Angle of a thigh below the horizontal; the shank is vertical."""
SPREAD = {"initial": 0.0, "spider": 0.05, "mammal": 0.0}
"""[rad] Yaw of the legs, sidewards."""
UPPER_ARM, FOREARM, HAND = 0.35, 0.3, 0.15
"""[m]"""
FOOT = 0.03
"""[m] Radius."""
PELVIS, TORSO, PALM = [0.25, 0.2, 0.08], [0.1, 0.18, 0.2], [0.03, 0.05, 0.5 * HAND]
"""[m] Half sides of the boxes."""
ROD = 0.035
"""[m] Radius of the parts of a limb."""
WHEEL = [0.08, 0.02, 0.0]
"""[m] Radius and half width."""
MASSES = {
    "pelvis": 25.0,
    "torso": 15.0,
    "upper arm": 4.0,
    "forearm": 4.0,
    "hand": 2.0,
    "thigh": 4.0,
    "shank": 4.0,
    "foot": 0.1,
    "wheel": 1.0,
}
"""[kg] Of each part; an arm weighs 10, a leg 10.1."""
TURNED = (0.3, 0.1)
"""[rad] Yaw and pitch of the torso."""
ARM = (
    "shoulder_pitch",
    "shoulder_roll",
    "shoulder_yaw",
    "elbow",
    "forearm_yaw",
    "wrist_pitch",
    "wrist_yaw",
)
BENT = {
    "initial": {"shoulder_pitch": -0.1, "shoulder_roll": 0.2, "elbow": -0.3},
    "spider": {"shoulder_pitch": -0.5, "shoulder_roll": 0.3, "elbow": -1.2, "wrist_pitch": -0.3},
    "mammal": {"shoulder_pitch": -0.9, "shoulder_roll": 0.2, "elbow": -0.7, "wrist_pitch": -0.3},
}
"""[rad] Of the left arm by posture, its other joints straight; rolls of the right one are mirrored."""
FLOOR_FRICTION = [0.6, 0.005, 1e-4]
"""Coefficients of sliding [1], of turning and of rolling [m]."""
DAMPING = {"torso": 30.0, "arm": 3.0, "leg": 3.0}
"""[N m s/rad] Damping of the joints of a section. With their loads, the springs ring for long."""
GREY = [0.35, 0.36, 0.4, 1]


def sections(wanted: Iterable[str]) -> set[str]:
    """Sections of `wanted` whose ancestors are all wanted too.

    Raises:
        PliantError: there is no such section.
    """
    wanted = set(wanted)
    for name in wanted:
        check_known(name, SECTIONS, "unknown section", "sections")
    kept: set[str] = set()
    for name, parent in SECTIONS.items():
        if name in wanted and (parent is None or parent in kept):
            kept.add(name)
    return kept


def posture(name: str) -> dict[str, float]:
    """Joint angles [rad] of a posture."""
    angles = dict(zip(("torso_yaw", "torso_pitch"), TURNED, strict=True))
    for side, way in (("left", 1.0), ("right", -1.0)):
        angles |= {f"arm_{side}_{joint}": BENT[name].get(joint, 0.0) for joint in ARM}
        angles[f"arm_{side}_shoulder_roll"] *= way
    for leg in CORNERS:
        angles |= {
            f"leg_{leg}_yaw": SPREAD[name] * (1.0 if leg in (1, 4) else -1.0),
            f"leg_{leg}_hip": DOWN[name],
            f"leg_{leg}_knee": 0.5 * pi - DOWN[name],
            f"leg_{leg}_hip_wheel": 0.0,
            f"leg_{leg}_knee_wheel": 0.0,
        }
    return angles


def robot(wanted: Iterable[str], *, grounded: bool, timestep: float) -> mujoco.MjSpec:
    """The robot in its initial height over a floor."""
    kept = sections(wanted)
    if "pelvis" not in kept:
        raise PliantError(
            "the pelvis is missing",
            field="sections",
            accepted="pelvis, and what is attached to it",
        )
    spec = empty(timestep)
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    # MuJoCo's friction creeps: without this pass the feet move outwards by millimetres per second,
    # and the errors of the hips drift with them while the robot should stand still.
    spec.option.noslip_iterations = 5
    world = spec.worldbody
    world.add_light(pos=[1.0, 1.5, 3.0], dir=[-0.3, -0.5, -1.0])
    shape(world, "plane", [4, 4, 0.1], PALE, friction=FLOOR_FRICTION)
    height = SHANK + THIGH * sin(DOWN["initial"]) + FOOT
    height += THIGH if grounded else 0.0  # the legs hang in the air in every posture
    pelvis = world.add_body(name="pelvis", pos=[0.0, 0.0, height])
    if "legs" in kept and not grounded:
        pelvis.add_freejoint(name=FLOATING)
    _box(pelvis, PELVIS, MASSES["pelvis"])
    if "torso" in kept:
        _torso(pelvis, arms="arms" in kept)
    if "legs" in kept:
        for leg, corner in CORNERS.items():
            wheels = [one for one in ("hip", "knee") if kept & {"wheels", f"{one}_wheels"}]
            _leg(pelvis, leg, corner, wheels)
    return spec


def _torso(pelvis: mujoco.MjsBody, *, arms: bool) -> None:
    torso = pelvis.add_body(name="torso", pos=[0.2, 0.0, 0.1])
    _hinge(torso, "torso_yaw", [0, 0, 1])
    _hinge(torso, "torso_pitch", [0, 1, 0])
    _box(torso, TORSO, MASSES["torso"], at=[0.0, 0.0, 0.25])
    if arms:
        for side, way in (("left", 1.0), ("right", -1.0)):
            _arm(torso, side, way)


def _arm(torso: mujoco.MjsBody, side: str, way: float) -> None:
    """Seven joints, hanging at 0."""
    at = f"arm_{side}_"
    upper = torso.add_body(name=at + "upper", pos=[0.0, 0.25 * way, 0.4])
    for joint, axis in (("pitch", [0, 1, 0]), ("roll", [1, 0, 0]), ("yaw", [0, 0, 1])):
        _hinge(upper, f"{at}shoulder_{joint}", axis)
    _rod(upper, UPPER_ARM, MASSES["upper arm"])
    fore = upper.add_body(name=at + "fore", pos=[0.0, 0.0, -UPPER_ARM])
    _hinge(fore, at + "elbow", [0, 1, 0])
    _hinge(fore, at + "forearm_yaw", [0, 0, 1])
    _rod(fore, FOREARM, MASSES["forearm"])
    hand = fore.add_body(name=at + "hand", pos=[0.0, 0.0, -FOREARM])
    _hinge(hand, at + "wrist_pitch", [0, 1, 0])
    _hinge(hand, at + "wrist_yaw", [0, 0, 1])
    _box(hand, PALM, MASSES["hand"], at=[0.0, 0.0, -0.5 * HAND])


def _leg(
    pelvis: mujoco.MjsBody, leg: int, corner: tuple[float, float, float], wheels: list[str]
) -> None:
    """Yaw, hip, knee; at 0 thigh and shank point outwards."""
    x, y, turn = corner
    at = f"leg_{leg}_"
    thigh = pelvis.add_body(
        name=at + "thigh", pos=[x, y, 0.0], quat=[cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)]
    )
    _hinge(thigh, at + "yaw", [0, 0, 1])
    _hinge(thigh, at + "hip", [0, 1, 0])
    _rod(thigh, THIGH, MASSES["thigh"], along=0)
    shank = thigh.add_body(name=at + "shank", pos=[THIGH, 0.0, 0.0])
    _hinge(shank, at + "knee", [0, 1, 0])
    _rod(shank, SHANK, MASSES["shank"], along=0)
    shape(
        shank,
        "sphere",
        [FOOT, 0, 0],
        RED,
        pos=[SHANK, 0, 0],
        mass=MASSES["foot"],
        friction=FLOOR_FRICTION,
    )
    for name, parent in (("hip", thigh), ("knee", shank)):
        if name in wheels:
            wheel = parent.add_body(name=f"{at}{name}_wheel", pos=[0.0, 0.06, 0.0])
            _hinge(wheel, f"{at}{name}_wheel", [0, 1, 0])
            shape(
                wheel,
                "cylinder",
                WHEEL,
                GREY,
                mass=MASSES["wheel"],
                quat=[0.7071067811865476, 0.7071067811865476, 0, 0],
                touches=False,
            )


def _hinge(body: mujoco.MjsBody, name: str, axis: list[int]) -> None:
    hinge(body, name, axis, damping=DAMPING[name.partition("_")[0]])


def _box(
    body: mujoco.MjsBody, half: list[float], mass: float, at: list[float] | None = None
) -> None:
    shape(body, "box", half, BLUE, mass=mass, pos=at or [0.0, 0.0, 0.0], touches=False)


def _rod(body: mujoco.MjsBody, length: float, mass: float, along: int = 2) -> None:
    """A capsule from the joint on, down z or out along x."""
    end = [length, 0.0, 0.0] if along == 0 else [0.0, 0.0, -length]
    shape(body, "capsule", [ROD, 0, 0], GREY, fromto=[0, 0, 0, *end], mass=mass, touches=False)
