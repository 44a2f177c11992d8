"""The fields of mjModel and mjData that native callbacks use, as tuples of byte offsets.

A field is added by adding its name here: `layout` finds, and proves, its place.
"""

from typing import NamedTuple

__all__ = ["DataOffsets", "ModelOffsets"]


class ModelOffsets(NamedTuple):
    """Byte offsets in mjModel. `opt_x` is the field x of mjModel.opt.

    `opt_timestep` is float64, the other options int32. Sizes (`n…`) are int64. Everything else is a
    pointer to an array of the type named in mjmodel.h.
    """

    opt_timestep: int
    opt_integrator: int
    opt_solver: int
    opt_noslip_iterations: int
    opt_disableflags: int
    opt_disableactuator: int
    nq: int
    nv: int
    nu: int
    na: int
    nbody: int
    njnt: int
    ngeom: int
    nsite: int
    ntendon: int
    neq: int
    nmocap: int
    nuserdata: int
    nsensordata: int
    nactuator: int
    nuser_actuator: int
    nhistory: int
    body_parentid: int
    body_rootid: int
    jnt_type: int
    jnt_qposadr: int
    jnt_dofadr: int
    dof_bodyid: int
    dof_armature: int
    M_rownnz: int
    M_rowadr: int
    actuator_length0: int
    actuator_trntype: int
    actuator_dyntype: int
    actuator_trnid: int
    actuator_gear: int
    actuator_dynprm: int
    actuator_plugin: int
    actuator_group: int
    actuator_user: int
    actuator_actadr: int
    actuator_actnum: int
    actuator_outadr: int
    actuator_ctrladr: int
    actuator_ctrllimited: int
    actuator_ctrlrange: int
    actuator_forcelimited: int
    actuator_forcerange: int
    actuator_history: int
    actuator_historyadr: int
    nplugin: int
    npluginstate: int
    plugin_stateadr: int
    plugin_statenum: int
    plugin_attr: int
    plugin_attradr: int
    name_actuatoradr: int
    names: int


class DataOffsets(NamedTuple):
    """Byte offsets in mjData.

    `time` is float64; `ne`, `nf`, `nisland` and `nplugin` are int32; everything else is a pointer to an array
    of the type named in mjdata.h. Those from `efc_type` on point into the arena and change with
    every step: fetch them in every callback.
    """

    time: int
    ne: int
    nf: int
    nisland: int
    nplugin: int
    qpos: int
    qvel: int
    act: int
    act_dot: int
    plugin_state: int
    plugin_data: int
    ctrl: int
    history: int
    qfrc_applied: int
    xfrc_applied: int
    xipos: int
    subtree_com: int
    cdof: int
    M: int
    actuator_length: int
    actuator_velocity: int
    actuator_force: int
    qfrc_bias: int
    qfrc_passive: int
    qfrc_constraint: int
    efc_type: int
    efc_id: int
    efc_frictionloss: int
    efc_diagA: int
    efc_D: int
    efc_R: int
    efc_vel: int
    efc_aref: int
    efc_force: int
    map_efc2iefc: int
    iefc_frictionloss: int
    iefc_D: int
    iefc_R: int
