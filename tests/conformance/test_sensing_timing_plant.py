"""Sensing, timing and plant: the angle seen, the age of a command, the load."""

from typing import Any

import mujoco
import numpy as np
import pytest
import scipy

from conformance.drawn import draws, each, signed
from pliant.catalogue import Physics, load_law


def seen(law: Physics, x: float, p: Any, steps: int = 3) -> float:
    """By a sensor some steps after its start."""
    s = law.module.start(p)
    for _ in range(steps):
        s = law.module.step(s, p, 1e-3)
    return float(law.module.measured(s, x, p))


@each("sensing")
def test_what_is_seen_is_within_half_a_step_and_the_noise(law: Physics) -> None:
    for p, rng in draws(law):
        x = signed(rng, 1e-3, 10.0)
        noise = 6.0 * (getattr(p, "std", 0.0) + getattr(p, "drift", 0.0))
        half = 0.5 * getattr(p, "quantum", 0.0) + noise
        assert abs(seen(law, x, p) - x) <= half + 1e-15 * abs(x)


@each("sensing")
def test_the_same_state_sees_the_same(law: Physics) -> None:
    for p, rng in draws(law):
        x = signed(rng, 1e-3, 10.0)
        assert seen(law, x, p) == seen(law, x, p)


@each("sensing")
def test_more_is_never_seen_as_less(law: Physics) -> None:
    for p, rng in draws(law):
        span = 5.0 * getattr(p, "quantum", 1.0)
        x = rng.uniform(-1.0, 1.0) + span * np.sort(rng.uniform(size=50))
        assert np.all(np.diff([seen(law, float(xi), p) for xi in x]) >= 0.0)


def test_an_encoder_sees_multiples_of_its_step() -> None:
    law = load_law("sensing", "encoder")
    quantum = 2.0 * np.pi / 4096.0
    p = law.module.P(quantum)
    assert [round(seen(law, k * quantum, p) / quantum, 9) for k in (-1.6, -1.4, 0.4, 0.6, 7.0)] == [
        -2.0,
        -1.0,
        0.0,
        1.0,
        7.0,
    ]
    assert seen(law, seen(law, 1.2345, p), p) == seen(law, 1.2345, p)


def drawn(seed: float, count: int, **numbers: float) -> tuple[np.ndarray, np.ndarray]:
    """(count,) Errors and biases of an encoder with noise, step by step of 10 ms."""
    law = load_law("sensing", "noisy_encoder").module
    p = law.P(**{"std": 1e-3, "drift": 0.0, "wander": 10.0, "quantum": 0.0, "seed": seed} | numbers)
    s, rows = law.start(p), np.empty((count, 2))
    for k in range(count):
        s = law.step(s, p, 0.01)
        rows[k] = law.measured(s, 0.5, p) - 0.5, s.bias
    return rows[:, 0], rows[:, 1]


def test_noise_is_normal_white_and_another_for_every_seed() -> None:
    many = np.array([drawn(seed, 4000)[0] for seed in (0.0, 1.0, 2.0, 7.0)]) / 1e-3
    assert np.abs(many.mean(axis=1)).max() < 4.0 / np.sqrt(4000)
    assert many.std(axis=1) == pytest.approx(1.0, abs=0.05)
    assert min(scipy.stats.kstest(one, "norm").pvalue for one in many) > 1e-3
    for lag in (1, 2, 5):
        assert np.abs((many[:, lag:] * many[:, :-lag]).mean(axis=1)).max() < 4.0 / np.sqrt(4000)
    alike = np.corrcoef(many) - np.eye(4)
    assert np.abs(alike).max() < 4.0 / np.sqrt(4000)


def test_a_bias_wanders_by_its_deviation_and_is_forgotten() -> None:
    bias = np.concatenate([drawn(seed, 4000, drift=0.02, wander=0.1)[1] for seed in (3.0, 4.0)])
    assert bias.std() == pytest.approx(0.02, rel=0.1)
    later = (bias[10:] * bias[:-10]).mean() / bias.var()  # after 0.1 s
    assert later == pytest.approx(np.exp(-1.0), abs=0.1)


def test_the_generator_draws_the_published_numbers() -> None:
    """AS 183 with integers, from the same start."""
    from pliant.laws.sensing import _wichmann_hill as law

    x, y, z = 1, 10000, 3000
    here = law.Place(1.0, 10000.0, 3000.0)
    for _ in range(1000):
        x, y, z = 171 * x % 30269, 172 * y % 30307, 170 * z % 30323
        here = law.turned(here)
        assert here == (x, y, z)
    assert law.uniform(here) == pytest.approx((x / 30269 + y / 30307 + z / 30323) % 1.0)
    starts = {law.seeded(float(seed)) for seed in range(300)}
    assert len(starts) == 300
    for seed in (0, 1, 2999, 30000):
        n = seed + 2
        expected = (n**4 % 30269 or 1, n**3 % 30307 or 1, n**6 % 30323 or 1)
        assert law.seeded(float(seed)) == expected


@each("timing")
def test_nothing_acts_before_it_is_said(law: Physics) -> None:
    for p, rng in draws(law):
        t = rng.uniform(0.0, 100.0)
        assert law.module.issued(t, p) <= t
        assert law.module.issued(t + 0.01, p) >= law.module.issued(t, p)


def test_a_delay_is_its_time() -> None:
    law = load_law("timing", "command_delay").module
    assert law.issued(1.0, law.P(0.03)) == pytest.approx(0.97)


@each("plant")
def test_inertia_is_not_negative(law: Physics) -> None:
    for p, _ in draws(law):
        assert law.module.inertia(p) >= 0.0


@each("plant")
def test_a_turn_against_the_load_costs_nothing(law: Physics) -> None:
    """The load has a potential: its work around the circle is zero."""
    turn = np.linspace(0.0, 2.0 * np.pi, 256, endpoint=False)
    for p, _ in draws(law):
        load = np.array([law.module.load(float(q), p) for q in turn])
        assert load.mean() == pytest.approx(0.0, abs=1e-12 * (np.abs(load).max() + 1e-300))


def test_the_pendulums_load_is_the_slope_of_its_height() -> None:
    law = load_law("plant", "pendulum")
    for p, rng in draws(law):
        q, step = rng.uniform(-3.0, 3.0), 1e-5

        def potential(angle: float) -> float:
            ends = -np.cos(angle + p.position_offset) * p.length  # noqa: B023
            return 9.81 * (p.mass * ends + p.arm_mass * 0.5 * ends)  # noqa: B023

        slope = (potential(q + step) - potential(q - step)) / (2.0 * step)
        weight = 9.81 * (p.mass + p.arm_mass) * p.length
        assert law.module.load(q, p) == pytest.approx(-slope, abs=1e-9 * weight)


BENCH = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81"/>
  <worldbody>
    <body>
      <joint axis="0 -1 0"/>
      <inertial pos="0 0 {half}" mass="{arm_mass}" diaginertia="{rod} {rod} {thin}"/>
      <body pos="0 0 {end}">
        <inertial pos="0 0 0" mass="{mass}" diaginertia="1e-12 1e-12 1e-12"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_the_pendulum_is_the_one_that_mujoco_builds_of_a_mass_and_a_rod() -> None:
    law = load_law("plant", "pendulum")
    for mass, length, arm_mass, offset in ((0.5, 0.15, 0.1, 0.0), (3.0, 0.6, 0.02, 0.3)):
        p = law.module.P(mass, length, arm_mass, offset)
        model = mujoco.MjModel.from_xml_string(
            BENCH.format(
                half=-0.5 * length,
                end=-length,
                mass=mass,
                arm_mass=arm_mass,
                rod=arm_mass * length**2 / 12.0,
                thin=1e-3 * arm_mass * length**2 / 12.0,
            )
        )
        data = mujoco.MjData(model)
        for q in np.linspace(-3.0, 3.0, 13):
            data.qpos[0] = q + offset
            mujoco.mj_forward(model, data)
            momentum = np.zeros(1)
            mujoco.mj_mulM(model, data, momentum, np.ones(1))
            assert law.module.inertia(p) == pytest.approx(momentum[0], rel=1e-9)
            assert law.module.load(q, p) == pytest.approx(-data.qfrc_bias[0], rel=1e-9, abs=1e-12)
