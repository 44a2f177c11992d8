"""One HTML file that needs nothing else: a template, the style, the plot library, the figures."""

import gzip
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

__all__ = ["rendered"]


def rendered(template: str, **values: Any) -> str:
    """The page of a template; every value in it is escaped.

    Args:
        template: file name in `templates`. values: what it names.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("pliant.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["plot_library"] = _plot_library
    return made


@cache
def _plot_library() -> str:
    """plotly.js, compressed to a third; the page's script unpacks it."""
    text = (files("plotly") / "package_data" / "plotly.min.js").read_bytes()
    return b64encode(gzip.compress(text, 9, mtime=0)).decode("ascii")
