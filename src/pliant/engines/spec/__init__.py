"""Editing an `MjSpec`, for any engine: joints, friction rows, steps, delays, slots.

It uses MuJoCo's spec and the assembled actuator, but no engine: registering, compiling and stepping
are in the engines' own rooms.
"""
