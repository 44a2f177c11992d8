"""One HTML file that needs nothing else: a template, the style, the plot library, the figures."""

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
    """plotly.js as it lies beside this file, compressed; the page's script unpacks it.

    Its part for cartesian axes alone, of npm's plotly.js-cartesian-dist-min: the Python package
    plotly would add 64 MB and some seconds to every installation.
    """
    packed = files("pliant.report") / "plotly-cartesian.min.js.gz"
    return b64encode(packed.read_bytes()).decode("ascii")
