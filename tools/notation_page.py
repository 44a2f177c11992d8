"""Write `docs/notation.md` from the vocabulary that the laws are checked against.

python tools/notation_page.py
"""

from pathlib import Path

from pliant.quantity import notation

PAGE = Path(__file__).parents[1] / "docs" / "notation.md"


def page() -> str:
    units, symbols = (notation()[name] for name in ("units", "symbols"))
    lines = [
        "# Notation",
        "",
        "Made from `src/pliant/notation.toml` by `tools/notation_page.py`.",
        "",
        "## Symbols of parameters",
        "",
        "| symbol | meaning |",
        "|---|---|",
        *(f"| `{symbol}` | {meaning} |" for symbol, meaning in symbols.items()),
        "",
        "## Units",
        "",
        "Products of these, with integer powers and at most one division: `N m s/rad`, `1/(N m)`.",
        "",
        "| unit | in SI base units |",
        "|---|---|",
        *(f"| `{unit}` | {' '.join(base) or '1'} |" for unit, base in units.items()),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
