"""Firmware: from goal and measured motion to a duty, a current or a torque. No sensor, no delay."""
