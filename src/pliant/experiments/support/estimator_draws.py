"""Draws side by side: the compiled parts of simulation and estimator need no interpreter."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """`function` of each, one thread for each processor, in the order of `items`.

    `warnings.catch_warnings` belongs around the call and not into `function`: threads share it.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
