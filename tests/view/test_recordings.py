"""Recordings and experiments as scenes."""

from typing import Any

import numpy as np
import pytest

import pliant
from pliant.errors import PliantError
from pliant.io.log import example_logs
from pliant.view.commands import Parameter, Reference, Seek
from pliant.view.curves import SCALES, _scales
from pliant.view.replayed import Replayed
from pliant.view.saving import as_csv, link_of, open_link
from pliant.view.session import Session


@pytest.fixture(scope="module")
def log() -> Any:
    return pliant.read_log(sorted(example_logs())[0], repair=["all"])


def test_a_log_is_shown_beside_the_simulation_that_evaluate_judges(log: Any) -> None:
    from pliant.identification.problem.evaluation import evaluate

    scene = Replayed(log, pliant.load_actuator("xl330_bam_m6"))
    assert scene.error == pytest.approx(evaluate("xl330_bam_m6", [log]).mae, rel=1e-12)
    k = len(scene.whole) // 2
    frame = scene.whole[k]
    nearest = int(np.argmin(np.abs(log.time - frame.time)))
    assert frame.readings["measured"][0] == log.position[nearest]
    # The two arms stand as the numbers say: q = 0 hangs down, and turns about -y.
    for body, name in ((1, "measured"), (2, "position")):
        q = float(frame.readings[name][0])
        np.testing.assert_allclose(
            -frame.matrix[body][:, 2], [np.sin(q), 0.0, -np.cos(q)], atol=1e-9
        )


def test_turning_a_parameter_simulates_the_log_again(log: Any) -> None:
    from pliant.identification.problem.evaluation import evaluate

    scene = Replayed(log, pliant.load_actuator("xl330_bam_m6"))
    scene.apply(Parameter("joint", "motor.R", 5.0))
    again = evaluate("xl330_bam_m6", [log], changes={"motor.R": 5.0})
    assert scene.error == pytest.approx(again.mae, rel=1e-12)
    with pytest.raises(PliantError, match=r"motor\.R"):
        scene.apply(Parameter("joint", "motor.R", -5.0))
    assert scene.error == pytest.approx(again.mae, rel=1e-12)


def test_a_recording_alone_can_be_played_and_sought(log: Any) -> None:
    scene = Replayed(log, None)
    scene.apply(Seek(1.0))
    assert scene.frame().time == pytest.approx(1.0, abs=0.02)
    scene.advance(50)
    assert scene.frame().time == pytest.approx(1.5, abs=0.02)
    with pytest.raises(PliantError, match="is not a command for a recording"):
        scene.apply(Reference("joint", 1, 0.0))


@pytest.mark.long
def test_an_experiment_is_played_as_its_recipe_plays_it() -> None:
    from pliant.engines.mujoco.batch.trials import played
    from pliant.view.simulated import experiment

    scene = experiment("two_link_step")
    commands = scene._commands
    scene.advance(200)
    motion = played(
        commands.model, commands.control, attached=commands.attached, qpos=commands.qpos
    )
    np.testing.assert_array_equal(scene.robot.data.qpos, motion.qpos[199])


def test_readings_have_their_units_and_the_link_survives_damage(arm: Any) -> None:
    with Session(arm, paused=True) as session:
        head = as_csv(arm.joints, [session.frame]).splitlines()[0].split(",")
        assert head[0] == "time[s]"
        assert "shoulder.stiffness[N m/rad]" in head
        link = link_of(session)
        assert len(link) < 7000
        for broken in ("", "abc", link[:50], link[:-20] + "A" * 20, "%00", "é"):
            with pytest.raises(PliantError, match=r"link|state"):
                open_link(session, broken)
        open_link(session, link)


@pytest.mark.parametrize("rest", [0.0, 0.4, -1.2, 1e-9, 250.0])
def test_a_plot_of_what_is_at_rest_is_a_narrow_one_about_it(rest: float) -> None:
    low, high = _scales([np.full(50, rest), rest + 1e-8 * np.arange(50.0)])["y"]["range"]
    assert (low + high) / 2 == pytest.approx(rest, abs=1e-6)
    assert high - low == pytest.approx(max(0.1, 0.2 * abs(rest)), rel=1e-4)
    assert _scales([rest + np.arange(50.0)]) == SCALES
