"""Numba's cache of one function, in Pliant's folder, verified, and with no error passed on."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
import hashlib
import io
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import caching, config

from pliant.lower.cache import folder, say

_DIGEST = 32
_caching: Any = caching  # Numba has no types
_config: Any = config


class CacheLocator:
    """Location of a function's compiled code: what Numba calls a locator."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        home = folder()
        assert home is not None  # asked before
        self._line = function.__code__.co_firstlineno
        self._py_file = file
        above = Path(file).parent
        own = hashlib.sha256(os.fsencode(above)).hexdigest()[:16]
        self._folder = home if above == home else home / own

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> "CacheLocator":
        """The one for `function`, which stands in `file`."""
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        self._folder.mkdir(mode=0o700, exist_ok=True)

    def get_cache_path(self) -> str:
        """The folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Digest of the source."""
        return hashlib.sha256(Path(self._py_file).read_bytes()).hexdigest()

    def get_disambiguator(self) -> str:
        """Line number, which distinguishes functions of one name."""
        return str(self._line)


class _Compiled(_caching.CompileResultCacheImpl):
    _locator_classes = (CacheLocator,)

    def __init__(self, function: Callable[..., Any]) -> None:
        chosen = getattr(_config, "CACHE_LOCATOR_CLASSES", "")
        _config.CACHE_LOCATOR_CLASSES = ""
        try:
            super().__init__(function)
        finally:
            _config.CACHE_LOCATOR_CLASSES = chosen


class _Files(_caching.IndexDataCacheFile):
    """Each file ends in the hash of what stands before it: `pickle` does not read that far."""

    @contextmanager
    def _open_for_write(self, filepath: str) -> Generator[io.BytesIO]:
        buffer = io.BytesIO()
        yield buffer
        content = buffer.getvalue()
        with super()._open_for_write(filepath) as file:
            file.write(content + hashlib.sha256(content).digest())

    def _load_index(self) -> Any:
        if Path(self._index_path).exists():
            _verify(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _verify(self._data_path(name))
        return super()._load_data(name)


class Kept(_caching.FunctionCache):
    """The cache of one function."""

    _impl_class = _Compiled

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load compiled code; None if there is none, or none that can be read."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # noqa: BLE001 - reading a pickle can raise anything
            say(f"{self.cache_path}: compiled code is made again ({_short(error)})")
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled, if there is room."""
        try:
            super().save_overload(sig, data)
        except Exception as error:  # noqa: BLE001 - what is not kept is compiled again
            say(f"{self.cache_path}: compiled code cannot be kept ({_short(error)})")
            self.disable()

    def _forget(self) -> None:
        try:
            Path(self._cache_file._index_path).unlink(missing_ok=True)  # noqa: SLF001 - Numba's
        except OSError:
            self.disable()


def _verify(path: str) -> None:
    content = Path(path).read_bytes()
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise ValueError("a file is damaged")


def _short(error: Exception) -> str:
    text = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
    return text.splitlines()[0][:120]
