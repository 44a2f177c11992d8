"""The form of a search that was interrupted: what its checkpoint holds of each part."""

from typing import Annotated, Any

from pydantic import Field

from pliant.io.validated import Strict, validated

_Count = Annotated[int, Field(ge=0)]
_Error = Annotated[float, Field(allow_inf_nan=True)]
"""[rad] Infinite where a simulation has run away."""


class _Done(Strict):
    point: list[float]
    cost: _Error
    error: _Error
    evaluations: _Count


class _Descent(Strict):
    at: list[float]
    damping: float
    jacobians: _Count
    stuck: bool | _Count
    done: _Done


class _Search(Strict):
    finished: dict[str, _Done]
    descents: dict[str, _Descent]


def check_search(finished: Any, descents: Any) -> None:
    """Refuse parts of a search that are not of their form.

    Raises:
        PliantError: for the first number that is not finite, with its place.
    """
    validated(_Search, {"finished": finished, "descents": descents})
