"""The torques that a gear carries, of those on either side of it. No friction: budgets take them."""
