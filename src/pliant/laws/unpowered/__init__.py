"""Braking and extra friction of a motor while its driver is off. No friction model: budgets are that."""
