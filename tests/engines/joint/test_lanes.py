"""Candidates in lanes: the same motion as one at a time, each lane for itself.

Lanes and a single candidate are two widths of one source: a law that is wrong is wrong in both. A servo
without friction is compared with the difference equation itself.
"""

import numpy as np
import pytest

from joint.bench import ARMATURE, K_T, POSITION, SERVO, SERVO_NUMBERS, R, U, grid, made, recorded
from pliant import load_actuator
from pliant.engines.joint import engine as joint
from pliant.engines.joint.engine import LANES as WIDTH
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.engines.joint.led import LedBatch, LedLog
from pliant.io.log import Log

M6 = ("K_c", "K_v", "K_m", "K_e", "K_cs", "K_ms", "K_es", "K_mq", "K_eq")
COUNT = WIDTH + 5
"""One vector that is full, and one that is not."""


def servo(**friction: float) -> JointEngine:
    """A servo with delay and friction M6, in lanes."""
    laws = SERVO | {"control": "firmware_position", "friction": "m6"}
    numbers = {f"friction.{name}": friction.get(name, 0.0) for name in M6}
    numbers |= {"friction.v_s": 0.2, "friction.alpha": 1.3}
    own = {k: x for k, x in SERVO_NUMBERS.items() if not k.startswith("friction")}
    return JointEngine(made("rigid_servo", laws, own | POSITION | numbers))


@pytest.fixture(scope="module")
def rubbing() -> JointEngine:
    return servo(
        K_c=0.02, K_v=0.01, K_m=0.1, K_e=0.1, K_cs=0.02, K_ms=0.1, K_es=0.1, K_mq=0.1, K_eq=0.1
    )


def alone(engine: JointEngine, values: np.ndarray, batch: joint.Laid) -> tuple[np.ndarray, int]:
    """The same one by one, at a width of one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joint, "LANES", 1)
        patch.setattr(joint, "NARROW", 1)
        return engine.batch(values, batch)


def candidates(engine: JointEngine, count: int = COUNT) -> np.ndarray:
    spread = np.random.default_rng(4).uniform(0.8, 1.2, (count, len(engine.names)))
    values = engine.values()[None] * spread
    if "timing.delay" in engine.names:
        values[:, engine.names.index("timing.delay")] = np.linspace(0.0, 0.03, count)
    return values


def logs() -> list[Log]:
    """Unlike each other in length, sampling, load and gain; the motor is off for some time."""
    t, u = grid(0.9, 0.005), grid(0.5, 0.007)
    return [
        recorded(t, np.sin(7.0 * t), begin=0.1, enabled=t < 0.6, mass=0.3, gain=3.0),
        recorded(u, 0.5 * np.sign(np.sin(20.0 * u)), length=0.15, supply=9.0),
    ]


@pytest.mark.parametrize("hold", [False, True])
def test_lanes_move_as_single_candidates_do(rubbing: JointEngine, hold: bool) -> None:
    engine = JointEngine(rubbing.actuator, settings=JointSettings(max_step=2e-3, hold=hold))
    values, batch = candidates(engine), LogBatch(logs(), engine)
    together, steps = engine.batch(values, batch)
    single, same = alone(engine, values, batch)
    np.testing.assert_allclose(together, single, rtol=0.0, atol=1e-12)
    assert steps == same


def test_a_servo_without_friction_follows_its_difference_equation() -> None:
    """J dv = k_t/R (kp U (goal - q) - k_t v) h, q += v h, for eight gains of the amplifier."""
    engine = servo()
    log = recorded(grid(0.3, 0.01), 0.1, mass=0.0, arm_mass=0.0, gain=1.0)
    values = np.repeat(engine.values()[None], WIDTH, axis=0)
    gains = np.linspace(0.5, 4.0, WIDTH)
    values[:, engine.names.index("control.gain")] = gains
    found, steps = engine.batch(values, LogBatch([log], engine))
    q, v, expected = np.zeros(WIDTH), np.zeros(WIDTH), [np.zeros(WIDTH)]
    for k in range(300):
        v = v + 1e-3 * K_T / R * (gains * U * (0.1 - q) - K_T * v) / ARMATURE
        q = q + 1e-3 * v
        expected += [q] if k % 10 == 9 else []
    np.testing.assert_allclose(found.T, expected, rtol=0.0, atol=1e-10)
    assert steps == WIDTH * 300


def test_what_a_lane_does_is_no_concern_of_the_others(rubbing: JointEngine) -> None:
    """One overflows, one is no number; their neighbours do not change by a bit."""
    values, batch = candidates(rubbing, WIDTH), LogBatch(logs(), rubbing)
    calm, _ = rubbing.batch(values, batch)
    wild = values.copy()
    wild[2, rubbing.names.index("motor.R")] = np.nan
    wild[5, rubbing.names.index("own.armature")] = -0.0031  # of almost no mass, and a negative one
    wild[5, rubbing.names.index("friction.K_c")] = 0.0
    rough, _ = rubbing.batch(wild, batch)
    others = [k for k in range(WIDTH) if k not in (2, 5)]
    np.testing.assert_array_equal(rough[others], calm[others])
    assert np.isnan(rough[2]).any()


@pytest.mark.parametrize("count", [1, 4, 5, WIDTH, WIDTH + 1])
def test_a_candidate_moves_the_same_however_many_are_with_it(
    rubbing: JointEngine, count: int
) -> None:
    """Positions to the last bit, and no candidate is left out."""
    values, batch = candidates(rubbing, WIDTH + 1), LogBatch(logs(), rubbing)
    whole, _ = rubbing.batch(values, batch)
    part, _ = rubbing.batch(values[:count], batch)
    np.testing.assert_array_equal(part, whole[:count])


def test_threads_change_no_bit(rubbing: JointEngine) -> None:
    values, batch = candidates(rubbing), LogBatch(logs(), rubbing)
    one, steps = rubbing.batch(values, batch, threads=1)
    three, same = rubbing.batch(values, batch, threads=3)
    np.testing.assert_array_equal(one, three)
    assert steps == same


def test_a_rotor_of_each_lane_has_its_own_step() -> None:
    """Light ones take shorter steps; the others wait for them at each sample."""
    settings = JointSettings(max_step=5e-3)
    engine = JointEngine(load_actuator("sea_trumic_103"), settings=settings)
    t = grid(0.4, 0.005)
    batch = LogBatch([recorded(t, 0.3 * np.sin(9.0 * t), gain=1.0)], engine)
    values = candidates(engine)
    values[:, engine.names.index("rotor.J")] *= np.geomspace(0.5, 8.0, COUNT)
    together, steps = engine.batch(values, batch)
    single = [alone(engine, one[None], batch) for one in values]
    np.testing.assert_allclose(together, [x for (x,), _ in single], rtol=0.0, atol=1e-11)
    assert steps == sum(taken for _, taken in single)
    assert len({taken for _, taken in single}) > 2


@pytest.mark.slow
def test_a_joint_led_along_a_recording_is_the_same_in_lanes(rubbing: JointEngine) -> None:
    engine = JointEngine(rubbing.actuator, plant="led")
    t = grid(0.5, 0.004)
    around = np.column_stack([0.01 + 0.004 * np.sin(5.0 * t), 0.1 * np.cos(t), -0.2 + 0.0 * t])
    log = LedLog(t, 0.1 + 0.0 * t, np.sin(6.0 * t), np.ones_like(t), None, around, 0.2)
    batch, values = LedBatch([log], engine), candidates(engine)
    values[:, engine.names.index("control.kp")] = 2.0
    together, _ = engine.batch(values, batch)
    single, _ = alone(engine, values, batch)
    np.testing.assert_allclose(together, single, rtol=0.0, atol=1e-12)
