"""Commanded clutches and brakes: the torque that a clutch holds and the damping of a brake. No spring."""
