"""A toy actuator on the native layer: linear torque, budget c0 + c1 |v|, a reaction memory.

`actuator_user`: torque per control, c0, c1, slip (0: leave the row as it was compiled).
`act` (where there is one): [number of steps, reaction of the last step].
"""

from numba import cfunc

from pliant.engines.mujoco.native.friction_rows import NO_ROW, friction_row, hold, set_budget
from pliant.engines.mujoco.native.load_torque import reaction
from pliant.engines.mujoco.native.memory import (
    inlined,
    integer_at,
    number,
    number_at,
    numbers,
    pointer,
    set_number_at,
    size,
)
from pliant.engines.mujoco.plugin import table as plugin
from pliant.engines.mujoco.plugin.fields import DATA, MODEL

NAME = "pliant.tests.toy"


@inlined
def has_state(model, actuator, instance):
    mine = integer_at(pointer(model, MODEL.actuator_plugin), actuator) == instance
    return mine and integer_at(pointer(model, MODEL.actuator_actadr), actuator) >= 0


@cfunc(plugin.COMPUTE, error_model="numpy")
def compute(model, data, instance, capability):
    guess = 0
    for i in range(size(model, MODEL.nactuator)):
        if integer_at(pointer(model, MODEL.actuator_plugin), i) != instance:
            continue
        joint = integer_at(pointer(model, MODEL.actuator_trnid), 2 * i)
        dof = integer_at(pointer(model, MODEL.jnt_dofadr), joint)
        parameters = pointer(model, MODEL.actuator_user) + 8 * i * size(model, MODEL.nuser_actuator)
        gain, constant, viscous, slip = numbers(parameters, 4)
        control = integer_at(pointer(model, MODEL.actuator_ctrladr), i)
        output = integer_at(pointer(model, MODEL.actuator_outadr), i)
        torque = gain * number_at(pointer(data, DATA.ctrl), control)
        set_number_at(pointer(data, DATA.actuator_force), output, torque)
        velocity = number_at(pointer(data, DATA.qvel), dof)
        row = friction_row(data, dof, guess)
        if row != NO_ROW:
            guess = row + 1
            set_budget(data, row, constant + viscous * abs(velocity))
            if slip > 0.0:
                hold(model, data, row, slip)
        if has_state(model, i, instance):
            act = integer_at(pointer(model, MODEL.actuator_actadr), i)
            rate = 1.0 / number(model, MODEL.opt_timestep)
            set_number_at(pointer(data, DATA.act_dot), act, rate)


@cfunc(plugin.ADVANCE, error_model="numpy")
def advance(model, data, instance):
    for i in range(size(model, MODEL.nactuator)):
        if has_state(model, i, instance):
            joint = integer_at(pointer(model, MODEL.actuator_trnid), 2 * i)
            dof = integer_at(pointer(model, MODEL.jnt_dofadr), joint)
            act = integer_at(pointer(model, MODEL.actuator_actadr), i)
            row = friction_row(data, dof, 0)
            set_number_at(pointer(data, DATA.act), act + 1, reaction(data, dof, row))


def register() -> int:
    return plugin.register(
        NAME,
        compute=compute.address,
        advance=advance.address,
        attributes=["note"],
        keep_alive=[compute, advance],
    )


def mjcf(body: str, actuators: str, *, option: str = "", tail: str = "") -> str:
    """A model whose actuators may name the instance `toy`."""
    return f"""<mujoco><option {option} />
    <extension><plugin plugin="{NAME}"><instance name="toy"/></plugin></extension>
    <worldbody>{body}</worldbody><actuator>{actuators}</actuator>{tail}</mujoco>"""


def actuator(joint: str, user: str, extra: str = "") -> str:
    return f'<plugin joint="{joint}" plugin="{NAME}" instance="toy" user="{user}" {extra}/>'
