"""From duty or ampere to torque. No inductance (`winding`), no rotor, no friction."""
