"""Slots of an actuator's numbers in a model and in its state.

Compiled code and Python both read these names: a new number gets its place here and nowhere else.

    mjData.act        AGE, REACTION, then from STATE on the state in the order of `Actuator.state`
    actuator_user     the parameters in the order of `Actuator.fields`, and nothing else
    actuator_dynprm   what the engine chose for this joint and timestep: FORM ... SECOND

MuJoCo itself uses none of `actuator_dynprm` with dyntype `user`. It is kept apart from the
parameters because training scripts scale whole rows of `actuator_user`.

An actuator that MuJoCo alone read out of a file has neither `act` nor `actuator_user`. Its numbers
are the plugin's: `mjData.plugin_state` holds what `act` would, then its rates, and `plugin_data` the
address of the parameters; see `mujoco.plugin.written`.
"""

AGE = 0
"""[s] Since the reset; 0 means that the actuator has rested where its joint is now."""
REACTION = 1
"""[N m] What contacts and limits did to the joint in the last step."""
STATE = 2

FORM = 0
"""Kind of the row: one of the two below. MuJoCo's own default is 1."""
SUBSTEPS = 1
"""Sub-steps of the actuator in one step of the engine."""
GRIP = 2
"""One over the slip of the joint's friction row (MuJoCo 4.0 saves numbers below 1e-4 as 0)."""
MOBILITY = 3
"""[1/(kg m^2)] Mobility of a joint that moves in the sub-steps too; negative, or 0 where an older
Pliant saved the row: it does not, at this timestep."""
SECOND = 4
"""Distance to the actuator of its second command when that was added: the search for it begins
there. Form and joint make it the second command, not the distance."""

SEAL = 5
"""The first of two places for a number that tells laws and parameters of an actuator that MuJoCo
alone has read."""

MADE_FOR = 7
"""[s] Timestep for which the others were chosen; 0 where an older Pliant saved the row."""
WITHHELD = 8
"""[rad/s^2] Acceleration of the joint that its friction withstands."""
LONGEST = 9
"""[s] Longest timestep for which there are sub-steps enough."""
CHOSEN = (SUBSTEPS, GRIP, MOBILITY, MADE_FOR, WITHHELD, LONGEST)
"""Slots that depend on parameters, inertia and timestep."""

LOCK = -3
"""A locked `plugin_stateadr` and the address that it stands for, -1 or more, have this sum."""

ACTUATOR_FORM = 2.0
"""The row of an actuator of Pliant."""
WRITTEN_FORM = 4.0
"""The row of one that MuJoCo alone read; its sub-steps are 0 until its inertia is known."""
SECOND_FORM = 3.0
"""The row of an actuator without a force, whose control is the second command of its joint."""

FINGERPRINT_MARK = "pliant:"
"""Begins the first attribute of a plugin instance; the laws' fingerprint follows."""
FINGERPRINT_DIGITS = 15
"""Hexadecimal ones."""
