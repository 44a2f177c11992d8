"""Recordings with a known answer: the link's motion is prescribed, the motors follow from it.

tau_e = -(M q'' + m g l sin q + friction) is solved for the motor angles in closed form, so that no
integrator and no law of Pliant takes part.
"""

from dataclasses import dataclass

import numpy as np

from pliant.estimate.dynamics import Pendulum
from pliant.estimate.settings import Joint
from pliant.io.encoder_file import EncoderLog

DT = 0.005
M, MGL = 0.02, 0.8


@dataclass
class Recording:
    log: EncoderLog
    sigma: np.ndarray
    tau: np.ndarray
    rotatum: np.ndarray
    joint: Joint


def model():
    return Pendulum(inertia=M, gravity_torque=MGL)


def link(t, wave=((0.5, 1.1, 0.0), (0.3, 2.3, 1.0))):
    q, v, a, j = np.zeros((4, len(t)))
    for size, w, phase in wave:
        q += size * np.sin(w * t + phase)
        v += size * w * np.cos(w * t + phase)
        a -= size * w**2 * np.sin(w * t + phase)
        j -= size * w**3 * np.cos(w * t + phase)
    return q, v, a, j


def recording(kind, seconds=30.0, *, age=0.0, **options):
    """A joint of `kind`, see `_solved`; the motors' positions are those of `age` [s] before."""
    t = np.arange(0.0, seconds, DT)
    now = _solved(kind, t, **options)
    theta = _solved(kind, t - age, **options).log.theta
    now.log = EncoderLog(time=t, q=now.log.q, theta=theta)
    return now


def _solved(kind, t, *, wave=None, extra=None, k=20.0, damping=0.0, preset=None):
    """`extra(t, v)` resists the link beside gravity and the spring; `damping` is beside the linear
    spring, k phi + d dphi/dt = tau, solved to first order in d: the rest is (w d/k)^2, 3e-5."""
    q, v, a, j = link(t) if wave is None else link(t, wave)
    tau = -(M * a + MGL * np.sin(q)) - (0.0 if extra is None else extra(t, v))
    rotatum = -(M * j + MGL * np.cos(q) * v)
    if kind == "sea":
        theta, sigma = (q - (tau - damping / k * rotatum) / k)[:, None], np.full_like(q, k)
        joint = Joint(kind="sea", phi_scale=0.05)
    elif kind == "svsa":
        x = 1.5 * np.sin(0.7 * t)
        r2 = 400.0 * (0.12 - 0.01 * x) ** 2
        phi = 0.5 * np.arcsin(tau / r2)
        theta, sigma = np.stack([q - phi, x], -1), 2.0 * r2 * np.cos(2.0 * phi)
        joint = Joint(kind="svsa", phi_scale=0.1, adjuster_scale=1.5)
    else:
        s = 0.5 + 0.06 * np.sin(0.9 * t) if preset is None else preset(t)
        kk, aa = 0.05, 6.0
        phi = np.arcsinh(tau / (2.0 * kk * np.cosh(aa * s))) / aa
        theta = np.stack([q - phi + s, q - phi - s], -1)
        sigma = 2.0 * aa * kk * np.cosh(aa * s) * np.cosh(aa * phi)
        joint = Joint(kind="avsa", phi_scale=0.6)
    log = EncoderLog(time=t, q=q[:, None], theta=theta)
    return Recording(log, sigma, tau, rotatum, joint)


def rounded(log, step):
    return EncoderLog(
        time=log.time,
        q=np.round(log.q / step) * step,
        theta=np.round(log.theta / step) * step,
    )
