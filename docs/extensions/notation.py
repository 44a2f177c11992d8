"""The page of symbols and units, from the vocabulary that the laws are checked against."""

from equations import symbol

from pliant.quantity import notation


def page() -> str:
    """Markdown of the page."""
    units, symbols = (notation()[name] for name in ("units", "symbols"))
    shown = {name: symbol(name) for name in symbols}
    return "\n".join(
        [
            "# Symbols and units",
            "",
            "A symbol has the same meaning in all laws, and every law is checked for consistent",
            "units. Signs and angles: [](../explanation/signs_and_units.md).",
            "",
            "## Symbols of parameters",
            "",
            "| name | in equations | meaning |",
            "|---|---|---|",
            *(
                f"| `{name}` | {f'${shown[name]}$' if shown[name] else ''} | {meaning} |"
                for name, meaning in symbols.items()
            ),
            "",
            "## Units",
            "",
            "Products of these, with integer powers and at most one division: `N m s/rad`, `1/(N m)`.",
            "",
            "| unit | in SI base units |",
            "|---|---|",
            *(f"| `{unit}` | {' '.join(base) or '1'} |" for unit, base in units.items()),
            "",
        ]
    )
