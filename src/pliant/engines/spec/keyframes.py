"""Commands and activations of a model's keyframes, kept while its actuators change.

MuJoCo wants as many numbers in each as the model has controls and activations, in their order.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.formers import make_fresh
from pliant.engines.spec.joints import compiled_copy

_NATIVE: Any = mujoco
"""Its type stubs lack some of it."""


@dataclass(frozen=True)
class Block:
    """The numbers of one actuator in one keyframe.

    Attributes:
        length: of what it acts on, times its gear, in the keyframe's pose; rest: in the reference pose.
        said: whether the keyframe gives commands.
    """

    commands: Floats
    activations: Floats
    length: float = 0.0
    rest: float = 0.0
    said: bool = True


@dataclass(frozen=True)
class Snapshot:
    """The keyframes of a spec, actuator by actuator, and the poses that they hold.

    Attributes:
        blocks: key to the block of each actuator, in their order.
        joints: key to joint to position, of hinges and slides.
    """

    blocks: tuple[tuple[Block, ...], ...]
    joints: tuple[dict[str, float], ...]

    @classmethod
    def of(cls, spec: mujoco.MjSpec, incomplete: Collection[int] = ()) -> "Snapshot | None":
        """None where there is no keyframe, so that there is nothing to keep."""
        if not len(spec.keys):
            return None
        said = [bool(len(key.ctrl)) for key in spec.keys]
        copy = spec.copy()
        for k in incomplete:  # a plugin without numbers cannot be compiled
            copy.actuators[k].plugin.active = False
            make_fresh(copy.actuators[k])
        model = compiled_copy(copy, keyframes=True)
        keys = range(model.nkey)
        return cls(
            tuple(tuple(_blocks(model, k, said=said[k])) for k in keys),
            tuple(_pose(model, k) for k in keys),
        )


def restore(
    spec: mujoco.MjSpec,
    before: Snapshot,
    former: Iterable[int | None],
    new: Callable[[mujoco.MjsActuator, dict[str, float], Block | None], Block | None],
) -> None:
    """Write the keyframes of a spec whose actuators have changed.

    Args:
        spec: with its actuators of now. before: what its keyframes said.
        former: for each actuator of now, its number before, or None.
        new: actuator, pose of the keyframe and old block to its block; None: as it was.
    """
    numbers = list(former)
    for key, blocks, pose in zip(spec.keys, before.blocks, before.joints, strict=True):
        rows: list[Block] = []
        for entry, number in zip(spec.actuators, numbers, strict=True):
            old = None if number is None else blocks[number]
            rows.append(new(entry, pose, old) or old or Block(np.zeros(1), np.zeros(0)))
        if rows:
            key.ctrl = np.concatenate([row.commands for row in rows])
        if len(key.act):
            key.act = np.concatenate([row.activations for row in rows])


def _blocks(model: mujoco.MjModel, key: int, *, said: bool) -> Iterable[Block]:
    m: Any = model  # its type stubs lack some of it
    lengths = _lengths(model, key)
    for k in range(m.nactuator):
        first, begin = int(m.actuator_ctrladr[k]), int(model.actuator_actadr[k])
        end = begin + int(model.actuator_actnum[k])
        yield Block(
            model.key_ctrl[key, first : first + int(m.actuator_ctrlnum[k])].copy(),
            model.key_act[key, begin:end].copy() if begin >= 0 else np.zeros(0),
            float(lengths[m.actuator_outadr[k]]),
            float(model.actuator_length0[m.actuator_outadr[k]]),
            said,
        )


def _lengths(model: mujoco.MjModel, key: int) -> Floats:
    """(nout,) Of what the actuators act on, times their gears; 0 where that is joints alone."""
    m: Any = model
    if (m.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)).all():
        return np.zeros(len(m.actuator_length0))
    data: Any = mujoco.MjData(model)
    _NATIVE.mj_resetDataKeyframe(model, data, key)
    _NATIVE.mj_fwdPosition(model, data)
    return np.array(data.actuator_length)


def _pose(model: mujoco.MjModel, key: int) -> dict[str, float]:
    simple = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
    return {
        model.joint(j).name: float(model.key_qpos[key, model.jnt_qposadr[j]])
        for j in range(model.njnt)
        if int(model.jnt_type[j]) in simple
    }
