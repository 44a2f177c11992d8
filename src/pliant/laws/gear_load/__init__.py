"""Torques that a gear carries, from those on either side of it. No friction: budgets use them."""
