"""Options that take several values: `--law a=b c=d` means `--law a=b --law c=d`.

Said twice by itself the option is unambiguous; said once with several values it must not swallow
the files that follow, so each option knows what its values look like.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

_PARAMETER = re.compile(r"[\w*?-]+(\.[\w*?-]+)+(=.+)?")
"""`port.symbol`, `joint.port.symbol`, `*.motor.R`, each also with `=…`."""


def _pair(text: str) -> bool:
    return "=" in text and not Path(text).exists()


def _parameter(text: str) -> bool:
    is_log = text.endswith((".json", ".csv"))
    return bool(_PARAMETER.fullmatch(text)) and not is_log and not Path(text).exists()


def _repair(text: str) -> bool:
    from pliant.io.findings import REPAIRS

    return text in {*REPAIRS, "all"} and not Path(text).exists()


def _model(text: str) -> bool:
    return text.isidentifier() and not Path(text).exists()


def _joint(text: str) -> bool:
    return not text.endswith((".json", ".csv")) and not Path(text).exists()


def _angle(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return not Path(text).exists()


def _offset(text: str) -> bool:
    return text in ("angle", "torque") and not Path(text).exists()


REPEATED: dict[str, Callable[[str], bool]] = {
    "--law": _pair,
    "--attach": _pair,
    "--goal": _pair,
    "--fit": _parameter,
    "--fix": _parameter,
    "--hold-out": _pair,
    "--model": _model,
    "--extension": _pair,
    "--repair": _repair,
    "--joint": _joint,
    "--theta": _angle,
    "--offset": _offset,
}
"""Option to what a further value of it looks like."""


def expanded(argv: Sequence[str]) -> list[str]:
    """`argv` with every such option said once for each of its values."""
    out: list[str] = []
    option: str | None = None
    taken = 0
    for token in argv:
        if token.startswith("--"):
            name = token.replace("_", "-")
            option, taken = (name if name in REPEATED else None), 0
        elif option is not None and taken:
            if REPEATED[option](token):
                out.append(option)
            else:
                option = None
        out.append(token)
        taken += 1 if option is not None and not token.startswith("--") else 0
    return out
