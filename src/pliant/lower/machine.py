"""Machine code of a typed program: compiled once by LLVM, kept as an object file, loaded and called.

A file of the cache is named by the hash of everything that it depends on: the module's text, the
processor, LLVM and this format. It ends in a hash of its content, is never unpickled, and is in a folder
that only the user can write (`cache`). A damaged file is compiled again, with one warning.
"""

import ctypes
import hashlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache as once
from functools import partial
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from pliant.errors import PliantError
from pliant.lower import cache
from pliant.lower.llvm_text import PREFIX, llvm_text
from pliant.lower.python_text import shown
from pliant.lower.typed import Function, Program
from pliant.lower.types import FLOAT, NOTHING, Array, Pointer, Type
from pliant.lower.verify import verify

ACCEPTED = "llvmlite >=0.45,<0.51"
FORMAT = "1"
_SUFFIX, _DIGEST = ".o", 32
_llvm: Any = llvm  # it declares no types
_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class Compiled:
    """Machine code of a program.

    Attributes:
        addresses: entry to its address. functions: entry as a function of numbers and arrays.
        kept_alive: what owns the code.
    """

    addresses: Mapping[str, int]
    functions: Mapping[str, "Entry"]
    kept_alive: Any


class Entry:
    """An entry as a Python function of numbers and dense arrays; it keeps the library alive."""

    def __init__(self, library: Any, address: int, function: Function) -> None:
        narrow = function.narrow
        [returned] = _c_types(function.returns, "return" in narrow)
        given = [one for name, kind in function.arguments for one in _c_types(kind, name in narrow)]
        made: Any = ctypes.CFUNCTYPE(None if function.returns is NOTHING else returned, *given)
        self._code = made(address)
        self._code.kept_alive = library
        self._cells = [
            (name, np.dtype(np.float64 if kind.cell.value is FLOAT else np.int64))
            if isinstance(kind, Array)
            else (name, None)
            for name, kind in function.arguments
        ]

    def __call__(self, *arguments: Any) -> Any:
        """Run the code with these arguments, and return its value."""
        return self._code(*self._given(arguments))

    def bound(self, *arguments: Any) -> Callable[[], Any]:
        """The call with these arguments, converted only once: for arrays that do not move."""
        call: Any = partial(self._code, *self._given(arguments))
        call.kept_alive = arguments
        return call

    def _given(self, arguments: Sequence[Any]) -> list[Any]:
        given: list[Any] = []
        for (name, cell), value in zip(self._cells, arguments, strict=True):
            if cell is None:
                given.append(value)
                continue
            if value.dtype != cell or not value.flags.c_contiguous:
                raise TypeError(f"{name} is not a dense array of {cell}")
            given.append(value.ctypes.data)
            given += value.shape
        return given


def _c_types(kind: Type, narrow: bool) -> list[Any]:
    """C types of an entry's argument or result: an array is its address and its shape."""
    if isinstance(kind, Array):
        return [ctypes.c_void_p, *[ctypes.c_int64] * kind.rank]
    if isinstance(kind, Pointer):
        return [ctypes.c_void_p]
    if kind is FLOAT:
        return [ctypes.c_double]
    return [ctypes.c_int32 if narrow else ctypes.c_int64]


def compiled(program: Program, name: str) -> Compiled:
    """Machine code of `program`, from the cache if it is there.

    Args:
        name: for people, in the names of cached and dumped files.
    """
    text = llvm_text(program)
    with _lock:  # one session for all threads
        _dump(program, text, name)
        library = _linked(program, _object(program, text, name))
    addresses = {entry: library[entry] for entry in program.entries}
    functions = {
        entry: Entry(library, addresses[entry], function)
        for entry, function in program.entries.items()
    }
    return Compiled(addresses, functions, library)


@once
def _target() -> Any:
    """The processor's target machine."""
    release = tuple(int(part) for part in llvmlite.__version__.split(".")[:2])
    if not (0, 45) <= release < (0, 51):
        raise PliantError(
            "this llvmlite cannot be used",
            field="installed llvmlite",
            found=llvmlite.__version__,
            accepted=ACCEPTED,
        )
    _llvm.initialize_native_target()
    _llvm.initialize_native_asmprinter()
    return _llvm.Target.from_default_triple().create_target_machine(
        cpu=_llvm.get_host_cpu_name(),
        features=_llvm.get_host_cpu_features().flatten(),
        opt=2,
        reloc="pic",
        jit=True,
    )


@once
def _session() -> Any:
    return _llvm.create_lljit_compiler(_target())


def _object(program: Program, text: str, name: str) -> bytes:
    """The object file, from the cache or compiled now."""
    made_of = "\0".join(
        [FORMAT, llvmlite.__version__, str(_llvm.llvm_version_info), _processor(), text]
    )
    file = f"{name}_{hashlib.sha256(made_of.encode()).hexdigest()[:40]}{_SUFFIX}"
    kept = _read(file)
    if kept is not None:
        return kept
    verify(program)
    code: bytes = _target().emit_object(_optimised(text))
    cache.keep(file, code + hashlib.sha256(code).digest())
    return code


@once
def _processor() -> str:
    features: Any = _llvm.get_host_cpu_features()
    return f"{_llvm.get_host_cpu_name()} {features.flatten()} {_llvm.get_process_triple()}"


@once
def vector_width() -> int:
    """Floats that the processor computes at once; with NEON, two vectors."""
    return 8 if "+avx512f" in _llvm.get_host_cpu_features().flatten() else 4


def _optimised(text: str) -> Any:
    """LLVM's module after its passes."""
    target = _target()
    module = _llvm.parse_assembly(text)
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    options = _llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = True
    options.loop_unrolling = False  # motions take no longer, compiling up to two fifths less
    builder = _llvm.create_pass_builder(target, options)
    builder.getModulePassManager().run(module, builder)
    return module


_libraries = 0


def _linked(program: Program, code: bytes) -> Any:
    """The code in memory, linked to the functions of this process that it calls."""
    global _libraries  # noqa: PLW0603 - names of libraries must differ
    _libraries += 1
    build = _llvm.JITLibraryBuilder().add_object_img(code).add_current_process()
    for symbol, address in program.symbols.items():
        build = build.import_symbol(PREFIX + symbol, address)
    for entry in program.entries:
        build = build.export_symbol(entry)
    return build.link(_session(), f"pliant_{_libraries}")


def _read(file: str) -> bytes | None:
    content = cache.kept(file)
    if content is None:
        return None
    code, digest = content[:-_DIGEST], content[-_DIGEST:]
    if hashlib.sha256(code).digest() != digest:
        cache.say(f"{cache.folder()}/{file}: is damaged; it is compiled again")
        return None
    return code


def _dump(program: Program, text: str, name: str) -> None:
    """Dump the typed tree, LLVM IR and assembly, if PLIANT_LOWER_DUMP names a folder."""
    wanted = os.environ.get("PLIANT_LOWER_DUMP")
    if not wanted:
        return
    folder, module = Path(wanted), _optimised(text)
    folder.mkdir(parents=True, exist_ok=True)
    forms = {
        "tree": shown(program),
        "ll": text,
        "optimised.ll": str(module),
        "s": _target().emit_assembly(module),
    }
    for form, content in forms.items():
        (folder / f"{name}.{form}").write_text(content, encoding="utf-8")
