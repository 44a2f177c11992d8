"""A toy actuator on the native layer: linear torque, budget c0 + c1 |v|, a reaction memory.

`actuator_user`: torque per control, c0, c1, slip (0: leave the row as it was compiled).
`act` (where there is one): [number of steps, reaction of the last step].
"""

from pathlib import Path

from pliant.arrays import Int32
from pliant.engines.mujoco.native.friction_rows import (
    NO_ROW,
    friction_row,
    hold,
    reaction,
    set_budget,
)
from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers
from pliant.engines.mujoco.plugin import table as plugin
from pliant.engines.mujoco.plugin.layout import types_of
from pliant.lower.kernel import compiled

NAME = "pliant.tests.toy"


def nstate(model: MjModel, instance: Int32) -> Int32:
    return 0


def reset(model: MjModel, state: Numbers, data: MjData, instance: Int32) -> None:
    return


def init(model: MjModel, data: MjData, instance: Int32) -> Int32:
    return 0


def has_state(model, actuator, instance):
    mine = model.actuator_plugin[actuator] == instance
    return mine and model.actuator_actadr[actuator] >= 0


def compute(model: MjModel, data: MjData, instance: Int32, capability: Int32) -> None:
    guess = 0
    for i in range(model.nactuator):
        if model.actuator_plugin[i] != instance:
            continue
        dof = model.jnt_dofadr[model.actuator_trnid[i, 0]]
        user = model.actuator_user[i * model.nuser_actuator :]
        gain, constant, viscous, slip = user[0], user[1], user[2], user[3]
        torque = gain * data.ctrl[model.actuator_ctrladr[i]]
        data.actuator_force[model.actuator_outadr[i]] = torque
        row = friction_row(data, dof, guess)
        if row != NO_ROW:
            guess = row + 1
            set_budget(data, row, constant + viscous * abs(data.qvel[dof]))
            if slip > 0.0:
                hold(model, data, row, slip)
        if has_state(model, i, instance):
            data.act_dot[model.actuator_actadr[i]] = 1.0 / model.opt.timestep


def advance(model: MjModel, data: MjData, instance: Int32) -> None:
    for i in range(model.nactuator):
        if has_state(model, i, instance):
            dof = model.jnt_dofadr[model.actuator_trnid[i, 0]]
            row = friction_row(data, dof, 0)
            data.act[model.actuator_actadr[i] + 1] = reaction(data, dof, row)


HERE = Path(__file__)
CODE = compiled(HERE, plugin.CALLBACKS, types=types_of(HERE))


def register() -> int:
    return plugin.register(NAME, CODE.addresses, attributes=["note"], keep_alive=[CODE])


def mjcf(body: str, actuators: str, *, option: str = "", tail: str = "") -> str:
    """A model whose actuators may name the instance `toy`."""
    return f"""<mujoco><option {option} />
    <extension><plugin plugin="{NAME}"><instance name="toy"/></plugin></extension>
    <worldbody>{body}</worldbody><actuator>{actuators}</actuator>{tail}</mujoco>"""


def actuator(joint: str, user: str, extra: str = "") -> str:
    return f'<plugin joint="{joint}" plugin="{NAME}" instance="toy" user="{user}" {extra}/>'
