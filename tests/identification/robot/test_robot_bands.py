"""Bands of a robot hold motions that no fit has seen, joint by joint, also where its model is wrong."""

import dataclasses
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from arm_recordings import record

import pliant
from pliant.cli.robot_outcome import bands
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.space import Space
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.identification.uncertainty.coverage import (
    _Group,
    _margin,
    _margin_of_logs,
    _scored,
    widened,
)
from pliant.identification.uncertainty.draws import UncertaintySettings
from pliant.identification.uncertainty.intervals import intervals, with_intervals
from pliant.io.actuator_file import write_actuator
from pliant.io.robot_log import Recordings, RobotLog
from pliant.robots.identify import RobotIdentification, identify_robot

SEARCH = SearchSettings(starts=1, jacobians=6)
BRIEF = UncertaintySettings(draws=24)
KNOWN = ("fast", "rising", "steps", "slow")


@pytest.fixture(scope="module")
def found(arm, servos) -> RobotIdentification:
    return _fitted(arm, servos, len(KNOWN))


def _fitted(arm, servos, known: int) -> RobotIdentification:
    """Friction of R2 grows with its load, of which M1 knows nothing; that of R1 is exact."""
    real = servos | {"R2": servos["R2"].with_values({"friction.K_l": 0.3}, "test", "assumed")}
    logs: list[RobotLog] = [
        dataclasses.replace(record(arm, real, name, seconds=1.5, seed=k), name=name)
        for k, name in enumerate((*KNOWN, "mixed"))
    ]
    plain = servos | {"R2": pliant.with_law(servos["R2"], "friction", "m1")}
    return identify_robot(
        arm,
        plain,
        logs[:known],
        held_out=logs[-1:],
        how="separately",
        fit={"*.friction.K_c": None, "R2.friction.K_v": None},
        fix=[
            "*.control.*",
            "*.own.*",
            "*.timing.*",
            "*.motor.*",
            "R1.friction.[Kv]_[vls]*",
            "R1.friction.alpha",
        ],
        search_settings=SEARCH,
    )


def test_parts_of_one_recording_say_what_the_next_holds(arm, servos) -> None:
    found = _fitted(arm, servos, 1)
    sure = intervals(found, uncertainty_settings=BRIEF)
    assert "of parts of the one recording held out in turn" in bands(with_intervals(found, sure))
    for wide in sure.coverage.values():
        assert wide.by == "part"
        assert len(wide.groups) == 4
    assert sure.coverage["R2"].margin > sure.coverage["R1"].margin
    assert min(wide.held_out or 0.0 for wide in sure.coverage.values()) >= 0.75


def test_each_joint_has_its_own_margin_and_holds_a_motion_unseen(found) -> None:
    sure = intervals(found, uncertainty_settings=BRIEF)
    assert set(sure.coverage) == {"R1", "R2"}
    for wide in sure.coverage.values():
        assert set(wide.groups) == set(KNOWN)
    assert sure.coverage["R2"].margin > 2.0 * sure.coverage["R1"].margin
    (log,) = {id(e.log): e.log for e in found.held_out.entries}.values()
    residuals = found.rig.residuals([log], found.space)
    draws = sure.space.to_cube(sure.samples[np.linspace(0, len(sure.samples) - 1, 40).astype(int)])
    runs = residuals(draws) + residuals.samples.measured
    for joint, own in zip(found.actuators, residuals.samples.per_block(runs), strict=True):
        measured, margin = log.position[:, log.column(joint)], sure.coverage[joint].margin
        low, high = np.percentile(own, (5, 95), axis=0)
        share = np.mean((measured > low - margin) & (measured < high + margin))
        assert share >= 0.75
        assert sure.coverage[joint].held_out == pytest.approx(share, abs=1e-9)
        assert widened(sure, own, joint).share(measured) == pytest.approx(share, abs=1e-9)
    for joint, actuator in with_intervals(found, sure).actuators.items():
        for doubt in FitRecord.of(actuator).open or ():
            assert not doubt.parameters or any(n.startswith(f"{joint}.") for n in doubt.parameters)
        covered = FitRecord.of(actuator).coverage
        assert covered is not None
        assert covered["samples"] == pytest.approx(sure.coverage[joint].samples, abs=1e-3)
        assert covered["held_out"] == pytest.approx(sure.coverage[joint].held_out, abs=1e-3)


def test_each_joint_carries_draws_of_its_own_numbers_which_randomise_takes(
    found, arm, tmp_path
) -> None:
    sure = intervals(found, uncertainty_settings=BRIEF)
    made = with_intervals(found, sure).actuators
    files = {joint: tmp_path / f"{joint}.toml" for joint in made}
    for joint, path in files.items():
        write_actuator(made[joint], path)
        own = [n for n in sure.space.names if n.startswith(f"{joint}.")]
        ensemble = pliant.load_actuator(path).ensemble
        assert ensemble is not None
        assert [f"{joint}.{n}" for n in ensemble.names] == own
        columns = [sure.space.names.index(n) for n in own]
        assert ensemble.of_draws() == pytest.approx(sure.spread(24)[:, columns], rel=1e-4, abs=1e-9)
        assert ensemble.of_fits()[0] == pytest.approx([found.values[n] for n in own], rel=1e-4)
    spec = mujoco.MjSpec.from_file(str(arm))
    attachment = pliant.attach(spec, {joint: str(path) for joint, path in files.items()})
    model = spec.compile()
    taken = attachment.randomise(model, seed=3)
    assert set(taken) == {"R1", "R2"}


def test_a_margin_of_many_groups_is_that_of_nine_tenths_of_their_samples() -> None:
    groups = [
        _Group(str(k), [[np.linspace(0.0, 1.0 + k, 1001)] for _ in range(5)]) for k in range(5)
    ]
    shares = [min(1.0, _margin(groups, 0) / (1.0 + k)) for k in range(5)]
    assert np.mean(shares) == pytest.approx(0.9, abs=2e-3)


def test_of_two_logs_both_have_to_lie_inside_as_a_whole() -> None:
    group = _Group("a", [[np.linspace(0.0, 1.0, 1001), np.linspace(0.0, 2.0, 1001)]])
    assert _margin_of_logs([group], 0) == 2.0


class Halves:
    """Residuals of one joint: the first half of its samples is left out, the second 5 mrad off or more."""

    def __init__(self) -> None:
        blocks = Recordings.__new__(Recordings)
        blocks.starts = np.array([0, 200])
        blocks.time = np.arange(200.0)
        blocks.joint_count = 1
        self.samples = blocks

    def __call__(self, points: np.ndarray) -> np.ndarray:
        off = 5e-3 + np.linspace(0.0, 1e-3, 100) + 1e-6 * points[:, :1]
        return np.concatenate([np.zeros((len(points), 100)), off], axis=1)


def test_samples_that_were_left_out_of_a_simulation_prove_no_coverage() -> None:
    """Nine tenths of what was simulated, not of all samples, lie within the margin."""
    space = Space(("elbow.friction.K_c",), np.zeros(1), np.ones(1), np.full(1, 0.5))
    rig = SimpleNamespace(
        residuals=lambda logs, space: Halves(),
        actuators=["elbow"],
        torque_response=lambda *_: None,
    )
    middle = np.full(1, 0.5)
    found = SimpleNamespace(space=space, refitted=lambda logs: (Posterior(Halves()), middle))
    sure = SimpleNamespace(
        space=space,
        best=middle,
        samples=np.linspace(0.4, 0.6, 50)[:, None],
        spread=lambda n: np.linspace(0.4, 0.6, n)[:, None],
    )
    logs = ["a", "b"]
    scored = _scored(found, rig, sure, UncertaintySettings(), logs, logs, "a", None)  # type: ignore[arg-type]
    assert len(scored["elbow"].all(0)) == 100
    assert scored["elbow"].weight == 0.5
    assert _margin([scored["elbow"]], 0) == pytest.approx(5.9e-3, abs=2e-5)
