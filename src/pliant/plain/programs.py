"""Plain numbers as text of Python for Isaac Lab and Genesis, and as TOML for everything else."""

from pliant.plain.sheet import Sheet, digits


def isaaclab(sheet: Sheet) -> str:
    """Configurations of actuators: each joint's `DelayedPDActuatorCfg`, with the names of Isaac Lab 3.0.

    Its own damping is clipped with the rest of the torque, so that the joint's is viscous friction.
    """
    parts: list[str] = []
    for joint, one in sheet.joints.items():
        x, steps = one.numbers, round(one.numbers.delay / sheet.step)
        parts.append(
            f"    {joint or one.whole.name!r}: DelayedPDActuatorCfg(\n"
            f"        joint_names_expr=[{joint or '.*'!r}],\n"
            f"        stiffness={digits(x.kp)},\n        damping={digits(x.kv)},\n"
            f"        friction={digits(x.friction)},\n        dynamic_friction={digits(x.friction)},\n"
            f"        viscous_friction={digits(x.damping)},\n        armature={digits(x.armature)},\n"
            f"        actuator_effort_limit={digits(x.force)},\n"
            f"        actuator_velocity_limit={digits(x.speed)},\n"
            f"        min_delay={steps},\n        max_delay={steps},  # steps of {sheet.step:g} s\n    ),\n"
        )
    return (
        f"{sheet.comment('# ')}\n\nfrom isaaclab.actuators import DelayedPDActuatorCfg\n\n"
        "ACTUATORS = {\n" + "".join(parts) + "}\n"
    )


def genesis(sheet: Sheet) -> str:
    """A function that sets the numbers of a built entity's joints."""
    names = [joint or one.whole.name for joint, one in sheet.joints.items()]
    numbers = [one.numbers for one in sheet.joints.values()]
    columns = {
        "kp": [x.kp for x in numbers],
        "kv": [x.kv for x in numbers],
        "damping": [x.damping for x in numbers],
        "frictionloss": [x.friction for x in numbers],
        "armature": [x.armature for x in numbers],
    }
    force = ", ".join(digits(x.force) for x in numbers)
    lines = [
        f"    entity.set_dofs_{n}([{', '.join(map(digits, c))}], dofs)" for n, c in columns.items()
    ]
    return (
        f"{sheet.comment('# ')}\n\nJOINTS = {names!r}\n\n\n"
        "def set_numbers(entity, joints=JOINTS):\n"
        '    """Set the numbers of an entity\'s joints, after `scene.build()`; returns their dofs."""\n'
        "    dofs = [entity.get_joint(name).dofs_idx_local[0] for name in joints]\n"
        + "\n".join(lines)
        + f"\n    limits = [{force}]\n    entity.set_dofs_force_range([-x for x in limits], limits, dofs)\n"
        "    return dofs\n"
    )


def numbers(sheet: Sheet) -> str:
    """A table for each joint, for any program."""
    units = {
        "kp": "N m/rad",
        "force": "N m",
        "damping": "N m s/rad",
        "friction": "N m",
        "armature": "kg m^2",
        "delay": "s",
        "speed": "rad/s",
    }
    parts: list[str] = []
    for joint, one in sheet.joints.items():
        parts.append(f'["{_toml(joint or one.whole.name)}"]\n')
        for name, unit in units.items():
            parts.append(f"{name} = {float(digits(getattr(one.numbers, name)))!r}  # {unit}\n")
    return f"{sheet.comment('# ')}\n\n" + "".join(parts)


def _toml(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
