"""One model, tried: every hinge gets an actuator, everything moves for two seconds.

1. without actuators: what the model does by itself
2. a servo on every hinge, then a compliant actuator, each with the model's options and with those
   that people train with; actuators that the model has are replaced
3. half-way, the simulation is copied three ways, and original and copies go on
"""

import copy
import pickle
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import mujoco
import numpy as np

import pliant
from pliant.engines.spec.attachment import Attachment

from .packages import ZooModel

SERVO, COMPLIANT = "mx106_bam_m4", "qbmove_maker_pro"
SECONDS = 2.0
STEPS = 2000
"""At most: a model with steps of 0.1 ms gets 0.2 s."""
COPIED = 100
"""Steps that copies go on for."""
POWER = 60.0
"""[W] No motor here gives more: 15 V through 2.2 Ohm is 22 W at half speed; two of 6 N m at 5 rad/s."""
REPAIRS = ("inertia", "meshes")
SIGN = re.compile(
    "moments of inertia|no mass or inertia|left out: a mesh|left out: MuJoCo|shape left out|^texture"
)
FOREBODING = ("timestep", "integrator", "solver", "iterations", "base_collision", "coupled")
"""Kinds of warnings that say why a simulation may run away."""
STATE = mujoco.mjtState.mjSTATE_INTEGRATION
BAD = ("BADQPOS", "BADQVEL", "BADQACC")


@dataclass(frozen=True)
class Options:
    """Options of a simulation; without more than a name the model's own."""

    name: str
    longest: float = 0.0
    """[s] Of the timestep."""
    longer: float = 1.0
    """By how much it may be longer than the model's own."""
    integrator: int = -1
    iterations: int = 0
    ls_iterations: int = 0


TRAINING = (
    Options("as shipped"),
    Options("implicitfast", 0.005, 2.5, mujoco.mjtIntegrator.mjINT_IMPLICITFAST, 10, 20),  # mjlab
    Options("Euler", 0.004, 2.0, mujoco.mjtIntegrator.mjINT_EULER, 5, 8),  # MuJoCo Playground
)


@dataclass
class Run:
    """What one simulation did."""

    actuator: str
    options: str
    refused: str = ""
    finite: bool = True
    bad: int = 0
    """How often MuJoCo found a bad state and began anew."""
    gained: float = 0.0
    """[J] Mechanical energy beyond what it began with, at most."""
    allowed: float = 0.0
    """[J] What the motors can have given, and twice what the model gains without them."""
    difference: float = 0.0
    """Of the copies from the original, in any position."""
    warnings: list[str] = field(default_factory=list)
    """What `attach` told of why it may run away."""
    controls: list[str] = field(default_factory=list)
    """Names in the order of `ctrl`."""
    lost: list[str] = field(default_factory=list)
    """Actuators that are gone without a word."""
    misplaced: list[str] = field(default_factory=list)
    """Joints whose control is not where the documentation says, or "count" where one is too many."""

    @property
    def sound(self) -> bool:
        """Whether it ran as it should."""
        return self.finite and not self.bad and self.gained <= self.allowed


@dataclass
class Record:
    """What came of one model."""

    model: str
    refused: str = ""
    repaired: list[str] = field(default_factory=list)
    """Repairs without which it is refused, as `repair=` was told of them."""
    hinges: int = 0
    others: int = 0
    """Joints of other kinds."""
    had: list[str] = field(default_factory=list)
    """Actuators of the model, in their order."""
    runs: list[Run] = field(default_factory=list)
    unstable: list[str] = field(default_factory=list)
    """Options with which the model diverges by itself, without any actuator."""


def tried(model: ZooModel) -> Record:
    """Try one model."""
    record = Record(str(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what attach warns of is read from what it returns
        try:
            spec, record.repaired = load(model)
            plain = spec.copy().compile()
        except (pliant.PliantError, ValueError) as error:
            record.refused = _line(error)
            return record
        joints = hinges(spec)
        record.hinges, record.others = len(joints), plain.njnt - len(joints)
        record.had = [plain.actuator(k).name for k in range(plain.nu)]
        if not joints:
            record.refused = "has no hinge"
            return record
        for options in TRAINING:
            alone, bad = without_actuators(spec, options)
            if bad:
                record.unstable.append(options.name)
                continue
            for actuator in (SERVO, COMPLIANT):
                record.runs.append(run(spec, joints, actuator, options, alone))
    return record


def load(model: ZooModel) -> tuple[mujoco.MjSpec, list[str]]:
    """The model as a user of Pliant would load it, with the repairs that its refusal offers."""
    read = pliant.load_urdf if model.path.suffix == ".urdf" else pliant.load_model
    try:
        spec = read(model.path)[0]
        spec.copy().compile()
    except (pliant.PliantError, ValueError):
        spec, told = read(model.path, repair=REPAIRS)
        spec.copy().compile()
        repairs = [note for note in told.notes if SIGN.search(note)]
        if not repairs:
            raise
        return spec, repairs
    return spec, []


def hinges(spec: mujoco.MjSpec) -> list[str]:
    """The names of all hinges; those without one get one."""
    found = [j for j in spec.joints if j.type == mujoco.mjtJoint.mjJNT_HINGE]
    for k, joint in enumerate(found):
        joint.name = joint.name or f"hinge_{k}"
    return [joint.name for joint in found]


def prepared(spec: mujoco.MjSpec, options: Options) -> mujoco.MjSpec:
    """A copy with these options, that keeps account of its energy."""
    own = spec.copy()
    own.option.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    if options.longest:
        longer = options.longer * own.option.timestep
        own.option.timestep = max(min(options.longest, longer), own.option.timestep)
        own.option.integrator = options.integrator
        own.option.iterations, own.option.ls_iterations = options.iterations, options.ls_iterations
    return own


def without_actuators(spec: mujoco.MjSpec, options: Options) -> tuple[float, int]:
    """[J] Energy that the model gains by itself: overlapping bodies that push each other apart.

    And how many bad states there were.
    """
    own = prepared(spec, options)
    own.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    model = own.compile()
    data = begun(model)
    gains = [gain for gain, _ in stepped(model, data, [], steps(model))]
    return max(0.0, *gains), bad_states(data)


def begun(model: mujoco.MjModel) -> mujoco.MjData:
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return data


def steps(model: mujoco.MjModel) -> int:
    return min(STEPS, round(SECONDS / model.opt.timestep))


def stepped(
    model: mujoco.MjModel, data: mujoco.MjData, driven: list[int], count: int
) -> Iterator[tuple[float, bool]]:
    """Gain of energy [J] and whether all is finite, after each step; goals swing by 0.2 rad."""
    first = float(data.energy.sum())
    controls = model.actuator_ctrladr[driven]
    centre = model.qpos0[model.jnt_qposadr[model.actuator_trnid[driven, 0]]]
    shift = np.arange(len(driven))
    for _ in range(count):
        data.ctrl[controls] = centre + 0.2 * np.sin(np.pi * data.time + shift)
        mujoco.mj_step(model, data)
        finite = bool(np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all())
        yield float(data.energy.sum()) - first, finite


def run(
    spec: mujoco.MjSpec, joints: list[str], actuator: str, options: Options, alone: float
) -> Run:
    """One simulation with `actuator` on every hinge."""
    done = Run(actuator, options.name)
    own = prepared(spec, options)
    before = [entry.name for entry in own.actuators]
    try:
        attachment = pliant.attach(own, dict.fromkeys(joints, actuator), replace=True)
        model = own.compile()
    except (pliant.PliantError, ValueError) as error:
        done.refused = _line(error)
        return done
    done.controls = [model.actuator(k).name for k in range(model.nu)]
    told = {former.name for entry in attachment.joints for former in entry.formers}
    done.lost = [name for name in before if name not in {*done.controls, *told}]
    done.misplaced = misplaced(attachment, len(before), done.controls)
    done.warnings = [str(one) for one in attachment.warnings if one.kind in FOREBODING]
    done.warnings += [note for note in attachment.notes if "carry each other" in note]
    driven = [model.actuator(attachment[joint].name).id for joint in joints]
    data, half = begun(model), steps(model) // 2
    gains = list(stepped(model, data, driven, half))
    others = copies(model, data)
    gains += list(stepped(model, data, driven, min(COPIED, half)))
    for theirs, twin in others:
        for _ in stepped(theirs, twin, driven, min(COPIED, half)):
            pass
        done.difference = max(done.difference, distance(data, twin))
    gains += list(stepped(model, data, driven, half - min(COPIED, half)))
    done.finite = all(finite for _, finite in gains)
    done.bad = bad_states(data)
    done.gained = max(0.0, *(gain for gain, _ in gains))
    done.allowed = 2.0 * alone + POWER * len(joints) * float(data.time)
    return done


def misplaced(attachment: Attachment, before: int, controls: list[str]) -> list[str]:
    """Joints whose control is elsewhere than in the place of its first former, or behind all others."""
    gone = [f.place for entry in attachment.joints for f in entry.formers if f.deleted]
    last, wrong = before - len(gone), []
    for entry in attachment.joints:
        first = next((f.place for f in entry.formers if not f.deleted), None)
        place = last if first is None else first - sum(place < first for place in gone)
        last += first is None
        if controls[place] != entry.name:
            wrong.append(entry.joint)
    added = sum(name.endswith(".preset") for name in controls)
    return wrong + (["count"] if last + added != len(controls) else [])


def copies(
    model: mujoco.MjModel, data: mujoco.MjData
) -> list[tuple[mujoco.MjModel, mujoco.MjData]]:
    """The data copied, the state in a copied model, and in one that was pickled."""
    state = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    others = [(model, copy.copy(data))]
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        twin = mujoco.MjData(other)
        mujoco.mj_setState(other, twin, state, STATE)
        others.append((other, twin))
    return others


def distance(a: mujoco.MjData, b: mujoco.MjData) -> float:
    """Largest difference of positions; 0 where each bit is the same."""
    same = np.array_equal(a.qpos, b.qpos, equal_nan=True)
    return 0.0 if same else max(float(np.nanmax(np.abs(a.qpos - b.qpos))), 1e-300)


def bad_states(data: mujoco.MjData) -> int:
    kinds = [int(getattr(mujoco.mjtWarning, f"mjWARN_{name}")) for name in BAD]
    return sum(int(data.warning[kind].number) for kind in kinds)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
