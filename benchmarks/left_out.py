"""Logs of an unseen gain and an unseen load, from five seeds: the table of what helps a prediction.

    python benchmarks/left_out.py --keep FOLDER --sts FOLDER [--variant NAME ...] [--seeds 5] [--full] [--bands]
    python benchmarks/left_out.py --keep FOLDER --table

One cell is a fit to all logs but one group, judged on that group: one JSON file, which is not done
again. The XL330's logs come with Pliant; those of the STS3032 do not (Apache-2.0,
github.com/qua-robotics/bam 3e596d6). They have one load on the XL330, so that only its gains are left out.

With `--bands` a cell also holds the share of the samples left out that the fit's 90 % bands hold, and
how wide these are.

The variant "before" is to be run with an earlier version of Pliant in PYTHONPATH.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sts3032 import BOUNDS

from pliant.assemble import Actuator, with_backlash, with_law, with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identification import SearchSettings, identify
from pliant.identification.problem.task import as_fit
from pliant.identification.result.identification import DRAWS
from pliant.identification.uncertainty.coverage import widened
from pliant.identification.uncertainty.intervals import intervals
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, log_files, read_logs

SEARCH = {"xl330": {"starts": 4}, "sts3032": {"starts": 3}}
"""A third of the search of `pliant identify`, and less: what is compared is compared alike."""
THINNED = {"xl330": 1, "sts3032": 2}
"""Logs of which one is fitted; all that are left out are judged."""
STEP = JointSettings()
GOOD = 1.1
"""Fits of one search within this factor of the best error are members of its ensemble."""

GROUPS: Mapping[str, Callable[[Log], str]] = {
    "gain": lambda log: f"{log.gain:g}",
    "load": lambda log: f"{log.mass:g}kg@{log.length:g}m",
}


@dataclass(frozen=True)
class Variant:
    """One way to fit.

    Attributes:
        laws: port to law. options: of `identify`. facts: pull to the data sheet.
        supply: "nominal", or "measured" by the bench's voltmeter, in fits and judgements.
        change: what else is done to the actuator.
    """

    laws: Mapping[str, str]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    facts: bool = False
    supply: str = "nominal"
    change: Callable[[Actuator], Actuator] = lambda actuator: actuator


def loose(servo: Actuator) -> Actuator:
    """The servo with play before its joint."""
    return with_backlash(servo, 0.004, stiffness=60.0, damping=0.1)


def heated(servo: Actuator) -> Actuator:
    """The servo with one body that warms."""
    known = {"ambient": 298.15, "stated_at": 298.15, "alpha_R": 0.0039, "alpha_k": -0.0011}
    known |= {"R_th": 20.0, "tau_th": 30.0}
    with_heat = with_laws(servo, {"thermal": "one_body"})
    return with_heat.with_values({f"thermal.{k}": x for k, x in known.items()}, "start", "assumed")


def guarded(servo: Actuator) -> Actuator:
    """The servo with Feetech's protection at its registers' factory values."""
    known = {"Overload_Torque": 0.8, "Protection_Time": 2.0, "Protective_Torque": 0.2}
    known |= {"Max_Temperature": 343.15, "fade": 0.0}
    guard = with_laws(servo, {"protection": "feetech_overload"})
    return guard.with_values({f"protection.{k}": x for k, x in known.items()}, "start", "assumed")


PULSED = {"timing": "command_delay", "driver": "pulsed_supply"}
DELAY = {"timing": "command_delay"}
HEAT = {"thermal.R_th": (1.0, 100.0), "thermal.tau_th": (3.0, 300.0)}
PLAY = {"contact.gap": (0.0, 0.03), "contact.k": (10.0, 300.0)}
GUARD = {
    "protection.Overload_Torque": (0.5, 1.0),
    "protection.Protection_Time": (0.5, 4.0),
    "protection.Protective_Torque": (0.1, 0.8),
}
PULSED_M4 = {**PULSED, "friction": "m4"}
ONE_LAW_MORE: Mapping[str, Variant] = {
    "m4": Variant(PULSED_M4),
    "m4 by side": Variant({**PULSED, "friction": "m4_sided"}),
    "m4, gear load": Variant({**PULSED_M4, "gear_load": "without_inertia"}),
    "m4, reversal": Variant({**PULSED_M4, "reversal": "gradual"}),
    "m4, heat": Variant(PULSED_M4, {"fit": HEAT}, change=heated),
    "m4, play": Variant(PULSED_M4, {"fit": PLAY, "fix": ("contact.d",)}, change=loose),
}
"""The model that `pliant identify` begins with, and one law more each."""
VARIANTS: Mapping[str, Mapping[str, Variant]] = {
    "xl330": {
        "before": Variant(PULSED),
        "now": Variant(PULSED),
        "data sheet": Variant(PULSED, facts=True),
        **ONE_LAW_MORE,
        "heat": Variant({**PULSED, "thermal": "one_body"}, {"fit": HEAT}),
        "gear load": Variant({**PULSED, "gear_load": "without_inertia"}),
        "gear load, supply searched": Variant(
            {**PULSED, "gear_load": "without_inertia"}, {"fit": ("driver.R_s",)}
        ),
        "reversal": Variant({**PULSED, "reversal": "gradual"}),
        "no supply law": Variant(DELAY),
        "measured supply": Variant(DELAY, supply="measured"),
    },
    "sts3032": {
        "before": Variant({**PULSED, "friction": "m6"}),
        "now": Variant({**PULSED, "friction": "m6"}),
        "supply searched": Variant({**PULSED, "friction": "m6"}, {"fit": ("driver.R_s",)}),
        **ONE_LAW_MORE,
        "m4, protection": Variant(PULSED_M4, {"fit": GUARD}, change=guarded),
        "gear load": Variant({**PULSED, "friction": "m6", "gear_load": "without_inertia"}),
        "data sheet": Variant({**PULSED, "friction": "m6"}, facts=True),
        "gear load, data sheet": Variant(
            {**PULSED, "friction": "m6", "gear_load": "without_inertia"}, facts=True
        ),
        "reversal": Variant({**PULSED, "friction": "m6", "reversal": "gradual"}),
        "no supply law": Variant({**DELAY, "friction": "m6"}),
        "m4, no supply law": Variant({**DELAY, "friction": "m4"}),
        "m4, gear load, no supply law": Variant(
            {**DELAY, "friction": "m4", "gear_load": "without_inertia"}
        ),
        "m4 by side, no supply law": Variant({**DELAY, "friction": "m4_sided"}),
        "heat": Variant({**DELAY, "friction": "m6", "thermal": "one_body"}, {"fit": HEAT}),
        "measured supply": Variant({**DELAY, "friction": "m6"}, supply="measured"),
    },
}
BASE = {"xl330": "xl330_bam_m6", "sts3032": "sts3032_6V_bam_m1"}


# Six arguments: a fit's own, and how long it searches.
def fitted(
    name: str,
    variant: Variant,
    logs: Sequence[Log],
    out: Sequence[Log],
    seed: int,
    *,
    full: bool = False,
) -> Any:
    """One fit by this version of Pliant; `full`: as long as `pliant identify` searches."""
    actuator = load_actuator(BASE[name])
    for port, law in variant.laws.items():
        actuator = with_law(actuator, port, law)
    actuator = variant.change(actuator)
    options: dict[str, Any] = dict(variant.options)
    if name == "sts3032":
        known = actuator.fields
        boxes = {
            f"{port}.{k}": x
            for port in ("friction", "gear")
            for k, x in BOUNDS.items()
            if f"{port}.{k}" in known
        }
        options["fit"] = as_fit(options.get("fit")) | boxes
        options["fix"] = (*options.get("fix", ()), "control.derivative_gain", "control.dead_band")
    if variant.facts:
        options["datasheet"] = actuator.datasheet
    search = SearchSettings(**({} if full else SEARCH[name]), seed=seed)
    settings = replace(STEP, supply=variant.supply)
    return identify(
        actuator, logs, held_out=out, settings=settings, search_settings=search, **options
    )


# Eight arguments: a cell of the table, its logs, how long it searches, and what else is judged.
def cell(
    name: str,
    variant: Variant,
    by: str,
    group: str,
    seed: int,
    logs: Sequence[Log],
    *,
    full: bool = False,
    bands: bool = False,
) -> Any:
    """Errors [mrad], numbers and times of one fit, as plain values."""
    key = GROUPS[by]
    kept = [log for log in logs if key(log) != group]
    # In blocks of four trajectories: each is there, of one gain or load or another.
    kept = [log for k, log in enumerate(kept) if (k + k // 4) % THINNED[name] == 0]
    out = [log for log in logs if key(log) == group]
    began, cpu = time.monotonic(), time.process_time()
    found = fitted(name, variant, kept, out, seed, full=full)
    taken = time.process_time() - cpu
    judged: Any = found.held_out
    entries = judged.entries if hasattr(judged, "entries") else judged.logs
    each = {entry.log.name: 1e3 * entry.mae for entry in entries}
    plain = {
        "fitted": 1e3 * found.fitted.mae,
        "held_out": 1e3 * found.held_out.mae,
        "each": each,
        "values": {k: float(x) for k, x in getattr(found, "values", {}).items()},
        "zeros": dict(getattr(found, "zeros", {})),
        "seconds": time.monotonic() - began,
        "cpu": taken,
    }
    ends = getattr(getattr(found, "search", None), "ends", [])
    if ends:
        plain |= of_members(found, replace(STEP, supply=variant.supply))
    return plain | (of_bands(found) if bands else {})


def of_bands(found: Any) -> Mapping[str, Any]:
    """Share of the samples left out within the 90 % bands, their width [mrad], and how they came about."""
    sure = intervals(found)
    judged = [entry.log for entry in found.held_out.entries]
    residuals = found.rig.residuals(judged, sure.space)
    runs = residuals(sure.space.to_cube(sure.spread(DRAWS)))
    one = sure.coverage[""]
    parts = residuals.samples.per_block(runs)
    moved = found.rig.torque_response(judged, found.values).tolist()
    bands = [widened(sure, part, response=one) for one, part in zip(moved, parts, strict=True)]
    return {
        "inside": one.held_out,
        "width": 1e3 * float(np.mean(np.concatenate([band.high - band.low for band in bands]))),
        "promised": one.samples,
        "factor": one.factor,
        "margin": 1e3 * one.margin,
    }


def of_members(found: Any, settings: JointSettings) -> Mapping[str, Any]:
    """All ends of the search; the median trajectory of those that are about as good as the best."""
    judged = [entry.log for entry in found.held_out.entries]  # with the zeros of their mountings
    ends = found.search.ends
    engine = JointEngine(found.actuator, settings=settings)
    batch = LogBatch(judged, engine)
    values = np.repeat(engine.values()[None], len(ends), axis=0)
    space = found.space
    points = np.array([one.at[: len(space.names)] for one in ends])  # zeros stand behind
    for k, name in enumerate(space.names):
        values[:, engine.names.index(name)] = space.from_cube(points)[:, k]
    runs, _ = engine.batch(values, batch)
    good = [k for k, one in enumerate(ends) if one.cost <= GOOD * ends[0].cost]

    def error(run: Any) -> float:
        return 1e3 * float(np.mean([np.mean(np.abs(part)) for part in batch.per_block(run)]))

    return {
        "members": len(good),
        "median": error(np.median(runs[good], axis=0) - batch.measured),
        "ends": {
            "cost": [1e3 * one.cost for one in ends],
            "held_out": [error(run - batch.measured) for run in runs],
            "values": {n: values[:, engine.names.index(n)].tolist() for n in space.names},
        },
    }


def run(args: argparse.Namespace) -> None:
    """All cells that are wanted and not there."""
    sets: dict[str, list[Log]] = {}
    if "xl330" in args.set:
        sets["xl330"] = read_logs(example_logs())
    if args.sts and "sts3032" in args.set:
        sets["sts3032"] = read_logs(log_files([args.sts]), repair=["voltage-unit"])
    for seed in range(1, args.seeds + 1):
        for name, logs in sets.items():
            for variant in args.variant:
                if variant not in VARIANTS[name]:
                    continue
                for by in GROUPS:
                    groups = list(dict.fromkeys(GROUPS[by](log) for log in logs))
                    for group in groups if len(groups) > 1 else ():
                        path = args.keep / f"{name}.{variant}.{by}.{group}.{seed}.json"
                        if path.exists() or (args.group and group not in args.group):
                            continue
                        made = cell(
                            name,
                            VARIANTS[name][variant],
                            by,
                            group,
                            seed,
                            logs,
                            full=args.full,
                            bands=args.bands,
                        )
                        path.write_text(json.dumps(made))
                        median = made.get("median", float("nan"))
                        print(
                            f"{path.name}: fitted {made['fitted']:.1f}, held out "
                            f"{made['held_out']:.1f}, median {median:.1f}, {made['cpu']:.1f} s"
                            + (f", {_of_bands([made])}" if args.bands else ""),
                            flush=True,
                        )


def table(folder: Path) -> None:
    """Median and worst over the seeds, of each group and of the mean over the groups."""
    cells: dict[tuple[str, str, str], dict[str, dict[int, Any]]] = {}
    for path in sorted(folder.glob("*.json")):
        name, variant, by, *group, seed = path.name.removesuffix(".json").split(".")
        here = cells.setdefault((name, by, variant), {})
        here.setdefault(".".join(group), {})[int(seed)] = json.loads(path.read_text())
    print("| logs, left out | variant | seeds | fitted | held out: median (worst) | by ensemble |")
    print("|---|---|---|---|---|---|")
    for (name, by, variant), groups in sorted(cells.items()):
        seeds = sorted(set.intersection(*(set(one) for one in groups.values())))
        if not seeds:
            continue

        over = partial(_over, groups, seeds)
        parts = ", ".join(
            f"{g}: {over('held_out', g)} / {over('median', g)}" + _of_bands([*seeded.values()])
            for g, seeded in groups.items()
        )
        print(
            f"| {name}, {by} | {variant} | {len(seeds)} | {over('fitted')} | "
            f"{over('held_out')} | {over('median')}; {parts} |"
        )


def _of_bands(cells: Sequence[Any]) -> str:
    """Share inside the bands [%] and width of each seed, where they were judged."""
    each = [f"{100 * one['inside']:.0f} %, {one['width']:.0f}" for one in cells if "inside" in one]
    return f" (bands {'; '.join(each)})" if each else ""


def _over(
    groups: Mapping[str, Mapping[int, Any]],
    seeds: Sequence[int],
    key: str,
    only: str | None = None,
) -> str:
    """Median and largest over the seeds of the mean over the groups."""
    chosen = [one for group, one in groups.items() if only in (None, group)]
    each = [statistics.mean(one[s].get(key, float("nan")) for one in chosen) for s in seeds]
    return f"{statistics.median(each):.1f} ({max(each):.1f})"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="left_out", description=__doc__)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--sts", type=Path)
    parser.add_argument("--set", nargs="*", default=["xl330", "sts3032"])
    parser.add_argument("--variant", nargs="*", default=["now"])
    parser.add_argument("--group", nargs="*", default=[])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="search as pliant identify does")
    parser.add_argument("--bands", action="store_true", help="judge its 90 %% bands too")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    if given.table:
        table(given.keep)
    else:
        run(given)
