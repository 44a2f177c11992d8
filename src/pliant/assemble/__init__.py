"""Assembly of actuators: a topology, a law at each port, and a value with a source for each parameter.

This room defines and runs no law and reads no file: `io` reads, `lower` compiles.
"""

from pliant.assemble.actuator import Actuator, Equations, assemble, still
from pliant.assemble.checks import check_laws
from pliant.assemble.ensemble import Ensemble
from pliant.assemble.exchange import with_backlash, with_law, with_laws
from pliant.assemble.parameters import (
    BENCH,
    FACTS,
    OWN,
    Fact,
    How,
    Number,
    bench_fields,
    fields_of,
    of_bench,
)
from pliant.assemble.servo_range import AT_JOINT, armature_bounds, bounded_by_gear
from pliant.assemble.united import united, united_laws

__all__ = [
    "AT_JOINT",
    "BENCH",
    "FACTS",
    "OWN",
    "Actuator",
    "Ensemble",
    "Equations",
    "Fact",
    "How",
    "Number",
    "armature_bounds",
    "assemble",
    "bench_fields",
    "bounded_by_gear",
    "check_laws",
    "fields_of",
    "of_bench",
    "still",
    "united",
    "united_laws",
    "with_backlash",
    "with_law",
    "with_laws",
]
