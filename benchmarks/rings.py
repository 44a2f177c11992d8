"""Held-out error of a fit, on devices used for tuning settings and on others.

`python benchmarks rings --logs FOLDER`, whose folders are `xl330_pendulum`, `sts3032_pendulum`
(Apache-2.0, github.com/qua-robotics/bam 3e596d6), `hls3606_pendulum` (Apache-2.0, github.com/136dxj/bam_for_hls
9f84909) and `ak80_pendulum` (BSD-3, github.com/dfki-ric-underactuated-lab/torque_limited_simple_pendulum ed17ea2).

Three rings: (a) a group of logs, fitted with all others; (b) the same group held out, for a device on which settings
of the search, priors and bands were chosen; (c) the same for a device not used for any of that. Groups differ in how
well they can be fitted at all, so (b) and (c) are each divided by their (a): the ratio of the two medians shows how
much the settings are overfitted to their devices.
"""

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pliant.identification import Identification, SearchSettings, identify
from pliant.identification.problem.starting_actuator import starting_actuator
from pliant.identification.uncertainty.intervals import intervals
from pliant.io.log import Log, log_files, read_log, read_logs, windows

SEEDS = (1, 2, 3)
PIECE = 0.5
"""[s] Horizon for a torque-driven joint, as no controller corrects the simulation."""
UPRIGHT = 0.3
"""[rad] Pieces that start this close to upright are left out: the direction of their fall is random."""
AK80 = {"energy_shaping_data_measured": 0.546, "direct_collocation_data_measured": 0.546} | {
    "energy_shaping_data_measured_1kg": 1.0
}
"""Runs of the AK80-6, and their loads [kg] at 0.5 m, on a rod of 0.13 kg."""

Group = Callable[[Log], str]


@dataclass(frozen=True)
class Device:
    """Logs of one device, in the ring "b" or "c", and what is held out of them in turn.

    `stated` is its name where the logs do not have it.
    """

    name: str
    ring: str
    logs: Sequence[Log]
    held_out: Sequence[tuple[Group, str]]
    stated: str | None = None


def gain(log: Log) -> str:
    return f"gain {log.gain:g}"


def load(log: Log) -> str:
    return f"{log.mass:g} kg at {log.length:g} m"


def arm(log: Log) -> str:
    return f"arm of {log.length:g} m"


def devices(folder: Path) -> Iterator[Device]:
    """All devices, with their groups."""

    def found(name: str, *repair: str) -> list[Log]:
        return read_logs(log_files([folder / f"{name}_pendulum"]), repair=repair)

    gains = [(gain, f"gain {x}") for x in (100, 200, 800)]
    yield Device("XL330", "b", found("xl330"), gains)
    gains = [(gain, f"gain {x}") for x in (4, 8, 32)]
    loads = [(load, f"0.3247 kg at {x} m") for x in (0.05, 0.07)]
    yield Device(
        "STS3032", "b", found("sts3032", "voltage-unit"), [*gains, *loads, (arm, "arm of 0.07 m")]
    )
    loads = [(load, f"{x} kg at 0.048 m") for x in (0.2, 0.4)]
    yield Device("HLS3606", "c", found("hls3606"), loads)
    runs = list(pieces(folder / "ak80_pendulum"))
    yield Device("AK80-6", "c", runs, [(load, "1 kg at 0.5 m")], "AK80-6")


def pieces(folder: Path) -> Iterator[Log]:
    """The AK80-6's runs, split into pieces."""
    for name, mass in AK80.items():
        run = read_log(folder / f"{name}.csv", mass=mass, length=0.5, arm_mass=0.13)
        for piece in windows(run, PIECE):
            if abs(abs(piece.position[0]) - 3.14159) > UPRIGHT:
                yield piece


def found_by(device: Device, held_out: Sequence[Log], seed: int) -> Identification:
    """Fit as by `pliant identify`, with some logs held out."""
    fitted = [log for log in device.logs if log not in held_out]
    begun, _ = starting_actuator(fitted, device.stated)
    search = SearchSettings(seed=seed)
    return identify(begun, fitted, held_out=held_out, search_settings=search)


def rows(logs: str | None) -> Iterator[tuple[str, str, str]]:
    """One row a group, and the ratio of the rings."""
    if logs is None:
        yield ("rings (a) to (c)", "not measured: give --logs FOLDER", "")
        return
    ratios: dict[str, list[float]] = {"b": [], "c": []}
    for device in devices(Path(logs)):
        whole = [found_by(device, (), seed).fitted for seed in SEEDS]
        for group, name in device.held_out:
            known = 1e3 * statistics.median(one.by(group)[name] for one in whole)
            out = [log for log in device.logs if group(log) == name]
            errors, inside = list[float](), list[float]()
            for seed in SEEDS:
                found = found_by(device, out, seed)
                assert found.held_out is not None
                errors.append(1e3 * found.held_out.mae)
                inside += [one.held_out for one in intervals(found).coverage.values()]
            unseen = statistics.median(errors)
            ratios[device.ring].append(unseen / known)
            bands = f"; bands hold {100 * statistics.median(inside):.0f} %" if inside else ""
            yield (
                f"ring ({device.ring}): {device.name}, {name}, medians of {len(SEEDS)} seeds",
                f"{known:.1f} mrad fitted with the others, {unseen:.1f} held out{bands}",
                "",
            )
    home, elsewhere = (statistics.median(ratios[ring]) for ring in "bc")
    yield (
        "held out over fitted: median elsewhere (c), at home (b), their ratio",
        f"{elsewhere:.2f}, {home:.2f}, {elsewhere / home:.2f}",
        "<= 1.15",
    )
