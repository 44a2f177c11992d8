"""Laws of `--law`: one for a port is taken, of several each is a model to compare."""

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pliant.cli.choices import pairs
from pliant.cli.fit_plan import FitPlan
from pliant.errors import PliantError
from pliant.identification.selection.choice import usual_extensions

if TYPE_CHECKING:
    from pliant.assemble import Actuator

FORM = "port=law, such as friction=m4"


def laws(texts: Sequence[str]) -> dict[str, list[str]]:
    """Port to its laws, of "friction=m1", "m4", "timing=command_delay".

    Raises:
        PliantError: a text has another form, or a law stands twice.
    """
    found: dict[str, list[str]] = {}
    port = ""
    for text in texts:
        before, equals, law = (part.strip() for part in text.partition("="))
        if equals:
            port = before
        else:
            law = before
        if not (port and law):
            raise PliantError("cannot be read", field="--law", found=text, accepted=FORM)
        if law in found.setdefault(port, []):
            raise PliantError("is given twice", field="--law", found=f"{port}={law}")
        found[port].append(law)
    return found


def of_all(texts: Sequence[str]) -> dict[str, str]:
    """Port to its law, where it has one: what all models share."""
    return {port: one[0] for port, one in laws(texts).items() if len(one) == 1}


def is_choice(plan: FitPlan) -> bool:
    """Whether several models are to be compared."""
    several = any(len(one) > 1 for one in laws(plan.law).values())
    return several or bool(plan.extension) or (plan.robot is None and len(plan.actuator) > 1)


def models(plan: FitPlan, actuator: "Actuator") -> list[dict[str, str]]:
    """The laws of each model, by port: every combination, with each of `extension`."""
    several = {port: one for port, one in laws(plan.law).items() if len(one) > 1}
    combined = [
        dict(zip(several, one, strict=True)) for one in itertools.product(*several.values())
    ]
    return [{**one, **more} for one in combined for more in _extensions(plan.extension, actuator)]


def _extensions(texts: Sequence[str], actuator: "Actuator") -> Sequence[Mapping[str, str]]:
    """Laws to try each model with, by port; the first is none."""
    if tuple(texts) == ("usual",):
        return usual_extensions(actuator)
    form = "usual, or port=law, or several joined by +"
    return [{}, *(pairs(text.split("+"), "plan: extension", form) for text in texts)]
