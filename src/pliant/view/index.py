"""The page's HTML: viser's client, with a title, the theme, and light or dark as the system is."""

from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

__all__ = ["index"]

_FOLLOW_SYSTEM = """<script>
(() => {
  const asked = new URLSearchParams(location.search);
  if (matchMedia('(prefers-color-scheme: dark)').matches && !asked.has('lightMode'))
    asked.set('darkMode', '');
  asked.delete('state');  // a reload begins anew
  history.replaceState(null, '', `${location.pathname}?${asked}`);
})();
</script>"""
"""Before the client reads the address: `darkMode` is its own word for dark."""


@cache
def index(title: str) -> str:
    """The HTML of the page."""
    import viser

    client = (Path(viser.__file__).parent / "client" / "build" / "index.html").read_text("utf-8")
    style = (files("pliant.view") / "page.css").read_text("utf-8")
    head = f"<title>{escape(title)}</title>{_FOLLOW_SYSTEM}<style>{style}</style>"
    begin = client.index("<head>") + len("<head>")
    return client[:begin] + head + client[begin:]
