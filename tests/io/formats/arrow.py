"""pyarrow from its first use on: each worker imports all tests, and these 30 MB serve one of them."""

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # pytest looks through what a module has
        raise AttributeError(name)
    import pyarrow
    import pyarrow.parquet

    return getattr(pyarrow, name)
