"""Every number of the estimator, sample by sample, against the same method written down again."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from pliant.estimate.core import state as core
from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.settings import EstimatorSettings
from pliant.io.encoder_file import EncoderLog

from .joints import DT, MGL, M, model, recording, rounded
from .oracle import Oracle

ROWS = {
    "sigma": core.SIGMA,
    "std": core.STD,
    "torque": core.TORQUE_OUT,
    "rotatum": core.ROTATUM_OUT,
    "leverage": core.LEVERAGE,
    "status": core.STATUS,
    "skew": core.SKEW,
    "misfit": core.MISFIT_OUT,
    "cut": core.CUT,
    "flags": core.FLAGS,
}
STEP = 2.0**-12
"""A power of two: where an encoder stands still, differences are then zero to the last bit."""


def resisted(viscous, until):
    """Friction of the link, and a contact."""

    def torque(t, v):
        pushed = np.where((t > 1.8) & (t < until), 0.6, 0.0)
        return viscous * v + 0.02 * np.tanh(v / 0.05) + pushed

    return torque


@pytest.mark.parametrize(
    ("kind", "mode", "options", "others"),
    [
        ("sea", "torque", {"patience": 0.1}, {"until": 2.6}),
        ("sea", "torque", {"gate": 0.0}, {"until": 0.0, "reflected": True}),
        ("sea", "torque", {"warn_leverage": 0.5}, {"until": 0.0, "viscous": -0.1}),
        (
            "sea",
            "torque",
            {"memory": 1.0, "prior": 1.0, "torque_floor": 0.05},
            {"until": 0.0, "age": 0.003, "step": 2.0**-20},
        ),
        ("svsa", "torque", {"memory": 20.0}, {}),
        ("svsa", "torque", {"width": 3}, {"until": 0.0, "basis": (1,)}),
        ("avsa", "torque", {"friction": False}, {"basis": (1, 3)}),
        ("svsa", "rotatum", {"memory": 20.0}, {}),
        ("avsa", "rotatum", {"friction": False}, {"basis": (1, 2, 3)}),
        ("svsa", "paper", {}, {}),
        ("avsa", "paper", {"smooth_first": False}, {"step": 2.0**-26, "basis": (1, 3)}),
        ("svsa", "paper", {"smooth_first": False, "friction": False}, {"step": 2.0**-26}),
    ],
)
def test_every_number_is_that_of_the_method_written_down_again(kind, mode, options, others):
    extra = resisted(others.get("viscous", 0.02), others.get("until", 1.85))
    one = recording(kind, seconds=3.0, extra=extra, age=others.get("age", 0.0))
    log = rounded(one.log, others.get("step", STEP))
    if kind == "svsa":
        log.theta[:, 1] = np.round(128.0 * log.theta[:, 1]) / 128.0
    if others.get("reflected"):
        log = EncoderLog(time=log.time, q=log.q, theta=2.0 * log.q[:, :1] - log.theta)
    joint = replace(one.joint, torque_scale=0.7, basis=others.get("basis"))
    settings = EstimatorSettings(**({"boxes": 3, "width": 2} | options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)
        estimator, watch = (
            StiffnessEstimator(model(), [joint], DT, mode=m, settings=settings)
            for m in (mode, "torque")
        )
        found = estimator.fit(log).numbers
        beside = None if mode == "torque" else watch.fit(log).numbers[:, core.CUT, 0]
    oracle = Oracle(log, joint, mode, settings, M, MGL, beside)
    for name, row in ROWS.items():
        np.testing.assert_allclose(
            found[:, row, 0], oracle.out[name], rtol=1e-7, atol=1e-10, err_msg=name
        )
    end = estimator.state_dict()
    np.testing.assert_allclose(np.abs(end["trial"][0]), np.abs(oracle.trial), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(
        end["memory"][0, [core.POWER, core.TRIED, core.LEFT_OUT, core.BELOW]],
        [oracle.power, oracle.tried, oracle.left_out, oracle.below],
        rtol=1e-7,
        atol=1e-12,
    )
