"""Actuators for hosts that move the joints themselves: other simulators, firmware, networks."""
