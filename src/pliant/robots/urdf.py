"""URDF files made for the Gazebo toolbox of compliant actuators, unchanged.

    spec, info = load_urdf("arm.urdf")
    print(info)                                 what was attached, set and left out
    robot = Robot(spec.compile(), info)

The URDF's damping and friction stay with the joint; its base is fixed to the world, as by the link
`world` that such files have. MuJoCo reads the rest.                compliant_actuators: 3.2

Left out: a base that is free, worlds and sensors of Gazebo, the rate of the published topics.

An actuator's numbers come from its tag, the rest from the toolbox's defaults, which are in the catalogue with
their sources. `maxVel` is a limit only with `enforce_max_vel`; otherwise it has no effect, as in the toolbox, and
neither have `spring_l_0` and `t_sample`.

Left out: an adjuster of AwAS-II with a motor of its own; it follows its reference with a lag.
"""

import dataclasses
from collections.abc import Collection, Iterable
from math import inf, isinf
from pathlib import Path

import mujoco

from pliant.assemble import Actuator, with_law
from pliant.engines.mujoco.attach import attach
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.messages import unlogged, warn
from pliant.engines.spec.names import actuator_named
from pliant.engines.spec.repairs import checked, urdf_spec
from pliant.engines.spec.rows import set_substeps
from pliant.errors import PliantError, check_known, located
from pliant.io.actuator_file import load_actuator
from pliant.io.urdf_tags import JointTags, PluginTags, UrdfFile, read_urdf
from pliant.robots.elastic import elastic_of
from pliant.robots.mode import UNLIMITED, LinkSide, with_mode
from pliant.robots.robot import JointSetting, RobotInfo

_BASES = {
    "sea": "sea_walkman_200",
    "qbmove": "qbmove_advanced_equal",
    "bavs": "bavs",
    "awas_ii": "awas_ii",
}
"""Device to an actuator of the catalogue that has the toolbox's defaults for it."""
_SEA_DEFAULT = 10.0
"""[N m/rad] The toolbox's spring_k (compliant_actuators: 1.1)."""
_LEVER = 0.9
"""Part of the lever that the pivot can use (compliant_actuators: 1.4)."""
_SPRINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "sea": {"spring_k": ("spring.k",), "max_def": ("limit.max_def",)},
    "qbmove": {
        "spring_k1": ("spring_1.k",),
        "spring_a1": ("spring_1.a",),
        "spring_k2": ("spring_2.k",),
        "spring_a2": ("spring_2.a",),
        "max_def": ("limit_1.max_def", "limit_2.max_def"),
    },
    "bavs": {
        "spring_a": ("spring_1.a", "spring_2.b"),
        "spring_b": ("spring_1.b", "spring_2.a"),
        "spring_k": ("spring_1.k", "spring_2.k"),
        "spring_k_e": ("spring_1.k_e", "spring_2.k_e"),
        "max_def": ("limit_1.max_def", "limit_2.max_def"),
    },
    "awas_ii": {
        "spring_Ks": ("spring.K_s",),
        "spring_L": ("spring.arm",),
        "spring_r_t": ("spring.r_t",),
        "max_def": ("limit.max_def",),
    },
}
"""Tag to parameters. The springs of BAVS mirror each other."""
_MOTOR = {
    "J": "rotor{}.J",
    "D": "rotor{}.D",
    "tauMax": "control{}.limit",
    "minPos": "rotor{}.low",
    "maxPos": "rotor{}.high",
    "tauFric": "friction{}.tau_f",
}
MAX_SPEED = 6.0
"""[rad/s] The toolbox's maxVel (compliant_actuators: 2.1)."""
_GAINS = {"P": "k_p", "I": "k_i", "D": "k_d"}
_LAWS = {"hardstop": "hard_stop", "hayward": "hayward_armstrong"}
"""Choice of a tag to the law's name, where it is another."""
STICK = 0.5
"""Stick zone of the friction model "hayward"; no source gives its size."""
STOP = 10.0
"""Stiffness of a hard stop over the spring's at its limit (compliant_actuators: 0.2)."""


def actuator_of(tags: PluginTags, joint: JointTags, file: Path) -> Actuator:
    """The actuator of one plugin, in its operation mode.

    Args:
        tags: what the plugin says. joint: what the URDF says of its joint.
        file: the URDF, the source of the numbers.

    Raises:
        PliantError: a number is outside the range of its law; the message names the tag.
    """
    with located(file):
        if tags.mode <= 1:
            return with_mode(_named(tags, file), tags.mode, _link(tags, joint))
        actuator = _with_friction(_named(tags, file), tags)
        source = f"URDF {file.name}"
        actuator = actuator.with_values(_values(actuator, tags), source, "assumed")
        return with_mode(_with_limit(actuator, tags, source), tags.mode)


def _named(tags: PluginTags, file: Path) -> Actuator:
    base = load_actuator(_BASES[tags.device])
    if tags.device == "sea":
        toolbox = "toolbox's released code, default (compliant_actuators: 1.1)"
        base = base.with_values({"spring.k": _SEA_DEFAULT}, toolbox, "datasheet")
    return dataclasses.replace(
        base, name=f"{tags.device}_urdf", title=f"{tags.device} of {file.name}", device=tags.device
    )


def _motors(tags: PluginTags) -> list[str]:
    return ["_1", "_2"] if tags.device in ("qbmove", "bavs") else [""]


def _port(tags: PluginTags, motor: str) -> str:
    """Suffix of the ports of a motor that the tags call "", "_1" or "_2"."""
    return "_1" if tags.device == "awas_ii" else motor


def _values(actuator: Actuator, tags: PluginTags) -> dict[str, float]:
    """Parameter to number, for every tag that is there."""
    meant: dict[str, tuple[str, ...]] = dict(_SPRINGS[tags.device])
    for m in _motors(tags):
        n = _port(tags, m)
        meant |= {f"mot{m}_{tag}": (name.format(n),) for tag, name in _MOTOR.items()}
        meant |= {f"ctrl{m}_{tag}": (f"control{n}.{name}",) for tag, name in _GAINS.items()}
    values: dict[str, float] = {}
    for tag, names in meant.items():
        for name in names:
            if tag in tags.numbers and name in actuator.fields:
                values[name] = _checked(actuator, name, tags, tag)
    if tags.flag("enforce_max_vel"):
        for m in _motors(tags):
            name, tag = f"rotor{_port(tags, m)}.max_speed", f"mot{m}_maxVel"
            values[name] = _checked(actuator, name, tags, tag, MAX_SPEED)
    if tags.device == "awas_ii":
        arm = values.get("spring.arm", actuator.value("spring.arm"))
        values |= {"own.softest": 0.0, "own.stiffest": _LEVER * arm}
    return values


def _checked(
    actuator: Actuator, name: str, tags: PluginTags, tag: str, default: float = 0.0
) -> float:
    """The number of a tag, within the range of its law; infinity is the end of that range."""
    field, value = actuator.fields[name], tags.numbers.get(tag, default)
    if isinf(value):
        value = field.low if value < 0.0 else field.high
    if not field.low <= value <= field.high:
        raise PliantError(
            "outside the range of its law",
            field=f"{tags.field}: {tag}",
            found=value,
            accepted=f"{field.low} to {field.high} {field.unit}",
        )
    return value


def _with_friction(actuator: Actuator, tags: PluginTags) -> Actuator:
    """The friction of each motor; one of zero is no friction."""
    for m in _motors(tags):
        port = f"friction{_port(tags, m)}"
        model = tags.words.get("friction_model", "elastoplastic")
        if tags.numbers.get(f"mot{m}_tauFric") == 0.0:
            model = "none"
        actuator = with_law(actuator, port, _LAWS.get(model, model))
        if model == "hayward":
            actuator = actuator.with_values({f"{port}.z_stick": STICK}, "no source", "assumed")
    return actuator


def _with_limit(actuator: Actuator, tags: PluginTags, source: str) -> Actuator:
    mode = tags.words.get("limit_mode", "saturate")
    stops = {
        port: STOP * _stiffest(actuator, port) for port in actuator.laws if port.startswith("limit")
    }
    for port, k in stops.items():
        actuator = with_law(actuator, port, _LAWS.get(mode, mode))
        if mode == "hardstop":
            actuator = actuator.with_values(
                {f"{port}.k": k}, f"{source}, ten times the spring's", "assumed"
            )
    return actuator


def _stiffest(actuator: Actuator, port: str) -> float:
    """[N m/rad] Of the spring behind this limit, at the limit."""
    elastic, number = elastic_of(actuator), port.removeprefix("limit")
    far = actuator.value(f"{port}.max_def")
    ends = elastic.adjuster()
    if ends is not None:
        return elastic.sigma(far, 0.0, ends[1])
    if not number:
        return elastic.sigma(far, 0.0)
    # Beyond its own limit the other spring adds nothing.
    other = far - 2.0 * max(elastic.ranges()) - 1.0
    return elastic.sigma(far, *((0.0, other) if number == "_1" else (other, 0.0)))


def _link(tags: PluginTags, joint: JointTags) -> LinkSide:
    """Limits and control of the link, for modes 0 and 1: the control tags then belong to it."""
    first = "" if tags.device in ("sea", "awas_ii") else "_1"
    gains = {
        name: tags.numbers[f"ctrl{first}_{tag}"]
        for tag, name in _GAINS.items()
        if f"ctrl{first}_{tag}" in tags.numbers
    }
    effort = UNLIMITED if joint.effort in (0.0, inf) else joint.effort
    if effort > UNLIMITED or min(gains.values(), default=0.0) < 0.0:
        raise PliantError(
            "outside the range of its law",
            field=tags.field,
            found=max(effort, -min(gains.values(), default=0.0)),
            accepted=f"effort up to {UNLIMITED:g} N m, gains from 0",
        )
    return LinkSide(effort=effort, damping=joint.damping, friction=joint.friction, **gains)


_IDLE = {"spring_l_0": "the toolbox reads it and never uses it", "t_sample": "the step is MuJoCo's"}
_IDLE_MOTOR = "the toolbox never enforces it; enforce_max_vel does"
GAZEBO_STEP = 1e-3
"""[s]"""


def load_urdf(
    path: str | Path,
    *,
    timestep: float | None = None,
    strict: bool = False,
    packages: Iterable[str | Path] = (),
    repair: Collection[str] = (),
) -> tuple[mujoco.MjSpec, RobotInfo]:
    """Load a URDF, with the actuators that its plugin tags name.

    Args:
        path: the file. timestep: [s]; without it the file's own, or Gazebo's 1 ms.
        strict: refuse a file if any of it would be left out or read as something else.
        packages: folders of packages that the file names (`package://`); then folders above it,
            ROS_PACKAGE_PATH, AMENT_PREFIX_PATH and installed packages are searched.
        repair: "inertia": replace impossible moments of inertia by the nearest possible ones;
            "meshes": leave out shapes whose mesh MuJoCo cannot read. The notes list each repair.

    Returns:
        The spec, to be compiled, and what was set.

    Raises:
        PliantError: the URDF or a tag is refused, or the step is too large for a spring.
    """
    urdf = read_urdf(path)
    wanted = checked(repair)
    with located(urdf.path), unlogged():
        spec, told = urdf_spec(urdf.root, urdf.path, packages, wanted)
        _check_plugins(spec, urdf)
        spec.option.timestep = timestep or urdf.timestep or GAZEBO_STEP
        settings = {tags.joint: _setting(tags) for tags in urdf.plugins}
        actuators = {
            tags.joint: actuator_of(tags, urdf.joints[tags.joint], urdf.path)
            for tags in urdf.plugins
        }
        attachment = _attached(spec, actuators, urdf.plugins)
        notes = (*urdf.notes, *_notes(urdf.plugins), *told)
        if strict and notes:
            raise PliantError(notes[0], accepted="a file without it, or strict=False")
    warn(attachment.warnings)
    return spec, RobotInfo(attachment=attachment, settings=settings, notes=notes)


def _check_plugins(spec: mujoco.MjSpec, urdf: UrdfFile) -> None:
    """Refuse a plugin on a joint that does not move."""
    names = [joint.name for joint in spec.joints]
    for tags in urdf.plugins:
        check_known(tags.joint, names, "the joint does not move", field=tags.field)


def _attached(
    spec: mujoco.MjSpec, actuators: dict[str, Actuator], plugins: Iterable[PluginTags]
) -> Attachment:
    """`attach`, with as many sub-steps as a tag asks for, or more where they are needed."""
    attachment = attach(spec, actuators)
    wanted = {tags.joint: tags.numbers.get("substeps", 0.0) for tags in plugins}
    entries = list(attachment.joints)
    for k, entry in enumerate(entries):
        count = int(wanted[entry.joint])
        if count > entry.steps.substeps:
            added = actuator_named(spec, entry.name)
            set_substeps(added, count)
            entries[k] = dataclasses.replace(
                entry, steps=dataclasses.replace(entry.steps, substeps=count)
            )
    return dataclasses.replace(attachment, joints=tuple(entries))


def _setting(tags: PluginTags) -> JointSetting:
    sign = tags.numbers.get("ext_tau_sign", 1.0)
    if sign not in (1.0, -1.0):
        raise PliantError(
            "is not a sign",
            field=f"{tags.field}: ext_tau_sign",
            found=sign,
            accepted="1, -1",
        )
    substeps = tags.numbers.get("substeps", 1.0)
    if substeps != int(substeps) or not 1 <= substeps < inf:
        raise PliantError(
            "is not a number of sub-steps",
            field=f"{tags.field}: substeps",
            found=substeps,
            accepted="1, 2, 3, ...",
        )
    return JointSetting(
        mode=tags.mode, ext_tau_sign=sign, takes_external_torque=tags.takes_external_torque
    )


def _notes(plugins: Iterable[PluginTags]) -> list[str]:
    notes: list[str] = []
    for tags in plugins:
        for tag in tags.numbers:
            why = _IDLE.get(tag)
            if tag.endswith("maxVel") and not tags.flag("enforce_max_vel"):
                why = _IDLE_MOTOR
            if why is not None:
                notes.append(f"{tags.joint}: {tag} changes nothing: {why}")
    return notes
