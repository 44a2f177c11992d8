"""Checks that logs, prior and actuator are of one device, voltage and firmware."""

from collections.abc import Iterable, Mapping, Sequence

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.posterior import Prior
from pliant.identification.problem.simulation import AnyLog
from pliant.identification.problem.space import named
from pliant.identification.problem.starting_actuator import bare
from pliant.io.log import Log

APART = 0.05
"""Relative: nominal voltages that differ by more are two voltages."""


def mismatches(actuators: Mapping[str, Actuator], logs: Sequence[AnyLog]) -> list[Doubt]:
    """Doubts if bench logs are of another device or voltage than the actuator; a robot's logs name neither."""
    known = of_bench(logs)
    return [doubt for actuator in actuators.values() for doubt in _mismatches(actuator, known)]


def _mismatches(actuator: Actuator, logs: Sequence[Log]) -> list[Doubt]:
    return [
        *(Doubt("another device", (), text) for text in _devices(actuator, logs)),
        *(Doubt("another voltage", ("own.voltage",), text) for text in _voltages(actuator, logs)),
    ]


def of_bench(logs: Iterable[AnyLog]) -> list[Log]:
    """Those of a joint on a bench."""
    return [log for log in logs if isinstance(log, Log)]


def gains(logs: Iterable[AnyLog]) -> list[float]:
    """P-gains of logs of a bench."""
    return sorted({log.gain for log in of_bench(logs)})


def _other_firmware(prior: Actuator, actuator: Actuator) -> list[Doubt]:
    """Doubts if the actuator to fit has another firmware than the prior."""
    doubts: list[Doubt] = []
    a, b = prior.laws.get("control"), actuator.laws.get("control")
    if a is not None and b is not None and a.name != b.name:
        text = f"another firmware law: {a.name} in the prior, {b.name} here"
        doubts.append(Doubt("another firmware", (), text))
    for name, number in prior.numbers.items():
        here = actuator.numbers.get(name)
        if number.how == "firmware" and here is not None and here.value != number.value:
            values = f"{number.value:.4g} in the prior, {here.value:.4g} here"
            text = f"another firmware: {name} is {values}"
            doubts.append(Doubt("another firmware", (name,), text))
    return doubts


def kinship(
    prior: Prior, actuators: Mapping[str, Actuator], logs: Sequence[AnyLog]
) -> tuple[list[str], list[Doubt]]:
    """Whether a prior is of the same devices, voltages and firmware, in words, and doubts where it is not.

    Args:
        prior: an actuator for some joints. actuators: joint to the fitted actuator; "" on a bench.
        logs: that are fitted; those of a bench may name a device and a voltage.

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
        mine, ahead, known = actuators[joint], f"{joint}: " if joint else "", of_bench(logs)
        words += [f"{ahead}{word}" for word in _kinship(theirs, mine, known)]
        doubts += [
            Doubt(d.kind, tuple(named(joint, n) for n in d.parameters), f"{ahead}{d.text}")
            for d in (*_other_firmware(theirs, mine), *_mismatches(theirs, known))
        ]
    return words, doubts


def _kinship(prior: Actuator, actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    known = {log.device for log in logs} - {"unknown"}
    if _devices(prior, logs) or bare(prior.device) != bare(actuator.device):
        device = "another device"
    else:
        device = "the same device" if known else "the logs do not name their device"
    stated = {log.supply for log in logs} - {None}
    if not stated or "own.voltage" not in prior.numbers:
        voltage = "the logs do not state a voltage"
    else:
        voltage = "another voltage" if _voltages(prior, logs) else "the same voltage"
    differs = _other_firmware(prior, actuator)
    firmware = "another firmware" if differs else "the same firmware numbers"
    return [f"{device} ({prior.device})", voltage, f"{firmware}, by the actuators' files"]


def _devices(actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    """Sentences; names agree where one begins with the other: "sts3032" and "sts3032_6V"."""
    mine = bare(actuator.device)
    others = {log.device: 0 for log in logs if log.device != "unknown"}
    for log in logs:
        if log.device in others:
            others[log.device] += 1
    return [
        f"the logs are of another device: {count} of {len(logs)} say {name!r}, {actuator.name} is "
        f"of {actuator.device!r}"
        for name, count in others.items()
        if not (bare(name).startswith(mine) or mine.startswith(bare(name)))
    ]


def _voltages(actuator: Actuator, logs: Sequence[Log]) -> list[str]:
    if "own.voltage" not in actuator.numbers:
        return []
    nominal = actuator.value("own.voltage")
    found = sorted({log.supply for log in logs if log.supply is not None})
    other = [volt for volt in found if abs(volt - nominal) > APART * nominal]
    if not other:
        return []
    volts = ", ".join(f"{volt:g}" for volt in other)
    return [f"another voltage: the logs say {volts} V, {actuator.name} is for {nominal:g} V"]
