"""Robots of light arms, each on a joint of its own, as URDF text of the toolbox."""

INERTIA = 0.01


def plugin(device: str, joint: str, mode: int = 6, tags: str = "", external: str = "true") -> str:
    return f"""<gazebo>
  <plugin name="vsa_{joint}" filename="lib{device}_plugin.so">
    <joint>{joint}</joint><operation_mode>{mode}</operation_mode>
    # stray text, as in the toolbox's files
    <pub_eltau>true</pub_eltau><pub_state>true</pub_state><sub_ext_tau>{external}</sub_ext_tau>
    {tags}
  </plugin>
</gazebo>"""


def arm(joint: str, dynamics: str = 'damping="0.065" friction="0.0"') -> str:
    """A link that turns about the vertical with INERTIA, so that gravity does nothing."""
    return f"""<joint name="{joint}" type="revolute">
  <parent link="base"/><child link="{joint}_arm"/><origin xyz="0 0 0.035"/><axis xyz="0 0 1"/>
  <limit lower="-3.14" upper="3.14" effort="300" velocity="100"/>
  <dynamics {dynamics}/>
</joint>
<link name="{joint}_arm"><inertial><mass value="0.1"/>
  <inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/>
</inertial></link>"""


def robot(*parts: str) -> str:
    return f'<robot name="r"><link name="world"/><link name="base"/>{FIXED}{"".join(parts)}</robot>'


FIXED = '<joint name="fixed" type="fixed"><parent link="world"/><child link="base"/></joint>'
