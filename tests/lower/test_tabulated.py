"""A spring given by a table: it reproduces the table, and all its loads come from one energy."""

import itertools
from math import cosh, sinh
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.catalogue import Physics, load_law
from pliant.errors import PliantError
from pliant.lower.law import lower_law
from pliant.lower.tabulated import write_tabulated_law
from pliant.lower.units import check_units

K, A = 0.022, 6.85
DEFLECTIONS = np.linspace(-0.4, 0.4, 17)
PRESETS = np.linspace(0.0, 0.5, 9)


def qbmove_torque(phi: float, s: float) -> float:
    """Torque of two equal springs at the preset s (compliant_actuators: 1.6)."""
    return 2.0 * K * cosh(A * s) * sinh(A * phi)


def qbmove_energy(phi: float, s: float) -> float:
    return 2.0 * K / A * (cosh(A * s) * cosh(A * phi) - 1.0)


def write_table(path: Path, rest: bool = True, every: int = 1) -> Path:
    lines = ["deflection,preset,torque" + (",rest_energy" if rest else "")]
    for phi, s in itertools.product(DEFLECTIONS[::every], PRESETS[::every]):
        line = f"{phi!r},{s!r},{qbmove_torque(phi, s)!r}"
        lines.append(line + (f",{qbmove_energy(0.0, s)!r}" if rest else ""))
    path.write_text("\n".join(lines).replace("np.float64(", "").replace(")", ""), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def law(tmp_path_factory: pytest.TempPathFactory) -> Physics:
    folder = tmp_path_factory.mktemp("tabulated")
    write_tabulated_law(
        write_table(folder / "qbmove.csv"), folder / "qbmove_table.py", source="a qbmove"
    )
    return load_law("adjustable_compliance", str(folder / "qbmove_table.py"))


def test_the_nodes_are_those_of_the_table(law: Physics) -> None:
    p = law.module.P()
    for phi, s in itertools.product(DEFLECTIONS, PRESETS):
        expected = pytest.approx(qbmove_torque(phi, s), rel=1e-12, abs=1e-13)
        assert law.module.torque(0.3 + phi, 0.3, s, p) == expected


def test_a_sampled_qbmove_is_met_between_the_nodes(law: Physics) -> None:
    """17 deflections to 0.4 rad, 9 presets to 0.5 rad."""
    p, m = law.module.P(), law.module
    fine = list(itertools.product(np.linspace(-0.4, 0.4, 81), np.linspace(0.0, 0.5, 51)))
    largest = qbmove_torque(0.4, 0.5)
    assert max(abs(m.torque(f, 0.0, s, p) - qbmove_torque(f, s)) for f, s in fine) < 1e-3 * largest
    most = qbmove_energy(0.4, 0.5)
    assert max(abs(m.energy(f, 0.0, s, p) - qbmove_energy(f, s)) for f, s in fine) < 1e-3 * most
    pushed = 2.0 * K * sinh(A * 0.5) * cosh(A * 0.4)
    wrong = [
        abs(m.adjuster_load(f, 0.0, s, p) - 2.0 * K * sinh(A * s) * cosh(A * f)) for f, s in fine
    ]
    assert max(wrong) < 1e-2 * pushed


@pytest.mark.parametrize(
    ("derivative", "of", "by"),
    [
        ("torque", "energy", 0),
        ("load", "energy", 1),
        ("adjuster_load", "energy", 2),
        ("stiffness", "torque", 0),
        ("coupling", "torque", 2),
        ("coupling", "adjuster_load", 0),
    ],
)
def test_each_load_is_the_slope_of_one_energy(
    law: Physics, derivative: str, of: str, by: int
) -> None:
    """Inside the table and beyond it; a fourth-order difference is exact for the polynomials."""
    f, d = getattr(law.module, of), getattr(law.module, derivative)
    p, h = law.module.P(), 1e-3
    rng = np.random.default_rng(3)
    for phi, s in rng.uniform((-0.6, -0.1), (0.6, 0.6), (300, 2)):
        pose = [0.2 + phi, 0.2, s]
        if min(abs(DEFLECTIONS - phi)) < 3 * h or min(abs(PRESETS - s)) < 3 * h:
            continue

        def moved(by_how_much: float, pose: list[float] = pose) -> Any:
            at = list(pose)
            at[by] += by_how_much
            return f(*at, p)

        slope = (8.0 * (moved(h) - moved(-h)) - moved(2.0 * h) + moved(-2.0 * h)) / (12.0 * h)
        assert d(*pose, p) == pytest.approx(slope, rel=1e-8, abs=1e-9)


def test_energy_is_smooth_across_cells_and_never_negative(law: Physics) -> None:
    p, m = law.module.P(), law.module
    for phi, s in itertools.product(DEFLECTIONS, (*PRESETS[:-1] + 0.01, 0.5)):
        for name in ("energy", "torque", "stiffness"):
            before, after = (getattr(m, name)(phi + e, 0.0, s, p) for e in (-1e-11, 1e-11))
            assert after == pytest.approx(before, rel=1e-7, abs=1e-8)
        assert m.energy(phi, 0.0, s, p) >= 0.0
    for s in PRESETS[1:-1]:
        before, after = (m.adjuster_load(0.13, 0.0, s + e, p) for e in (-1e-11, 1e-11))
        assert after == pytest.approx(before, rel=1e-7)


def test_without_rest_energy_the_undeflected_device_stores_nothing(tmp_path: Path) -> None:
    write_tabulated_law(write_table(tmp_path / "t.csv", rest=False), tmp_path / "plain.py")
    m = load_law("adjustable_compliance", str(tmp_path / "plain.py")).module
    for s in np.linspace(0.0, 0.5, 21):
        assert m.energy(0.0, 0.0, s, m.P()) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("adjuster", ["rad", "m"])
def test_units_agree_and_machine_code_gives_what_python_gives(
    tmp_path: Path, adjuster: str
) -> None:
    path = tmp_path / f"in_{adjuster}.py"
    write_tabulated_law(write_table(tmp_path / "t.csv", every=4), path, adjuster=adjuster)
    law = load_law("adjustable_compliance", str(path))
    check_units(law)
    if adjuster == "m":
        return
    rows = np.random.default_rng(5).uniform((-0.6, -0.1, -0.1), (0.6, 0.1, 0.6), (200, 3))
    compiled = lower_law(law, "llvm")
    for name in ("energy", "torque", "adjuster_load", "stiffness", "coupling"):
        expected = [[getattr(law.module, name)(*row, law.module.P())] for row in rows]
        np.testing.assert_allclose(compiled.evaluate(name, rows), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("deflection,preset", "angle,preset", "has the wrong columns"),
        ("-0.4,0.0,", "-0.4,0.0625,", "is not a full grid"),
        ("-0.4,0.0,", "-0.4,zero,", "not a number"),
    ],
)
def test_a_bad_table_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    table = write_table(tmp_path / "t.csv")
    table.write_text(table.read_text().replace(old, new, 1))
    with pytest.raises(PliantError, match=message):
        write_tabulated_law(table, tmp_path / "law.py")


def test_a_one_sided_table_and_a_wrong_unit_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = itertools.product((0.1, 0.2, 0.3, 0.4), (0.0, 1.0))
    table.write_text("deflection,preset,torque\n" + "\n".join(f"{a},{b},{a}" for a, b in rows))
    with pytest.raises(PliantError, match="does not enclose zero deflection"):
        write_tabulated_law(table, tmp_path / "law.py")
    with pytest.raises(PliantError, match="not a unit of an adjuster; found 'deg'"):
        write_tabulated_law(table, tmp_path / "law.py", adjuster="deg")
