"""A motor whose torque is off: what every law keeps."""

from conformance.drawn import draws, each, signed, state
from pliant.catalogue import Physics


@each("unpowered")
def test_a_powered_motor_has_nothing_of_it(law: Physics) -> None:
    for p, rng in draws(law):
        s = law.module.step(state(law, p, rng), 1.0, p)
        assert law.module.torque(1.0, signed(rng, 1e-3, 30.0), p) == 0.0
        assert law.module.friction_factor(s, p) == 1.0


@each("unpowered")
def test_without_power_it_only_resists(law: Physics) -> None:
    for p, rng in draws(law):
        v = signed(rng, 1e-3, 30.0)
        assert law.module.torque(0.0, v, p) * v <= 0.0
        assert law.module.friction_factor(law.module.step(state(law, p, rng), 0.0, p), p) >= 1.0
