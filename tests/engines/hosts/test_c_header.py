"""The header of every choice of laws, compiled: the numbers of Python, in double and in float."""

import ctypes
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.cli import main
from pliant.engines.hosts.c_header import c_header, identifier
from pliant.errors import PliantError

from .cases import BY_LAWS, COLUMNS, FEW, H, driven, known, stepped

HISTORY = 100
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
COMPILERS = {
    "gcc": ["gcc", "-std=c99"],
    "clang": ["clang", "-std=c99"],
    "g++": ["g++", "-x", "c++", "-std=c++17"],
    "clang++": ["clang++", "-x", "c++", "-std=c++17"],
    "mingw": ["x86_64-w64-mingw32-gcc", "-std=c99"],
    "arm": ["arm-none-eabi-gcc", "-std=c99", "-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard"],
}
DRIVER = """
EXPORT void run_@(int n, const double *rows, double h, double *out, int *size) {
  static const @_parameters p = ^_VALUES;
  @_state s;
  int k, wrong = @_start(&s, &p, (@_real)rows[2], (@_real)h);
  for (k = 0; k < n; k++) {
    const double *x = rows + 8 * k;
    @_input in;
    @_output got;
    ASSIGNED
    got = @_step(&s, &p, &in, (@_real)h);
    out[2 * k] = wrong ? NAN : got.torque;
    out[2 * k + 1] = wrong ? NAN : got.budget;
  }
  *size = (int)sizeof s;
}
"""


def source(folder: Path, names: tuple[str, ...], real: str) -> Path:
    """One program with the headers of all."""
    assigned = " ".join(f"in.{c} = (@_real)x[{k}];" for k, c in enumerate(COLUMNS))
    text = '#ifdef __cplusplus\n#define EXPORT extern "C"\n#else\n#define EXPORT\n#endif\n'
    for name in names:
        own = identifier(name)
        (folder / f"{own}.h").write_text(c_header(known(name), own))
        driver = f"void run_{own}(int, const double *, double, double *, int *);"
        text += f"#define {own.upper()}_REAL {real}\n#define {own.upper()}_HISTORY {HISTORY}\n"
        text += f'#include "{own}.h"\nEXPORT {driver}'
        text += DRIVER.replace("ASSIGNED", assigned).replace("@", own).replace("^", own.upper())
    path = folder / f"all_{real}.c"
    path.write_text(text)
    return path


def compile_(compiler: str, *words: str | Path) -> None:
    command = COMPILERS[compiler]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(
        [*command, *STRICT, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:2000]


@cache
def library(names: tuple[str, ...], real: str) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "all.so")
        text = source(Path(folder), names, real)
        compile_("gcc", "-O1", "-fPIC", "-shared", text, "-o", made, "-lm")
        return ctypes.CDLL(str(made))


def run(name: str, real: str, rows: Floats) -> Floats:
    """Torque and budget over rows of inputs, in one kind of number."""
    out, size, given = np.full((len(rows), 2), np.nan), ctypes.c_int(), np.ascontiguousarray(rows)
    function = getattr(library(FEW if name in FEW else (name,), real), f"run_{identifier(name)}")
    pointer, number = ctypes.c_void_p, ctypes.c_double
    function.argtypes = [ctypes.c_int, pointer, number, pointer, pointer]
    function(len(rows), given.ctypes.data, H, out.ctypes.data, ctypes.byref(size))
    return out


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_LAWS)
def test_the_header_gives_the_numbers_of_python(name: str) -> None:
    actuator = known(name)
    rows, expected = driven(actuator, HISTORY, count=450)
    assert np.isfinite(expected).all() and np.ptp(expected[:, 0]) > 0.0
    np.testing.assert_allclose(run(name, "double", rows), expected, rtol=1e-12, atol=1e-12)
    # The arithmetic in float may change as much as one ulp of the angles and commands does in Python.
    near, ways = rows.astype(np.float32), np.random.default_rng(2).choice([-1, 1], (len(rows), 3))
    near[:, :3] = np.nextafter(near[:, :3], np.inf * ways.astype(np.float32))
    after = stepped(actuator, HISTORY, float(near[0, 2]))
    moved = np.array([after(row) for row in near.tolist()]) - expected
    bar = 1e-5 * np.abs(expected).max() + np.abs(moved).max()
    np.testing.assert_allclose(run(name, "float", rows), expected, rtol=0.0, atol=bar)


@pytest.mark.parametrize("real", ["double", "float"])
def test_what_is_no_command_makes_no_number_and_the_next_one_does(real: str) -> None:
    for name in FEW:
        rows = driven(known(name), HISTORY, count=60)[0]
        rows[20:40, 0] = [1.1e10, -1e30, np.inf, np.nan] * 5
        torque = run(name, real, rows)[:, 0]
        assert (
            np.isnan(torque[25:40]).all()
            and np.isfinite(torque[[*range(20), *range(45, 60)]]).all()
        )


@pytest.mark.slow
@pytest.mark.parametrize("compiler", [c for c in COMPILERS if c != "gcc"])
def test_other_compilers_take_it_without_a_warning(compiler: str, tmp_path: Path) -> None:
    """In float: doubles are narrowed there, and nowhere else."""
    compile_(compiler, "-O1", "-c", source(tmp_path, FEW, "float"), "-o", tmp_path / "all.o")


def test_a_text_that_ends_its_comment_stays_in_it() -> None:
    actuator = pliant.load_actuator("mx106_bam_m4")
    named = actuator.with_values({"motor.k_t": 2.0}, "*/ int x; /* ??/\n #error", "assumed")
    text = c_header(named)
    assert "* / int x; / * ? ?/ #error" in text and "\n #error" not in text


def test_bad_requests_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.h"
    with pytest.raises(PliantError, match=r"no such target; found .rust.; accepted: c, fmu2"):
        pliant.export("mx106_bam_m4", "rust", path)
    assert pliant.export("mx106_bam_m4", "c", path).path == path
    with pytest.raises(PliantError, match=r"a\.h: exists already"):
        pliant.export("mx106_bam_m4", "c", path)
    pliant.export("mx106_bam_m4", "c", path, overwrite=True)


def test_the_page_tells_how_large_a_state_is(tmp_path: Path) -> None:
    page = Path("docs/how_to/c_header.md").read_text("utf-8")
    names = re.findall(r"`(\w+)` (?:is )?\d+", page[page.index("On a Cortex-M4") :])
    told = re.search(r"with ([\d, and]+) bytes of\s+state", page)
    assert told and len(names) == 3
    for name, size in zip(names, re.findall(r"\d+", told[1]), strict=True):
        text = f'#define S_REAL float\n#include "{name}.h"\ntypedef char right[sizeof(s_state) == {size} ? 1 : -1];'
        (tmp_path / f"{name}.h").write_text(c_header(known(name), "s"))
        (tmp_path / f"{name}.c").write_text(text)
        compile_("gcc", "-c", tmp_path / f"{name}.c", "-o", tmp_path / "x.o")


def test_another_gain_is_in_the_header(tmp_path: Path) -> None:
    pliant.export("xl330_bam_m6", "c", tmp_path / "a.h", gain=123.0)
    assert "123.0, /* control.kp [1]," in (tmp_path / "a.h").read_text()


def test_the_command_writes_what_the_function_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, other = tmp_path / "a.h", tmp_path / "b.h"
    pliant.export("mx106_bam_m4", "c", path, name="servo")
    words = ["export", "mx106_bam_m4", str(other), "--to", "c", "--name", "servo"]
    assert main(words) == 0 and other.read_text() == path.read_text()
    assert main(words) == 1 and "exists already" in capsys.readouterr().err
    assert main([*words, "--to=rust"]) == 1
    said = capsys.readouterr().err
    assert (
        said.startswith("pliant: --to: is not a choice; found 'rust'; accepted: c, fmu2")
        and said.count("\n") == 1
    )
    assert main([*words[:-1], "9 lives", "--overwrite"]) == 1
    assert "name: cannot begin a name in C; found '9 lives'" in capsys.readouterr().err
