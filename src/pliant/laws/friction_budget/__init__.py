"""The largest friction torque at a speed under a load. No state, and no torque: engines make it."""
