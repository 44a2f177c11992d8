"""The fields of mjModel and mjData that native callbacks use, as tuples of byte offsets.

A field is added by adding its name here: `layout` finds, and proves, its place.
"""

from typing import NamedTuple

__all__ = ["DataOffsets", "ModelOffsets"]


class ModelOffsets(NamedTuple):
    """Byte offsets in mjModel. `opt_x` is the field x of mjModel.opt.

    Sizes (`n…`) are int64. `opt_timestep` and `opt_gravity` are float64, the other options
    int32. Everything else is a pointer to an array of the type named in mjmodel.h.
    """

    nq: int
    nv: int
    nu: int
    nactuator: int
    nout: int
    na: int
    nbody: int
    njnt: int
    nplugin: int
    nuser_actuator: int
    nhistory: int
    opt_timestep: int
    opt_gravity: int
    opt_integrator: int
    opt_solver: int
    opt_noslip_iterations: int
    opt_disableflags: int
    opt_enableflags: int
    opt_disableactuator: int
    plugin: int
    body_parentid: int
    body_rootid: int
    body_weldid: int
    body_dofnum: int
    body_dofadr: int
    jnt_type: int
    jnt_qposadr: int
    jnt_dofadr: int
    dof_bodyid: int
    dof_jntid: int
    dof_parentid: int
    dof_treeid: int
    dof_frictionloss: int
    dof_armature: int
    dof_damping: int
    dof_invweight0: int
    dof_M0: int
    M_rownnz: int
    M_rowadr: int
    actuator_trntype: int
    actuator_trnid: int
    actuator_ctrladr: int
    actuator_ctrlnum: int
    actuator_outadr: int
    actuator_actadr: int
    actuator_actnum: int
    actuator_gainprm: int
    actuator_biasprm: int
    actuator_dynprm: int
    actuator_history: int
    actuator_historyadr: int
    actuator_delay: int
    actuator_group: int
    actuator_user: int
    actuator_plugin: int
    actuator_forcelimited: int
    actuator_forcerange: int
    actuator_ctrllimited: int
    actuator_ctrlrange: int
    actuator_gear: int


class DataOffsets(NamedTuple):
    """Byte offsets in mjData.

    `time` is float64; `ncon` to `nisland` are int32; everything else is a pointer to an
    array of the type named in mjdata.h. Those from `efc_type` on point into the arena and
    change with every step: fetch them in every callback.
    """

    time: int
    ncon: int
    ne: int
    nf: int
    nl: int
    nefc: int
    nisland: int
    nidof: int
    qpos: int
    qvel: int
    act: int
    history: int
    ctrl: int
    qfrc_applied: int
    xfrc_applied: int
    qacc: int
    qacc_warmstart: int
    act_dot: int
    userdata: int
    tree_asleep: int
    xipos: int
    subtree_com: int
    cdof: int
    M: int
    actuator_length: int
    actuator_velocity: int
    actuator_force: int
    qfrc_bias: int
    qfrc_spring: int
    qfrc_damper: int
    qfrc_gravcomp: int
    qfrc_passive: int
    qfrc_actuator: int
    qfrc_smooth: int
    qacc_smooth: int
    qfrc_constraint: int
    efc_type: int
    efc_id: int
    efc_frictionloss: int
    efc_diagA: int
    efc_D: int
    efc_R: int
    efc_KBIP: int
    efc_vel: int
    efc_aref: int
    efc_force: int
    map_efc2iefc: int
    iefc_type: int
    iefc_id: int
    iefc_frictionloss: int
    iefc_D: int
    iefc_R: int
