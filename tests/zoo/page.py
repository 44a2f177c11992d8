"""The documentation page with the outcome for each model."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .packages import PACKAGES
from .test_zoo import reason
from .trial import COMPLIANT, POWER, SERVO, TRAINING, Record, Run

HEAD = """# Tested robot models

Actuators were attached to every MJCF and URDF file with joints in these packages, on {date} with Pliant {pliant} and
MuJoCo {mujoco} (`python -m tests.zoo --page docs/zoo.md`): {packages}.

Every hinge gets a servo (`{servo}`), then a compliant actuator (`{compliant}`), which replace the model's own
actuators (`replace=True`). Each model runs for 2 s (at most 2000 steps) with goals that swing by 0.2 rad. It runs with
its own options, and with two sets that are common in training: implicitfast, 2.5 times the step and up to 5 ms, 10
iterations; Euler, twice the step and up to 4 ms, 5 iterations. All of it takes six minutes on one core.

"Runs" means that

- every number is finite, there is no bad state, and the energy stays below that from {power:g} W per joint plus twice
  what the model gains without actuators;
- copies made half-way (of the data, of the model, by pickle) continue bit for bit;
- removed actuators are reported, the others keep their order, and every control is where [](how_to/attach.md) says.

| | models |
|---|---|
{counts}

"""


def page(records: Path, note: str = "") -> str:
    """Markdown of all records in a folder; `note` says what is particular about them."""
    loaded = [_record(path) for path in sorted(records.glob("*.json"))]
    ran = [record for record in loaded if not record.refused]
    whole = [r for r in ran if all(run.sound and not run.refused for run in r.runs) and r.runs]
    partly = [r for r in ran if r not in whole]
    why = Counter(reason("model", r.refused) or r.refused for r in loaded if r.refused)
    mended = [r for r in ran if r.repaired]
    counts = [
        ("tried", len(loaded)),
        ("run with both actuators and all options", len(whole)),
        ("run with some of them; the table says why not with all", len(partly)),
        ('of both, only with `repair=["inertia", "meshes"]`', len(mended)),
        *((f"refused: {text}", number) for text, number in why.most_common()),
    ]
    head = HEAD.format(
        date=datetime.now(UTC).date(),
        pliant=version("pliant"),
        mujoco=version("mujoco"),
        packages=", ".join(f"{name} {number}" for name, number in PACKAGES.items()),
        servo=SERVO,
        compliant=COMPLIANT,
        power=POWER,
        counts="\n".join(f"| {text} | {number} |" for text, number in counts),
    )
    head += f"{note}\n\n" if note else ""
    return head + "\n\n".join(_section(package, loaded) for package in PACKAGES) + "\n"


def _record(path: Path) -> Record:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    runs = [Run(**run) for run in content.pop("runs")]
    return Record(**content, runs=runs)


def _section(package: str, records: Sequence[Record]) -> str:
    mine = [record for record in records if record.model.startswith(f"{package}:")]
    lines = [f"## {package}", "", "| model | hinges | replaced | outcome |", "|---|---|---|---|"]
    for record in mine:
        name = record.model.partition(":")[2].removeprefix("cmeel.prefix/share/")
        lines.append(
            f"| {_short(name)} | {record.hinges or ''} | {len(record.had) or ''} | {_outcome(record)} |"
        )
    return "\n".join(lines)


def _outcome(record: Record) -> str:
    if record.refused:
        return f"refused: {reason('model', record.refused)}"
    said: list[str] = []
    for run in record.runs:
        at = f"{'servo' if run.actuator == SERVO else 'compliant'}, {run.options}"
        if run.refused:
            said.append(f"{at}: refused, {reason('actuator', run.refused)}")
        elif not run.sound:
            said.append(f"{at}: ran away{_cause(run)}")
    said += [f"{name}: diverges without any actuator" for name in record.unstable]
    total = 2 * len(TRAINING)
    good = sum(run.sound and not run.refused for run in record.runs)
    if record.repaired:
        inertias = sum("moments of inertia" in note for note in record.repaired)
        masses = sum("no mass or inertia" in note for note in record.repaired)
        meshes = len(record.repaired) - inertias - masses
        counts = {"inertia": inertias, "mass": masses, "mesh or texture": meshes}
        said.append("repaired: " + ", ".join(f"{n} × {what}" for what, n in counts.items() if n))
    return "; ".join(["runs" if good == total else f"{good} of {total} run", *said])


def _cause(run: Run) -> str:
    signs = {
        "ls_iterations": "line search",
        "carry each other": "chain of stiff springs",
        "welded to the world": "bodies within each other",
        "eulerdamp": "its own damping",
    }
    found = [text for sign, text in signs.items() if any(sign in w for w in run.warnings)]
    if not run.warnings:
        return ", as the repair of its masses told"
    return f", as was warned: {', '.join(found) or 'timestep'}"


def _short(name: str) -> str:
    parts = name.split("/")
    return name if len(parts) < 4 else f"{parts[0]}/…/{'/'.join(parts[-2:])}"
