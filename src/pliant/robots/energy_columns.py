"""Quantities of energy, as tables show them."""

SHOWN = {
    "drawn": "from the supply",
    "electrical": "less what went back",
    "copper_loss": "heat in windings",
    "mechanical": "work",
    "friction": "friction",
    "damping": "damping",
    "elastic": "into springs",
    "link": "to the link",
}
"""Quantity of `Energy` to its column."""
