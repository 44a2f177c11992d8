"""FMUs: FMPy finds no fault in them, and they give the numbers of Python."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pytest

import pliant

from .cases import COLUMNS, FEW, H, driven, known

INPUTS = ["goal", "preset", "position", "velocity", *COLUMNS[4:]]


@pytest.mark.long
@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("name", FEW)
def test_fmpy_takes_it_and_simulates_the_numbers_of_python(
    name: str, number: int, tmp_path: Path
) -> None:
    fmpy = pytest.importorskip("fmpy")
    from fmpy.validation import validate_fmu

    actuator = known(name)
    rows, expected = driven(actuator, history=100, count=300)
    path = tmp_path / "a.fmu"
    pliant.export(actuator, f"fmu{number}", path, name="servo")
    assert validate_fmu(str(path)) == []
    time = H * np.arange(len(rows))
    given = np.array(
        [(t, *row) for t, row in zip(time, rows, strict=True)],
        dtype=[("time", float), *((n, float) for n in INPUTS)],
    )
    options = {"stop_time": time[-1], "step_size": H, "output_interval": H, "input": given}
    found = fmpy.simulate_fmu(str(path), output=["torque", "budget", "armature"], **options)
    got = np.stack([found["torque"], found["budget"]], axis=1)[1:]
    count = len(got)
    np.testing.assert_allclose(got, expected[:count], rtol=1e-12, atol=1e-12)
    assert count >= len(rows) - 1 and np.ptp(got[:, 0]) > 0.0
    first = next(iter(actuator.fields))
    changed = {first: actuator.values[0]}
    again = fmpy.simulate_fmu(str(path), output=["torque"], start_values=changed, **options)
    assert (again["torque"] == found["torque"]).all()


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compilers_take_its_source_without_a_warning(
    compiler: str, number: int, tmp_path: Path
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    pliant.export("qbmove_maker_pro", f"fmu{number}", tmp_path / "a.fmu")
    with zipfile.ZipFile(tmp_path / "a.fmu") as archive:
        archive.extractall(tmp_path)
    words = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "sources/fmu.c"]
    done = subprocess.run([*words, "-o", "fmu.o"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
