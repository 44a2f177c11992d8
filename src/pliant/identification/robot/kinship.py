"""Whether the priors of a robot's joints are of the devices that it has."""

from collections.abc import Mapping

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.posterior import Prior
from pliant.identification.problem.same_device import kinship, other_firmware


def robot_kinship(prior: Prior, actuators: Mapping[str, Actuator]) -> tuple[list[str], list[Doubt]]:
    """The kinship of each joint in words, and doubts where the firmware is another.

    Args:
        prior: an actuator for some joints. actuators: joint to what is fitted.

    Raises:
        PliantError: the prior is of a joint without an actuator.
    """
    words: list[str] = []
    doubts: list[Doubt] = []
    for joint, theirs in prior.actuators.items():
        if joint not in actuators:
            raise PliantError(
                "the prior names a joint that has no actuator here",
                field="prior",
                found=joint,
                accepted=actuators,
            )
        mine = actuators[joint]
        words += [f"{joint}: {word}" for word in kinship(theirs, mine, ())]
        doubts += [
            Doubt(d.kind, tuple(f"{joint}.{n}" for n in d.parameters), f"{joint}: {d.text}")
            for d in other_firmware(theirs, mine)
        ]
    return words, doubts
