"""URDFs of the toolbox's predecessor: its two plugins, against its equations written out here."""

from math import sinh

import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.robots import Robot, load_urdf

ROBOT = """<robot name="r"><link name="base"/><link name="arm"><inertial>
<origin xyz="0 0.04 0"/><mass value="0.4"/>
<inertia ixx="0.001" iyy="0.001" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-3" upper="3" effort="300" velocity="100"/><dynamics damping="0.01"/></joint>
<gazebo><plugin name="p" filename="{}"><joint>j1</joint>{}<sub_ext_tau>true</sub_ext_tau>
</plugin></gazebo></robot>"""
ADVANCED = "libadvanced_plugin.so"
INERTIA = 0.002 + 0.4 * 0.04**2
EXTERNAL = 0.03


def springs(first, second):
    def pull(q):
        deflections = (min(max(q - theta, -0.8), 0.8) for theta in (first, second))
        return -0.0222 * sum(sinh(6.7328 * phi) for phi in deflections)

    return pull


CASES = {
    "motors": (ADVANCED, "<control_type>0</control_type>", (0.7, -0.2), springs(0.7, -0.2)),
    "preset": (ADVANCED, "<control_type>1</control_type>", (0.3, 0.4), springs(0.7, -0.1)),
    "torque": (ADVANCED, "<control_type>2</control_type>", (0.05, 0.0), lambda q: 0.05),
    "sea": (
        "libsea_plugin.so",
        "<namespace>x</namespace><stiffness>10</stiffness><pub_eltau>true</pub_eltau>"
        "<pub_state>true</pub_state>",
        (0.3, 0.0),
        lambda q: 10.0 * (0.3 - q),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_the_link_moves_as_the_predecessors_equations_say(case, tmp_path):
    file, tags, told, pull = CASES[case]
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format(file, tags))
    spec, info = load_urdf(path, timestep=2e-4)
    assert "of the toolbox's predecessor" in info.notes[0]
    model = spec.compile()
    robot = Robot(model, info, target="python")
    robot.reference_1, robot.external_torque = [told[0]], [EXTERNAL]
    if case in ("motors", "preset"):
        robot.reference_2 = [told[1]]
    for _ in range(1500):
        robot.step()

    def rates(t, y):
        return [y[1], (pull(y[0]) - 0.06 * y[1] - EXTERNAL) / INERTIA]

    exact = solve_ivp(rates, (0.0, 0.3), [0.0, 0.0], "DOP853", rtol=1e-10, atol=1e-12)
    assert robot.link.position[0] == pytest.approx(exact.y[0, -1], abs=2e-3)


@pytest.mark.parametrize(
    ("file", "tags", "said"),
    [
        (ADVANCED, "", "control_type: tag is missing; accepted: 0, 1, 2"),
        (ADVANCED, "<control_type>3</control_type>", "its motors are those of other plugins"),
        (ADVANCED, "<control_type>7</control_type>", "unknown control type; found '7'"),
        (
            "libsea_plugin.so",
            "<operation_mode>2</operation_mode><stiffness>3</stiffness>",
            "stiffness: is of the predecessor, operation_mode of the toolbox; accepted: spring_k",
        ),
        ("libsea_plugin.so", "<stiffness>soft</stiffness>", "stiffness"),
    ],
)
def test_what_the_predecessor_would_not_have_run_is_refused(file, tags, said, tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT.format(file, tags))
    with pytest.raises(pliant.PliantError, match=said.replace("(", r"\(")) as refused:
        load_urdf(path)
    assert "plugin p" in str(refused.value)
