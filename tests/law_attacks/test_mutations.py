"""Laws with words replaced, left out and exchanged are laws or refused.

PLIANT_MUTATIONS says how many, 300 by default."""

import os
import random
import re
from pathlib import Path

import pytest

from pliant.catalogue import law_files, load_law, load_topology, topology_files
from pliant.errors import PliantError
from pliant.lower.units import check_units
from pliant.ports import FAMILIES

from .laws import RUN

MUTATIONS = int(os.environ.get("PLIANT_MUTATIONS", "300"))
ODD = [RUN, "lambda: 0", "eval", "__class__", "sys", "'x'", "1j", "9" * 30, "1e999", "None", "..."]
ODD += [
    "@",
    "await",
    "import",
    "from",
    "**",
    ":=",
    "[0]",
    "{}",
    "\0",
    "\u0441",
    "\uff45",
    "_x",
    "a__b",
]
ODD += ["\\", "\f", "\t", "#", "if True:", "class", "return", "float", "P", "S", "Parameters", "\n"]


def mutated(text: str, words: list[str], rng: random.Random) -> str:
    """Some of its words replaced, put in, left out, exchanged or said twice."""
    for _ in range(rng.randint(1, 4)):
        parts = re.findall(r"\w+|[^\w\s]|\s+", text)
        i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(5):
            case 0:
                parts[i] = rng.choice(words)
            case 1:
                parts.insert(i, rng.choice(words))
            case 2:
                del parts[i]
            case 3:
                parts[i], parts[j] = parts[j], parts[i]
            case _:
                parts[i:i] = parts[i : i + rng.randint(1, 60)]
        text = "".join(parts)
    return text


@pytest.mark.parametrize("seed", range(4))
def test_mutated_laws_are_laws_or_refused_with_their_place(here: Path, seed: int) -> None:
    rng = random.Random(seed)
    known = [(f, p.read_text()) for f in FAMILIES for p in law_files(f).values()]
    known += [("topology", p.read_text()) for p in topology_files().values()]
    words = ODD + sorted({w for _, text in known for w in re.findall(r"\w+|[^\w\s]", text)})
    for k in range(MUTATIONS // 4):
        family, text = rng.choice(known)
        path = here / f"mutated_{k}.py"
        path.write_text(mutated(text, words, rng), "utf-8", newline="")
        try:
            if family == "topology":
                load_topology(str(path))
            else:
                check_units(load_law(family, str(path)))
        except PliantError as error:
            said = str(error)
        else:
            continue
        assert said.startswith(str(path))
