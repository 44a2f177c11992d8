"""Properties of every law, whatever its family."""

import re

import numpy as np
import pytest

from conformance.drawn import (
    DRAWS,
    EVERY,
    EVERY_FUNCTION,
    call,
    flat,
    lowered,
    parameters,
    random,
)
from pliant.catalogue import Physics
from pliant.lower.units import check_units, functions, result_fault, unit_aware, units
from pliant.quantity import notation
from pliant.subset import check_source


@EVERY
def test_is_written_in_the_subset(law: Physics) -> None:
    check_source(law.path)


@EVERY
def test_speaks_the_vocabulary(law: Physics) -> None:
    assert {field.name for field in law.parameters} <= set(notation()["symbols"])


@EVERY
def test_says_where_it_is_from_and_what_it_leaves_out(law: Physics) -> None:
    text = law.module.__doc__ or ""
    assert re.search(r"\bLeft out: \w", text)
    if law.parameters:
        assert re.search(r"Source: \w|(servos_and_friction|compliant_actuators): \w", text)


@EVERY_FUNCTION
def test_is_homogeneous_in_units(law: Physics, name: str) -> None:
    rng = random(law, name)
    plain = [call(law, name, parameters(law, rng), rng) for _ in range(DRAWS)]
    with unit_aware(law):
        assert [fault for p in plain if (fault := result_fault(law, name, p))] == []


@EVERY
def test_has_no_fault_of_units(law: Physics) -> None:
    check_units(law)


@EVERY_FUNCTION
def test_machine_code_gives_what_python_gives(law: Physics, name: str) -> None:
    rows, expected = _calls(law, name)
    found = lowered("llvm")[law.kind, law.name].evaluate(name, rows)
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0.0)


@EVERY_FUNCTION
def test_generated_python_is_the_law(law: Physics, name: str) -> None:
    rows, expected = _calls(law, name)
    np.testing.assert_array_equal(
        lowered("python")[law.kind, law.name].evaluate(name, rows), expected
    )


@EVERY_FUNCTION
def test_warp_gives_what_python_gives_to_float32(law: Physics, name: str) -> None:
    """Within what a change of the inputs by a few float32 roundings does to the result.

    And one rounding of the largest input of the result's unit, which a difference may leave; for
    two springs that pull against each other, what a turn by 1e-6 rad does.
    """
    wp = pytest.importorskip("warp")
    rows = _calls(law, name)[0].astype(np.float32).astype(float)
    reference = lowered("llvm")[law.kind, law.name]
    expected = reference.evaluate(name, rows)
    alike = rows[:, [unit == _result_unit(law, name) for unit in _column_units(law, name)]]
    largest = np.max(np.abs(alike), axis=1, initial=0.0, keepdims=True)
    slack = 1e-6 * np.abs(expected) + 2e-7 * largest
    for column in range(rows.shape[1]):
        for factor in (1.0 - 1e-6, 1.0 + 1e-6):
            moved = rows.copy()
            moved[:, column] *= factor
            if law.kind == "adjustable_compliance" and column < 2:
                moved[:, column] += factor - 1.0
            slack += np.abs(reference.evaluate(name, moved) - expected)
    for device in ["cpu", "cuda:0"] if wp.is_cuda_available() else ["cpu"]:
        found = lowered("warp")[law.kind, law.name].evaluate(name, rows, device)
        assert np.all(np.abs(found - expected) <= slack), (found - expected) / slack


def _result_unit(law: Physics, name: str) -> str:
    return units(law, name).get("return") or (law.state[0].unit if law.state else "1")


def _column_units(law: Physics, name: str) -> list[str]:
    known = units(law, name)
    known |= {f"p.{f.name}": f.unit for f in law.parameters}
    known |= {f"s.{f.name}": f.unit for f in law.state}
    return [known[column] for column in lowered("llvm")[law.kind, law.name].columns[name]]


def _calls(law: Physics, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(N, C) arguments in rows, and (N, R) what the law's own Python makes of them."""
    rng = random(law, name)
    calls = [call(law, name, parameters(law, rng), rng) for _ in range(DRAWS)]
    results = [flat(getattr(law.module, name)(*arguments)) for arguments in calls]
    return np.array([flat(arguments) for arguments in calls]), np.array(results)


@EVERY
def test_a_file_lowers_with_all_its_functions(law: Physics) -> None:
    one = lowered("python")[law.kind, law.name]
    assert set(functions(law)) <= set(one.functions)
    assert one.structures["P"]._fields == law.module.P._fields
    assert set(functions(law)) <= set(lowered("llvm")[law.kind, law.name].loops)


@EVERY
def test_every_number_says_what_it_is(law: Physics) -> None:
    for field in (*law.parameters, *law.state):
        assert re.fullmatch(r"\S.{2,70}", field.meaning), f"{law.name}.{field.name}"
