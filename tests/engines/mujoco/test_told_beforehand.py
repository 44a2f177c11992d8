"""Steps and options under which robots were seen to run away are told when actuators are attached."""

import warnings

import mujoco
import pytest

import pliant

LINK = '<body pos="0 0 -.05"><joint name="{name}" axis="0 1 0"/><geom size=".005 .02" type="capsule" mass=".01"/>'
CHAIN = (
    "<mujoco><option timestep='{step}' ls_iterations='{search}'/><worldbody>"
    + "".join(LINK.format(name=name) for name in "abc")
    + "</body>" * 3
    + "</worldbody></mujoco>"
)


def told(actuator: str, joints: str, step: float, search: int = 50) -> tuple[str, ...]:
    spec = mujoco.MjSpec.from_string(CHAIN.format(step=step, search=search))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pliant.PliantWarning)
        attachment = pliant.attach(spec, dict.fromkeys(joints, actuator))
    said = (*map(str, attachment.warnings), *attachment.notes)
    return tuple(text for text in said if "carry each other" in text or "ls_iterations" in text)


def test_springs_too_stiff_for_the_step_that_carry_each_other_are_told_with_the_step_that_does() -> (
    None
):
    (said,) = told("qbmove_maker_pro", "abc", 0.004)
    assert "the springs of a, b, c are too stiff for the timestep of 0.004 s" in said
    longest = float(said.partition("a timestep of at most ")[2].partition(" s ")[0])
    assert told("qbmove_maker_pro", "abc", 0.9 * longest) == ()
    assert told("qbmove_maker_pro", "abc", 10.0 * longest) != ()


def test_one_such_spring_alone_is_stable_and_nothing_is_said() -> None:
    assert told("qbmove_maker_pro", "c", 0.004) == ()


@pytest.mark.parametrize(("search", "warned"), [(50, False), (20, True)])
def test_a_short_line_search_is_told_where_friction_is_stiff(search: int, warned: bool) -> None:
    said = told("xl330_bam_m6", "a", 0.002, search)
    assert any("ls_iterations" in text for text in said) is warned


def test_dampers_that_diverge_together_are_told_with_the_step_that_does_not() -> None:
    """Two links whose dampers MuJoCo's Euler integrates explicitly: alone each is stable."""
    link = '<joint name="{}" axis="0 1 0" damping=".4"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.2" mass="1"/>'
    text = (
        "<mujoco><option gravity='0 0 0'><flag eulerdamp='disable'/></option><worldbody><body>"
        f"{link.format('a')}<body pos='0 0 -.2'>{link.format('b')}</body></body></worldbody></mujoco>"
    )

    def swings(step: float) -> bool:
        spec = mujoco.MjSpec.from_string(text)
        spec.option.timestep = step
        model = spec.compile()
        data = mujoco.MjData(model)
        data.qvel[:] = 1e-3, -1e-3
        mujoco.mj_step(model, data, 200)
        return not float(abs(data.qvel).max()) < 1e-3

    def limits(step: float) -> list[float]:
        spec = mujoco.MjSpec.from_string(text)
        spec.option.timestep = step
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pliant.PliantWarning)
            attachment = pliant.attach(spec, dict.fromkeys("ab", "qbmove_maker_pro"))
        found = [one for one in attachment.warnings if "eulerdamp" in str(one)]
        return [one.numbers["limit"] for one in found]

    unstable = next(h for h in (0.002 * 1.1**k for k in range(60)) if swings(h))
    assert limits(unstable) != []
    assert limits(unstable)[0] < unstable < 2.0 * limits(unstable)[0]
    assert limits(0.9 * limits(unstable)[0]) == []
