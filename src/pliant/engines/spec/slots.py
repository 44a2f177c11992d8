"""Slots of an actuator's numbers in a model and in its state.

Compiled code and Python both read these names: a new number gets its place here and nowhere else.

    mjData.act        AGE, REACTION, then from STATE on the state in the order of `Actuator.state`
    actuator_user     the parameters in the order of `Actuator.fields`, and nothing else
    actuator_dynprm   what the engine chose for this joint and timestep: FORM ... SECOND

MuJoCo itself uses none of `actuator_dynprm` with dyntype `user`. It is kept apart from the
parameters because training scripts scale whole rows of `actuator_user`.
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
"""[1/(kg m^2)] Mobility of a joint that moves in the sub-steps too; else 0."""
SECOND = 4
"""Distance to the actuator of its second command when that was added: the search for it begins
there. Form and joint make it the second command, not the distance."""

ACTUATOR_FORM = 2.0
"""The row of an actuator of Pliant."""
SECOND_FORM = 3.0
"""The row of an actuator without a force, whose control is the second command of its joint."""

FINGERPRINT_MARK = "pliant:"
"""Begins the first attribute of a plugin instance; the laws' fingerprint follows."""
FINGERPRINT_DIGITS = 15
"""Hexadecimal ones."""
