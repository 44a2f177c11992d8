"""Random robots, as text, for both engines."""

import numpy as np


def _vector(values) -> str:
    return " ".join(f"{x:.12g}" for x in values)


def _unit(rng, n=3) -> str:
    v = rng.normal(size=n)
    return _vector(v / np.linalg.norm(v))


def _inertial(rng) -> str:
    a, b = rng.uniform(0.01, 0.03, 2)
    c = rng.uniform(abs(a - b) + 1e-3, a + b - 1e-3)
    return (
        f'<inertial pos="{_vector(rng.uniform(-0.1, 0.1, 3))}" mass="{rng.uniform(0.3, 2):.12g}" '
        f'quat="{_unit(rng, 4)}" diaginertia="{_vector([a, b, c])}"/>'
    )


def chain(seed: int, n: int, *, plain: bool = False) -> str:
    """MJCF of n joints: turned frames, anchors off the origin, rotor inertia, branches, slides,
    bodies of two joints, reference angles; `plain`: hinges of one chain."""
    rng = np.random.default_rng(seed)
    opened, text = 0, ""
    made = 0
    while made < n:
        text += f'<body pos="{_vector(rng.uniform(-0.3, 0.3, 3))}" quat="{_unit(rng, 4)}">'
        opened += 1
        for _ in range(1 if plain else min(int(rng.integers(1, 3)), n - made)):
            kind = "slide" if not plain and rng.random() < 0.2 else "hinge"
            extra = (
                ""
                if plain
                else f' ref="{rng.uniform(-0.5, 0.5):.12g}" armature="{rng.uniform(0, 0.05):.12g}" '
                f'damping="0.3" frictionloss="0.1" stiffness="2"'
            )
            anchor = _vector(rng.uniform(-0.1, 0.1, 3))
            text += f'<joint name="j{made}" type="{kind}" axis="{_unit(rng)}" pos="{anchor}"'
            text += f"{extra}/>"
            made += 1
        text += _inertial(rng)
        if not plain and rng.random() < 0.3 and opened > 1:
            text += "</body>"
            opened -= 1
    text += "</body>" * opened
    return (
        '<mujoco><compiler angle="radian" autolimits="false"/><option gravity="0.3 -1 -9.81"/>'
        f"<worldbody>{text}</worldbody></mujoco>"
    )


def motion(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """q, v, a, jerk."""
    rng = np.random.default_rng(seed + 1000)
    return tuple(rng.normal(size=(4, n)) * np.array([[1.0], [1.5], [3.0], [8.0]]))


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.1" rpy="0.1 0.2 0.3"/><mass value="0.8"/>
    <inertia ixx="0.01" iyy="0.012" izz="0.004" ixy="0.001" ixz="0.0005" iyz="-0.0003"/></inertial>
    <visual><geometry><mesh filename="package://nowhere/upper.stl"/></geometry></visual>
    <collision><geometry><mesh filename="package://nowhere/upper.stl"/></geometry></collision>
  </link>
  <link name="fore"><inertial><origin xyz="0.02 0 -0.12"/><mass value="0.5"/>
    <inertia ixx="0.006" iyy="0.006" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0 0.01 -0.03"/><mass value="0.2"/>
    <inertia ixx="0.0006" iyy="0.0007" izz="0.0003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0 0.05"/><mass value="0.1"/>
    <inertia ixx="0.0002" iyy="0.0002" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.4" rpy="0 0.3 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="10" velocity="5"/><dynamics damping="0.2" friction="0.1"/>
  </joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    <origin xyz="0 0 -0.25" rpy="0.2 0 0.1"/><axis xyz="0.6 0.8 0"/></joint>
  <joint name="a_wrist" type="prismatic"><parent link="fore"/><child link="hand"/>
    <origin xyz="0 0 -0.2"/><axis xyz="0 0 1"/>
    <limit lower="-0.1" upper="0.1" effort="10" velocity="5"/></joint>
  <joint name="mount" type="fixed"><parent link="hand"/><child link="tool"/>
    <origin xyz="0 0 -0.05" rpy="0 0.4 0"/></joint>
</robot>
"""
"""Its mesh files do not exist."""
