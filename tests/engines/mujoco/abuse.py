"""Abuses of a model with native actuators; each runs in a process of its own.

python abuse.py NAME ...     forks for each name, and prints JSON: name to what came of it

A case returns what to look at; a refusal is the text of MuJoCo's error. A process that crashed or
hung has a status instead.
"""

import copy
import json
import os
import sys
from collections.abc import Callable

import mujoco
import numpy as np

import pliant
from pliant.engines.spec.slots import FORM, GRIP, MOBILITY, SUBSTEPS

CASES: dict[str, Callable[[], object]] = {}
BODY = (
    '<body><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2" contype="0" conaffinity="0" '
    'mass=".1"/><body pos="0 0 -.2"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".02" '
    'fromto="0 0 0 0 0 -.2" contype="0" conaffinity="0" mass=".1"/></body></body>'
)
ARM = f"<mujoco><worldbody>{BODY}</worldbody></mujoco>"
TWO = {"a": "qbmove_maker_pro", "b": "xl330_bam_m6"}
SECONDS = 20


def case(function: Callable[[], object]) -> Callable[[], object]:
    CASES[function.__name__] = function
    return function


def arm(actuators: dict[str, str] | None = None) -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_string(ARM)
    pliant.attach(spec, actuators or TWO)
    return spec


def run(model, data=None, control=0.3, steps=200) -> list[float]:
    data = mujoco.MjData(model) if data is None else data
    data.ctrl[:] = control
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return data.qpos.tolist()


def warned(model, data) -> dict[str, object]:
    """Steps, and whether MuJoCo warned of a bad acceleration and all is finite."""
    run(model, data, steps=3)
    number = data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number
    return {"warned": number > 0, "act finite": bool(np.isfinite(data.act).all())}


# --- before compiling ---------------------------------------------------------------------


def compiled_after(change: Callable[[mujoco.MjSpec], object]) -> list[float]:
    spec = arm()
    change(spec)
    return run(spec.compile())


def retarget(spec, kind, name) -> None:
    tendon = spec.add_tendon(name="t")
    tendon.wrap_joint("a", 1.0)
    tendon.wrap_joint("b", 1.0)
    spec.bodies[-1].name = "hand"
    spec.bodies[-1].add_site(name="tip")
    spec.actuator("b").trntype, spec.actuator("b").target = kind, name


def same_instance(spec) -> None:
    spec.worldbody.add_body().add_joint(name="c")
    spec.bodies[-1].add_geom(size=[0.1, 0, 0])
    spec.add_actuator(name="mine", target="c", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    mine, theirs = spec.actuator("mine").plugin, spec.actuator("b").plugin
    mine.name, mine.plugin_name, mine.active = theirs.name, theirs.plugin_name, True


SPECS: dict[str, Callable[[mujoco.MjSpec], object]] = {
    "second command deleted": lambda s: s.delete(s.actuator("a.preset")),
    "on a tendon": lambda s: retarget(s, mujoco.mjtTrn.mjTRN_TENDON, "t"),
    "on a body": lambda s: retarget(s, mujoco.mjtTrn.mjTRN_BODY, "hand"),
    "on a site": lambda s: retarget(s, mujoco.mjtTrn.mjTRN_SITE, "tip"),
    "on a ball": lambda s: setattr(s.joint("b"), "type", mujoco.mjtJoint.mjJNT_BALL),
    "another actuator of its instance": same_instance,
    "parameters cut": lambda s: [setattr(a, "userdata", np.zeros(3)) for a in s.actuators],
    "state cut": lambda s: setattr(s.actuator("a"), "actdim", 1),
    "integrated by MuJoCo": lambda s: setattr(
        s.actuator("a"), "dyntype", mujoco.mjtDyn.mjDYN_INTEGRATOR
    ),
    "laws forged": lambda s: setattr(s.plugins[0], "config", {"laws": "pliant:" + "0" * 15}),
    "laws left out": lambda s: setattr(s.plugins[0], "config", {}),
    "laws of some text": lambda s: setattr(s.plugins[0], "config", {"laws": "pliant:\xff" * 40}),
}
CASES |= {name: lambda change=change: compiled_after(change) for name, change in SPECS.items()}


# --- between compiling and MjData, and after it ---------------------------------------------


def written(field: str, place: object, value: float) -> Callable[[mujoco.MjModel], None]:
    def write(model: mujoco.MjModel) -> None:
        getattr(model, field)[place] = value

    return write


MODELS: dict[str, Callable[[mujoco.MjModel], None]] = {
    "a parameter is nan": written("actuator_user", (0, 3), np.nan),
    "a parameter is inf": written("actuator_user", (0, 3), np.inf),
    "sub-steps are nan": written("actuator_dynprm", (0, SUBSTEPS), np.nan),
    "sub-steps are none": written("actuator_dynprm", (0, SUBSTEPS), 0.0),
    "sub-steps are 101": written("actuator_dynprm", (0, SUBSTEPS), 101.0),
    "sub-steps are huge": written("actuator_dynprm", (0, SUBSTEPS), 1e18),
    "grip is 0": written("actuator_dynprm", (1, GRIP), 0.0),
    "mobility is infinite": written("actuator_dynprm", (0, MOBILITY), -np.inf),
    "dynprm is all zero": written("actuator_dynprm", slice(None), 0.0),
    "joint is -1": written("actuator_trnid", (0, 0), -1),
    "joint is a million": written("actuator_trnid", (0, 0), 10**6),
    "transmission is a tendon": written("actuator_trntype", 0, 3),
    "dyntype is integrator": written("actuator_dyntype", 0, int(mujoco.mjtDyn.mjDYN_INTEGRATOR)),
    "act begins at a million": written("actuator_actadr", 0, 10**6),
    "act begins at -5": written("actuator_actadr", 0, -5),
    "act is narrow": written("actuator_actnum", 0, 1),
}


def refused_by_data(change) -> object:
    model = arm().compile()
    change(model)
    return run(model, steps=1)


def disturbed(change) -> object:
    model = arm().compile()
    data = mujoco.MjData(model)
    change(model)
    return warned(model, data)


for _name, _change in MODELS.items():
    CASES[f"before data: {_name}"] = lambda change=_change: refused_by_data(change)
    if not _name.startswith(("act", "joint")):  # MuJoCo itself would read there
        CASES[f"after data: {_name}"] = lambda change=_change: disturbed(change)


@case
def history_moved_away() -> object:
    spec = mujoco.MjSpec.from_string(ARM)
    late = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    pliant.attach(spec, {"b": late.with_values({"timing.delay": 0.01}, "test", "assumed")})
    model = spec.compile()
    model.actuator_history[0, 0] = 10**6
    return mujoco.MjData(model) and None


@case
def form_forgotten() -> object:
    model = arm().compile()
    model.actuator_dynprm[0, FORM] = 1.0
    return run(model, steps=1)


def act_of(value: float) -> object:
    model = arm().compile()
    data = mujoco.MjData(model)
    run(model, data, steps=5)
    data.act[3] = value
    return warned(model, data)


for _value in ("nan", "inf", "-inf", "1e300"):
    CASES[f"act {_value}"] = lambda value=_value: act_of(float(value))


@case
def timestep_nan() -> object:
    model = arm().compile()
    data = mujoco.MjData(model)
    model.opt.timestep = np.nan
    return warned(model, data)


# --- data of another model -----------------------------------------------------------------

PID = """<mujoco><extension><plugin plugin="mujoco.pid"><instance name="p"><config key="kp" value="1"/>
</instance></plugin></extension><worldbody>{body}</worldbody>
<actuator><plugin joint="a" plugin="mujoco.pid" instance="p"/></actuator></mujoco>"""
WRITTEN = """<mujoco><extension><plugin plugin="pliant.{name}"/></extension><worldbody>{body}</worldbody>
<actuator><plugin name="{joint}" joint="{joint}" plugin="pliant.{name}"/></actuator></mujoco>"""


def written_model(name: str = "xl330_bam_m6", joint: str = "b") -> mujoco.MjModel:
    arm({joint: name})  # it is known by its name from then on
    text = WRITTEN.format(name=name, joint=joint, body=BODY)
    return mujoco.MjModel.from_xml_string(text)


OTHERS: dict[str, Callable[[], mujoco.MjModel]] = {
    "of fewer actuators": lambda: arm({"a": "qbmove_maker_pro"}).compile(),
    "of more actuators": lambda: two_arms().compile(),
    "of the same on other joints": lambda: arm({"b": TWO["a"], "a": TWO["b"]}).compile(),
    "of other laws": lambda: arm(TWO | {"b": "xl330_bam_m5"}).compile(),
    "of another's plugin": lambda: mujoco.MjModel.from_xml_string(PID.format(body=BODY)),
    "of one that MuJoCo read": written_model,
}


def two_arms() -> mujoco.MjSpec:
    parent = mujoco.MjSpec()
    for prefix in ("l_", "r_"):
        parent.attach(arm(), frame=parent.worldbody.add_frame(), prefix=prefix)
    return parent


def stepped_with(model: mujoco.MjModel, other: mujoco.MjModel) -> object:
    """What MuJoCo says; then how the data's own model goes on."""
    data = mujoco.MjData(other)
    run(other, data, steps=3)
    try:
        mujoco.mj_step(model, data)
    except mujoco.FatalError as error:
        mujoco.mj_resetData(other, data)
        return [str(error), run(other, data) == run(other)]
    return "stepped"


for _name, _other in OTHERS.items():
    CASES[f"data {_name}"] = lambda other=_other: stepped_with(arm().compile(), other())
CASES["data of one completed, where MuJoCo read"] = lambda: stepped_with(
    written_model(), arm({"b": "xl330_bam_m6"}).compile()
)
CASES["data of one that MuJoCo read on another joint"] = lambda: stepped_with(
    written_model(), written_model(joint="a")
)


@case
def data_of_models_that_differ_in_numbers() -> object:
    """Copies, the same compiled again, other numbers of the same laws, and copied data go on."""
    model = arm().compile()
    again, other = arm().compile(), copy.copy(model)
    other.actuator_user[0] *= 1.1
    data = mujoco.MjData(model)
    run(model, data)
    second = mujoco.MjData(again)
    mujoco.mj_copyData(second, again, data)
    return [
        run(copy.copy(model), copy.copy(data)),
        run(again, second),
        run(model, data),
        run(other, data)[0],
    ]


# --- what people do ------------------------------------------------------------------------


@case
def whole_row_scaled() -> object:
    """The second command is found, and nothing but parameters was scaled."""
    model = arm().compile()
    before = model.actuator_dynprm.copy()
    model.actuator_user[:] *= 1.1
    data = mujoco.MjData(model)
    run(model, data)
    free = data.qpos.copy()
    mujoco.mj_resetData(model, data)
    data.ctrl[model.actuator("a.preset").id] = 0.4
    for _ in range(200):
        mujoco.mj_step(model, data)
    return [
        bool((before == model.actuator_dynprm).all()),
        bool(np.isfinite([free, data.qpos]).all()),
    ]


@case
def rows_drawn_at_random() -> object:
    model = arm().compile()
    data = mujoco.MjData(model)
    base, rng = model.actuator_user.copy(), np.random.default_rng(0)
    for _ in range(100):
        model.actuator_user[:] = base * rng.uniform(-3, 3, base.shape) * 10.0 ** rng.integers(0, 9)
        mujoco.mj_resetData(model, data)
        run(model, data, steps=20)
    model.actuator_user[:] = base
    mujoco.mj_resetData(model, data)
    return run(model, data)


@case
def first_of_two_deleted() -> object:
    spec = arm({"a": "qbmove_maker_pro", "b": "qbmove_maker_pro"})
    spec.delete(spec.actuator("b"))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[model.actuator("b.preset").id] = 5.0  # the command of a joint without an actuator
    data.ctrl[model.actuator("a").id] = 0.3
    for _ in range(200):
        mujoco.mj_step(model, data)
    return data.qpos.tolist()


@case
def only_the_first_attached() -> object:
    model = arm({"a": "qbmove_maker_pro"}).compile()
    data = mujoco.MjData(model)
    data.ctrl[model.actuator("a").id] = 0.3
    return run(model, data, control=data.ctrl.copy())


@case
def plain() -> object:
    return run(arm().compile())


@case
def two_children_with_prefixes() -> object:
    return run(two_arms().compile())


@case
def forked() -> object:
    model = arm().compile()
    read, write = os.pipe()
    child = os.fork()
    found = run(model)
    if child == 0:
        os.write(write, json.dumps(found).encode())
        os._exit(0)
    os.waitpid(child, 0)
    return [found, json.loads(os.read(read, 10**6))]


def outcome(name: str) -> object:
    try:
        return CASES[name]()
    except (ValueError, mujoco.FatalError) as error:
        return str(error)


def forked_outcome(name: str) -> object:
    """Result of a case in a child process, or its status: a signal, or a timeout."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        import signal

        signal.alarm(SECONDS)
        os.write(write, json.dumps(outcome(name), default=str).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if status == 0 else {"status": status}


if __name__ == "__main__":
    arm()
    print(json.dumps({name: forked_outcome(name) for name in sys.argv[1:] or CASES}))
