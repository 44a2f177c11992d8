"""Published figures, with the published program's own step.

The loop is that of servos_and_friction (The reference rollout), the numbers are from Rhoban/bam
1b5a1ce, xl330/m1.json and m4.json.
"""

from math import exp, pi, sin

import numpy as np
import pytest

from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.identification.problem.evaluation import evaluate
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log, read_logs

STEP = 0.005
REFERENCE = JointSettings(max_step=1.02 * STEP, reference=True)


@pytest.mark.parametrize(("model", "published"), [("m1", 78.9), ("m4", 68.3), ("m6", 70.9)])
def test_published_parameters_have_their_published_error(model: str, published: float) -> None:
    logs = [log.resample(STEP) for log in read_logs(example_logs())]
    error = evaluate(load_actuator(f"xl330_bam_{model}"), logs, settings=REFERENCE).mae
    assert 1e3 * error == pytest.approx(published, abs=0.5)


M1 = {
    "k_t": 0.3866957639281311,
    "R": 4.017129222290597,
    "J": 0.0018141672784458866,
    "q_0": 0.030871000250528358,
    "K_c": 0.01283272036582759,
    "K_v": 0.003661672282824312,
}
M4 = {
    "k_t": 0.3861709980035537,
    "R": 3.402572641173151,
    "J": 0.0018954552619850965,
    "q_0": 0.02807245876562081,
    "K_c": 0.008758627618365112,
    "K_v": 0.004621034970462603,
    "K_l": 0.06803357334088644,
    "K_cs": 7.508873888400355e-17,
    "K_ls": 0.07381180834784251,
    "v_s": 2.5577016869227474,
    "alpha": 0.7601158768377835,
}


def budget_m1(p: dict[str, float], v: float, tau_m: float, tau_e: float) -> float:
    return p["K_v"] * abs(v) + p["K_c"]


def budget_m4(p: dict[str, float], v: float, tau_m: float, tau_e: float) -> float:
    stribeck = exp(-(abs(v / p["v_s"]) ** p["alpha"]))
    load = abs(tau_m - tau_e)
    more = p["K_l"] * load + stribeck * (p["K_cs"] + p["K_ls"] * load)
    return budget_m1(p, v, tau_m, tau_e) + more


def published_rollout(log: Log, p: dict[str, float], budget) -> np.ndarray:
    """The published program's loop, from its description; the log begins at rest."""
    inertia = log.mass * log.length**2 + p["J"]
    q, v, positions = log.position[0], 0.0, []
    for goal, powered in zip(log.goal, log.enabled, strict=True):
        positions.append(q)
        duty = max(-1.0, min(1.0, 4096 / (2 * pi) / (256 * 885) * log.gain * (goal - q)))
        volts = duty * log.supply
        tau_m = p["k_t"] * volts / p["R"] - p["k_t"] ** 2 * v / p["R"] if powered else 0.0
        tau_e = -log.mass * 9.81 * log.length * sin(q + p["q_0"])
        limit = budget(p, v, tau_m, tau_e)
        tau_stop = -(inertia / STEP * v + tau_m + tau_e)
        a = (tau_m + tau_e + max(-limit, min(limit, tau_stop))) / inertia
        v = max(-100.0, min(100.0, v + a * STEP))
        q += v * STEP + 0.5 * a * STEP**2
    return np.array(positions)


@pytest.mark.parametrize(
    ("model", "numbers", "budget"), [("m1", M1, budget_m1), ("m4", M4, budget_m4)]
)
@pytest.mark.parametrize("name", ["10h28m10", "10h29m54"])
def test_the_engine_makes_the_published_rollout(
    name: str, model: str, numbers: dict[str, float], budget
) -> None:
    """One log powered throughout, one in which power is cut (lift_and_drop)."""
    path = next(p for p in example_logs() if p.stem.endswith(name))
    log = read_log(path).resample(STEP)
    engine = JointEngine(load_actuator(f"xl330_bam_{model}"), settings=REFERENCE)
    found = engine.rollout(log).position
    expected = published_rollout(log, numbers, budget)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert np.ptp(found) > 1.0
