"""Robots that others made: every MJCF and URDF file that six public packages ship."""
