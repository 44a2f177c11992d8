"""A motor while its driver is off. No friction model: budgets are one."""
