"""The compiled code: what MuJoCo calls in each step, and the helpers that it calls."""
