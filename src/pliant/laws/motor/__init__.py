"""Torque of a motor from duty or current. No inductance (`winding`), no rotor, no friction."""
