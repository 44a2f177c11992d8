"""The largest friction torque at a speed and load. No state, and no torque: engines compute that."""
