"""Clutches and brakes by command: how much torque passes, and how hard they brake. No spring."""
