"""Where the numbers of an actuator stand in a model and in its state.

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
"""Which kind of row this is: one of the two below. MuJoCo's own default is 1."""
SUBSTEPS = 1
"""How many sub-steps the actuator takes in one step of the engine."""
GRIP = 2
"""One over the slip of the joint's friction row (MuJoCo 4.0 saves numbers below 1e-4 as 0)."""
MOBILITY = 3
"""[1/(kg m^2)] Of a joint that moves in the sub-steps too; else 0."""
SECOND = 4
"""How many places behind it the actuator of its second command stood when it was added: where the
search for it begins. What makes it the second command is its form and its joint."""

ACTUATOR_FORM = 2.0
"""The row of an actuator of Pliant."""
SECOND_FORM = 3.0
"""The row of an actuator without a force, whose control is the second command of its joint."""

FINGERPRINT_MARK = "pliant:"
"""Begins the first attribute of a plugin instance; the laws' fingerprint follows."""
FINGERPRINT_DIGITS = 15
"""Hexadecimal ones."""
