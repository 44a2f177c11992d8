"""The part of MuJoCo that Pliant uses; its wheels carry no types.

Kept by hand. `tests/test_project.py` holds every name here against the installed MuJoCo.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

__version__: str
mjNDYN: int

class FatalError(Exception): ...
class UnexpectedError(Exception): ...

class _Enum(int):
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class mjtBias(_Enum):
    mjBIAS_AFFINE: mjtBias
    mjBIAS_NONE: mjtBias
    mjBIAS_USER: mjtBias

class mjtCone(_Enum):
    mjCONE_ELLIPTIC: mjtCone

class mjtConstraint(_Enum):
    mjCNSTR_FRICTION_DOF: mjtConstraint

class mjtDisableBit(_Enum):
    mjDSBL_AUTORESET: mjtDisableBit
    mjDSBL_CLAMPCTRL: mjtDisableBit
    mjDSBL_CONSTRAINT: mjtDisableBit
    mjDSBL_FRICTIONLOSS: mjtDisableBit

class mjtDyn(_Enum):
    mjDYN_INTEGRATOR: mjtDyn
    mjDYN_NONE: mjtDyn
    mjDYN_USER: mjtDyn

class mjtGain(_Enum):
    mjGAIN_FIXED: mjtGain
    mjGAIN_USER: mjtGain

class mjtEq(_Enum):
    mjEQ_JOINT: mjtEq

class mjtGeom(_Enum):
    mjGEOM_BOX: mjtGeom
    mjGEOM_CAPSULE: mjtGeom
    mjGEOM_CYLINDER: mjtGeom
    mjGEOM_HFIELD: mjtGeom
    mjGEOM_PLANE: mjtGeom
    mjGEOM_SPHERE: mjtGeom

class mjtIntegrator(_Enum):
    mjINT_EULER: mjtIntegrator
    mjINT_RK4: mjtIntegrator
    mjINT_IMPLICITFAST: mjtIntegrator

class mjtJoint(_Enum):
    mjJNT_FREE: mjtJoint
    mjJNT_BALL: mjtJoint
    mjJNT_SLIDE: mjtJoint
    mjJNT_HINGE: mjtJoint

class mjtObj(_Enum):
    mjOBJ_BODY: mjtObj
    mjOBJ_JOINT: mjtObj
    mjOBJ_TENDON: mjtObj
    mjOBJ_ACTUATOR: mjtObj

class mjtPluginCapabilityBit(_Enum):
    mjPLUGIN_ACTUATOR: mjtPluginCapabilityBit

class mjtSolver(_Enum):
    mjSOL_PGS: mjtSolver
    mjSOL_CG: mjtSolver
    mjSOL_NEWTON: mjtSolver

class mjtStage(_Enum):
    mjSTAGE_ACC: mjtStage

class mjtState(_Enum):
    mjSTATE_FULLPHYSICS: mjtState
    mjSTATE_INTEGRATION: mjtState

class mjtTrn(_Enum):
    mjTRN_JOINT: mjtTrn
    mjTRN_JOINTINPARENT: mjtTrn
    mjTRN_TENDON: mjtTrn
    mjTRN_SITE: mjtTrn

class mjtLimited(_Enum):
    mjLIMITED_AUTO: mjtLimited
    mjLIMITED_TRUE: mjtLimited

class mjtWrap(_Enum):
    mjWRAP_JOINT: mjtWrap

class mjtWarning(_Enum):
    mjWARN_BADQPOS: mjtWarning
    mjWARN_BADQVEL: mjtWarning
    mjWARN_BADQACC: mjtWarning
    mjWARN_BADCTRL: mjtWarning

class _Warning:
    lastinfo: int
    number: int

class MjOption:
    timestep: float
    impratio: float
    cone: int
    integrator: int
    solver: int
    iterations: int
    ls_iterations: int
    noslip_iterations: int
    disableactuator: int
    disableflags: int
    enableflags: int
    @property
    def gravity(self) -> Floats: ...
    @gravity.setter
    def gravity(self, value: ArrayLike) -> None: ...

class _JointView:
    id: int
    name: str
    qposadr: Ints
    dofadr: Ints
    qpos: Floats
    qvel: Floats
    range: Floats
    bodyid: Ints
    limited: Ints
    type: Ints

class _Statistic:
    extent: float
    center: Floats

class _ActuatorView:
    id: int
    name: str
    ctrl: Floats
    force: Floats

class _BodyView:
    id: int
    name: str
    mass: Floats
    inertia: Floats

class _Contacts:
    geom: Ints
    dist: Floats

class MjModel:
    opt: MjOption
    body_weldid: Ints
    geom_bodyid: Ints
    geom_contype: Ints
    geom_conaffinity: Ints
    geom_margin: Floats
    geom_pos: Floats
    geom_quat: Floats
    geom_rgba: NDArray[np.float32]
    geom_size: Floats
    jnt_bodyid: Ints
    stat: _Statistic
    nbody: int
    nq: int
    nv: int
    nu: int
    na: int
    njnt: int
    ngeom: int
    geom_type: Ints
    nplugin: int
    plugin: Ints
    plugin_attr: NDArray[np.int8]
    plugin_attradr: Ints
    actuator_actadr: Ints
    actuator_actnum: Ints
    actuator_dynprm: Floats
    actuator_gear: Floats
    actuator_length0: Floats
    actuator_group: Ints
    body_inertia: Floats
    body_ipos: Floats
    body_iquat: Floats
    body_jntadr: Ints
    body_jntnum: Ints
    body_mass: Floats
    body_parentid: Ints
    body_pos: Floats
    body_quat: Floats
    actuator_user: Floats
    actuator_ctrladr: Ints
    actuator_outadr: Ints
    actuator_plugin: Ints
    actuator_trntype: Ints
    actuator_trnid: Ints
    actuator_gainprm: Floats
    actuator_biasprm: Floats
    dof_M0: Floats
    dof_armature: Floats
    dof_frictionloss: Floats
    actuator_history: Ints
    dof_invweight0: Floats
    tendon_invweight0: Floats
    jnt_axis: Floats
    jnt_dofadr: Ints
    jnt_pos: Floats
    jnt_qposadr: Ints
    jnt_limited: Ints
    jnt_range: Floats
    jnt_type: Ints
    key_act: Floats
    key_ctrl: Floats
    key_qpos: Floats
    nkey: int
    qpos0: Floats
    names: bytes
    @property
    def _address(self) -> int: ...
    @staticmethod
    def from_xml_string(xml: str, assets: Mapping[str, bytes] | None = ...) -> MjModel: ...
    @staticmethod
    def from_xml_path(filename: str, assets: Mapping[str, bytes] | None = ...) -> MjModel: ...
    @staticmethod
    def from_binary_path(filename: str, assets: Mapping[str, bytes] | None = ...) -> MjModel: ...
    def body(self, name: str | int = ...) -> _BodyView: ...
    def joint(self, name: str | int = ...) -> _JointView: ...
    def tendon(self, name: str | int = ...) -> _JointView: ...
    def actuator(self, name: str | int = ...) -> _ActuatorView: ...

class MjData:
    @property
    def model(self) -> MjModel: ...
    contact: _Contacts
    qfrc_passive: Floats
    qfrc_damper: Floats
    time: float
    warning: list[_Warning]
    ncon: int
    nefc: int
    qpos: Floats
    qvel: Floats
    qacc: Floats
    act: Floats
    ctrl: Floats
    geom_xpos: Floats
    actuator_force: Floats
    qfrc_actuator: Floats
    qfrc_applied: Floats
    qfrc_bias: Floats
    qfrc_constraint: Floats
    efc_type: Ints
    efc_id: Ints
    efc_force: Floats
    efc_frictionloss: Floats
    mocap_pos: Floats
    mocap_quat: Floats
    subtree_com: Floats
    xanchor: Floats
    xaxis: Floats
    xfrc_applied: Floats
    xipos: Floats
    xmat: Floats
    xpos: Floats
    xquat: Floats
    @property
    def _address(self) -> int: ...
    def __init__(self, m: MjModel) -> None: ...
    def joint(self, name: str | int = ...) -> _JointView: ...
    def actuator(self, name: str | int = ...) -> _ActuatorView: ...

class MjsPlugin:
    name: str
    plugin_name: str
    active: bool
    config: dict[str, str]

class MjsJoint:
    id: int
    name: str
    parent: MjsBody
    type: mjtJoint
    armature: float
    damping: Any
    """A float up to 3.x, an array from MuJoCo 4 on."""
    frictionloss: float
    range: Floats
    limited: int
    @property
    def solimp_friction(self) -> Floats: ...
    @solimp_friction.setter
    def solimp_friction(self, value: ArrayLike) -> None: ...
    @property
    def solref_friction(self) -> Floats: ...
    @solref_friction.setter
    def solref_friction(self, value: ArrayLike) -> None: ...

class MjsActuator:
    gainprm: Floats
    biasprm: Floats
    ctrllimited: int
    forcelimited: int
    @property
    def ctrlrange(self) -> Floats: ...
    @ctrlrange.setter
    def ctrlrange(self, value: ArrayLike) -> None: ...
    @property
    def forcerange(self) -> Floats: ...
    @forcerange.setter
    def forcerange(self, value: ArrayLike) -> None: ...
    @property
    def dynprm(self) -> Floats: ...
    @dynprm.setter
    def dynprm(self, value: ArrayLike) -> None: ...
    id: int
    name: str
    gear: Floats
    target: str
    refsite: str
    trntype: mjtTrn
    dyntype: mjtDyn
    actdim: int
    plugin: MjsPlugin
    userdata: Any
    """Read as a vector of its own kind, written from an array."""
    delay: float
    nsample: int
    interp: int
    group: int
    biastype: mjtBias
    gaintype: mjtGain

class MjsBody:
    name: str
    joints: list[MjsJoint]
    parent: MjsBody | None
    mass: float
    explicitinertial: bool
    @property
    def inertia(self) -> Floats: ...
    @inertia.setter
    def inertia(self, value: ArrayLike) -> None: ...
    @property
    def ipos(self) -> Floats: ...
    @ipos.setter
    def ipos(self, value: ArrayLike) -> None: ...
    @property
    def iquat(self) -> Floats: ...
    @iquat.setter
    def iquat(self, value: ArrayLike) -> None: ...
    @property
    def pos(self) -> Floats: ...
    @pos.setter
    def pos(self, value: ArrayLike) -> None: ...
    @property
    def geoms(self) -> list[Any]: ...
    @property
    def joints(self) -> list[MjsJoint]: ...
    def add_body(self, default: Any = ..., **fields: Any) -> MjsBody: ...
    def add_joint(self, default: Any = ..., **fields: Any) -> MjsJoint: ...
    def add_geom(self, default: Any = ..., **fields: Any) -> Any: ...
    def add_site(self, default: Any = ..., **fields: Any) -> Any: ...
    def add_freejoint(self, default: Any = ..., **fields: Any) -> MjsJoint: ...
    def add_light(self, default: Any = ..., **fields: Any) -> Any: ...

class MjSpec:
    # `| Any`: None where there is no such element.
    modelname: str
    option: MjOption
    nuser_actuator: int
    @property
    def actuators(self) -> list[MjsActuator]: ...
    @property
    def bodies(self) -> list[MjsBody]: ...
    @property
    def compiler(self) -> Any: ...
    @property
    def geoms(self) -> list[Any]: ...
    @property
    def joints(self) -> list[MjsJoint]: ...
    @property
    def meshes(self) -> list[Any]: ...
    @property
    def plugins(self) -> list[MjsPlugin]: ...
    @property
    def keys(self) -> list[Any]: ...
    @property
    def sensors(self) -> list[Any]: ...
    @property
    def tendons(self) -> list[Any]: ...
    @property
    def tuples(self) -> list[Any]: ...
    @property
    def visual(self) -> Any: ...
    @property
    def worldbody(self) -> MjsBody: ...
    @staticmethod
    def from_file(filename: str) -> MjSpec: ...
    @staticmethod
    def from_string(xml: str) -> MjSpec: ...
    def activate_plugin(self, name: str) -> None: ...
    def actuator(self, name: str) -> MjsActuator | Any: ...
    def add_actuator(self, default: Any = ..., **fields: Any) -> MjsActuator: ...
    def add_equality(self, **fields: Any) -> Any: ...
    def add_exclude(self, **fields: Any) -> Any: ...
    def add_hfield(self, **fields: Any) -> Any: ...
    def add_plugin(self, **fields: Any) -> MjsPlugin: ...
    def add_tendon(self, **fields: Any) -> Any: ...
    def body(self, name: str) -> MjsBody | Any: ...
    def compile(self) -> MjModel: ...
    def copy(self) -> MjSpec: ...
    def delete(self, element: Any) -> None: ...
    def joint(self, name: str) -> MjsJoint | Any: ...
    def to_xml(self) -> str: ...

def mj_fwdPosition(m: MjModel, d: MjData) -> None: ...
def mj_comPos(m: MjModel, d: MjData) -> None: ...
def mj_comVel(m: MjModel, d: MjData) -> None: ...
def mj_contactForce(m: MjModel, d: MjData, id: int, result: Floats) -> None: ...
def mj_collision(m: MjModel, d: MjData) -> None: ...
def mj_geomDistance(
    m: MjModel, d: MjData, geom1: int, geom2: int, distmax: float, fromto: Floats | None
) -> float: ...
def mj_passive(m: MjModel, d: MjData) -> None: ...
def mj_crb(m: MjModel, d: MjData) -> None: ...
def mj_solveM(m: MjModel, d: MjData, x: Floats, y: Floats) -> None: ...
def mj_forward(m: MjModel, d: MjData) -> None: ...
def mj_fullM(m: MjModel, d: MjData, dst: Floats) -> None: ...
def mj_getState(m: MjModel, d: MjData, state: Floats, sig: int) -> None: ...
def mj_id2name(m: MjModel, type: int, id: int) -> str | None: ...
def mj_jac(
    m: MjModel, d: MjData, jacp: Floats | None, jacr: Floats | None, point: Floats, body: int
) -> None: ...
def mj_kinematics(m: MjModel, d: MjData) -> None: ...
def mj_makeM(m: MjModel, d: MjData) -> None: ...
def mj_mulM(m: MjModel, d: MjData, res: Floats, vec: Floats) -> None: ...
def mj_name2id(m: MjModel, type: int, name: str) -> int: ...
def mj_resetData(m: MjModel, d: MjData) -> None: ...
def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: Floats) -> None: ...
def mj_stateSize(m: MjModel, sig: int) -> int: ...
def mj_saveModel(
    m: MjModel, filename: str | None = ..., buffer: NDArray[np.uint8] | None = ...
) -> None: ...
def mj_setState(m: MjModel, d: MjData, state: Floats, sig: int) -> None: ...
def mj_sizeModel(m: MjModel) -> int: ...
def mj_setConst(m: MjModel, d: MjData) -> None: ...
def mj_step(m: MjModel, d: MjData, nstep: int = ...) -> None: ...
def mj_step1(m: MjModel, d: MjData) -> None: ...
def mj_step2(m: MjModel, d: MjData) -> None: ...
def mj_versionString() -> str: ...
def mju_mulQuat(res: Floats, quat1: Floats, quat2: Floats) -> None: ...
def mju_negQuat(res: Floats, quat: Floats) -> None: ...
def mju_rotVecQuat(res: Floats, vec: Floats, quat: Floats) -> None: ...
