"""Models that name their actuators themselves, in MJCF.

    <extension><plugin plugin="pliant.xl330_bam_m6"/></extension>
    <actuator>
      <plugin name="elbow" joint="elbow" plugin="pliant.xl330_bam_m6">
        <config key="control.kp" value="800"/>
      </plugin>
    </actuator>

A key of `<config>` is a parameter, or `actuator`: the TOML file of an actuator that is not in the
catalogue, relative to the model.
"""

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files, find
from pliant.engines.mujoco import moved
from pliant.engines.mujoco.plugin.register import register
from pliant.engines.spec.against import with_warnings
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.formers import Former, delete, former_of, formers_on
from pliant.engines.spec.joints import checked_joints
from pliant.engines.spec.keyframes import Block, Snapshot, restore
from pliant.engines.spec.messages import refusal, unlogged, warn
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, configured, signed
from pliant.engines.spec.placing import taken
from pliant.engines.spec.repairs import checked, repaired, urdf_spec
from pliant.engines.spec.rows import attached, complete
from pliant.engines.spec.slots import ACTUATOR_FORM, FORM
from pliant.errors import PliantError, located
from pliant.files import as_path, readable_form
from pliant.io.actuator_file import load_actuator
from pliant.io.model_xml import model_elements, read_xml
from pliant.io.urdf_xml import parsed


def cleared(
    spec: mujoco.MjSpec, ours: list[mujoco.MjsActuator], *, replace: bool
) -> dict[str, tuple[Former, ...]]:
    """Delete other actuators on the joints of `ours`; return them by joint."""
    numbers = {entry.id for entry in ours}
    found = [
        (entry, other)
        for entry in ours
        for other in formers_on(spec, entry.target)
        if other.id not in numbers
    ]
    if found and not replace:
        raise taken(found[0][0].target, found[0][1])
    records = [(e.target, former_of(spec, other, deleted=True)) for e, other in found]
    for entry, other in found:
        delete(spec, other, entry)
    return {
        entry.target: tuple(former for joint, former in records if joint == entry.target)
        for entry in ours
    }


def keyframes_of(spec: mujoco.MjSpec, ours: list[mujoco.MjsActuator]) -> Snapshot | None:
    """Contents of the keyframes; None where they are written for the completed model already."""
    try:
        return Snapshot.of(spec, [entry.id for entry in ours if not len(entry.userdata)])
    except PliantError:
        return None


def write_keyframes(
    spec: mujoco.MjSpec,
    before: Snapshot | None,
    completed: list[mujoco.MjsActuator],
    formers: dict[str, tuple[Former, ...]],
) -> None:
    """Write the keyframes of a completed spec; state is at rest."""
    if before is None:
        return
    widths = {entry.id: entry.actdim for entry in completed}
    gone = {former.place for those in formers.values() for former in those}
    kept = [k for k in range(len(before.blocks[0])) if k not in gone]

    def new(entry: mujoco.MjsActuator, pose: dict[str, float], old: Block | None) -> Block | None:
        if old is None or entry.id not in widths:
            return old
        return Block(old.commands, np.zeros(widths[entry.id]))

    restore(spec, before, [*kept, *[None] * (len(spec.actuators) - len(kept))], new)


def load_model(
    path: str | Path,
    *,
    replace: bool = False,
    packages: Iterable[str | Path] = (),
    repair: Collection[str] = (),
    keep_armature: bool = False,
) -> tuple[mujoco.MjSpec, Attachment]:
    """Read an MJCF or URDF file and complete the Pliant actuators that it names.

    Args:
        path: of the file.
        replace: delete other actuators of the same joints; their sensors then read Pliant's.
        packages: folders of packages that a URDF names, see `load_urdf`.
        repair: "inertia": replace impossible moments of inertia by the nearest possible ones, and give
            moving bodies without mass a gram; "meshes": leave out meshes and textures that MuJoCo cannot
            read. The notes list each repair.
        keep_armature: as of `pliant.attach`.

    Returns:
        The spec, to be compiled, and what was set for its actuators. A file without any is read
        too.

    Raises:
        PliantError: the file cannot be read, has a document type, names an unknown actuator, gives
            a parameter that does not exist, or is refused by MuJoCo.
    """
    path = as_path(path, "a model file: *.xml, *.urdf")
    with located(path):
        if path.suffix.lower() == ".mjb":
            raise PliantError("is a compiled model", accepted="pliant.load_binary(path)")
        if path.suffix not in (".xml", ".urdf"):  # what MuJoCo tells the language by
            raise PliantError(
                "is not a model",
                field="suffix",
                found=path.suffix,
                accepted=readable_form(path, "*.xml, *.urdf"),
            )
        moved.make_movable()
        known = {name: _registered(name, file) for name, file in _actuator_files(path).items()}
        with unlogged():
            spec, told = _spec(path, packages, checked(repair))
        attachment = _completed(
            spec, known, f"model {path.name}", replace=replace, keep_armature=keep_armature
        )
        return spec, dataclasses.replace(attachment, notes=(*attachment.notes, *told))


def load_measured(path: str | Path, *, replace: bool = False) -> tuple[mujoco.MjSpec, Attachment]:
    """`load_model` for models compared with recordings: a URDF's shapes with missing meshes are left out.

    The URDF states its inertias, so shapes matter only for contacts.
    """
    repair = ["meshes"] if Path(path).suffix == ".urdf" else []
    return load_model(path, replace=replace, repair=repair)


def _spec(
    path: Path, packages: Iterable[str | Path], repair: Collection[str]
) -> tuple[mujoco.MjSpec, list[str]]:
    if read_xml(path).tag == "robot":
        return urdf_spec(parsed(path), path, packages, repair)
    try:
        spec = mujoco.MjSpec.from_file(str(path))
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise refusal(error) from None
    return spec, repaired(spec, repair)


def _completed(
    spec: mujoco.MjSpec,
    known: Mapping[str, Actuator],
    source: str,
    *,
    replace: bool,
    keep_armature: bool = False,
) -> Attachment:
    """Complete the actuators of the plugins `known`; a saved model has their numbers already."""
    ours = [entry for entry in spec.actuators if _instance(spec, entry).plugin_name in known]
    _check(spec, ours)
    before = keyframes_of(spec, ours)
    formers = cleared(spec, ours, replace=replace)
    wanted: list[tuple[mujoco.MjsActuator, Actuator]] = []
    saved: list[tuple[mujoco.MjsActuator, Actuator]] = []
    for entry in ours:
        plugin = _instance(spec, entry)
        actuator = known[plugin.plugin_name]
        if len(entry.userdata):
            actuator = _saved(actuator, entry)
            saved.append((entry, actuator))
        else:
            with located(field=f"actuator {entry.name or entry.target}"):
                _check_slide(spec, entry)
                actuator = _configured(actuator, plugin.config, source)
            wanted.append((entry, actuator))
    for entry, actuator in (*wanted, *saved):
        plugin = _instance(spec, entry)
        plugin.config = {**plugin.config, LAWS: signed(actuator)}
    with unlogged():
        there = attached(spec, saved) if saved else ()
        new = (
            complete(spec, wanted, keep_armature=keep_armature) if wanted else Attachment((), None)
        )
        write_keyframes(spec, before, [entry for entry, _ in wanted], formers)
    joints = [
        dataclasses.replace(entry, formers=formers[entry.joint]) for entry in (*there, *new.joints)
    ]
    attachment = with_warnings(spec, dataclasses.replace(new, joints=tuple(joints)))
    warn(attachment.warnings, stacklevel=4)
    return attachment


def _registered(name: str, file: Path) -> Actuator:
    """The actuator in `file`, compiled and known to MuJoCo as the plugin `name`."""
    with located(field=f"plugin {name}"):
        actuator = load_actuator(file)
    registered = register(actuator).name
    if registered != name:
        raise PliantError(
            "a plugin is not named after its actuator",
            field="plugin",
            found=name,
            accepted=registered,
        )
    return actuator


def _instance(spec: mujoco.MjSpec, entry: mujoco.MjsActuator) -> Any:
    """The plugin instance of an actuator: one with a name, or its own."""
    name = entry.plugin.name
    return next((known for known in spec.plugins if name and known.name == name), entry.plugin)


def _check(spec: mujoco.MjSpec, ours: list[mujoco.MjsActuator]) -> None:
    for entry in ours:
        if entry.trntype != mujoco.mjtTrn.mjTRN_JOINT:
            raise PliantError(
                "acts on no joint",
                field=f"actuator {entry.name}".strip(),
                found=mujoco.mjtTrn(entry.trntype).name.removeprefix("mjTRN_").lower(),
                accepted="joint",
            )
    checked_joints(spec, [entry.target for entry in ours])


def _check_slide(spec: mujoco.MjSpec, entry: mujoco.MjsActuator) -> None:
    """Actuators are rotary, so a slide needs an explicit gear; 1 is MuJoCo's default."""
    slides = spec.joint(entry.target).type == mujoco.mjtJoint.mjJNT_SLIDE
    if slides and float(entry.gear[0]) == 1.0:
        raise PliantError(
            "needs a transmission: the actuator is rotary and the joint slides",
            field=f"joint {entry.target}",
            accepted='gear="G" on the plugin: radians of the actuator for a metre, other than 1',
        )


def _saved(actuator: Actuator, entry: mujoco.MjsActuator) -> Actuator:
    """`actuator` with the parameters that the saved model has."""
    if entry.dynprm[FORM] != ACTUATOR_FORM:
        raise PliantError(
            "has user numbers that Pliant did not write",
            field=f"actuator {entry.name}: user",
            found=list(entry.userdata),
            accepted="none: its parameters are given by <config>",
        )
    values = dict(zip(actuator.fields, (float(x) for x in entry.userdata), strict=False))
    return actuator.with_values(values, "saved model", "convention")


def _configured(actuator: Actuator, config: Mapping[str, str], source: str) -> Actuator:
    """`actuator` with the parameters that the `<config>` of the element or its instance gives."""
    texts = {key: text for key, text in config.items() if key not in (ACTUATOR, LAWS)}
    return configured(actuator, texts, source)


def _actuator_files(path: Path) -> dict[str, Path]:
    """Plugin name to actuator, for every Pliant plugin that the model or a part of it names."""
    named: dict[str, tuple[str, Path]] = {}
    for file, element in model_elements(path):
        plugin = element.get("plugin", "")
        if not plugin.startswith(PREFIX):
            continue
        named.setdefault(plugin, (plugin.removeprefix(PREFIX), file))
        for config in element.iter("config"):
            if config.get("key") == ACTUATOR:
                named[plugin] = config.get("value", ""), file
    found: dict[str, Path] = {}
    for plugin, (name, file) in named.items():
        with located(file, f"plugin {plugin}"):
            found[plugin] = find("actuator", name, actuator_files(), file)
    return found
