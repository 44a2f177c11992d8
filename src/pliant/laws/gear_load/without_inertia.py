"""The gear carries the torque on each side less the part that accelerates the inertia there.

    carried = tau - inertia a,   a = (v - v_before) / h

The motor passes tau_m - J_rotor a into the gear, the load tau_e - I_load a: an arm that falls freely
loads its gear with the rotor's inertia only. At rest and at constant speed nothing changes.

Source: the equations of motion of rotor and load, each by itself (Spong, J. Dyn. Sys. Meas. Control 109,
1987, 310: rotor and link as two bodies). The acceleration is that of the step before, since that of this
step depends on the friction to be computed.

Left out: accelerations of other joints that couple into this one.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    v: Annotated[float, "rad/s"]  # speed at the last step
    a: Annotated[float, "rad/s^2"]  # acceleration from the step before it
    moving: Annotated[float, "1"]  # 0 until a first step is done


def start(p: P) -> S:
    return S(0.0, 0.0, 0.0)


def step(s: S, v: float, p: P, h: float) -> S:
    return S(v, s.moving * (v - s.v) / h, 1.0)


def carried(s: S, tau: float, inertia: float, p: P) -> float:
    return tau - inertia * s.a
