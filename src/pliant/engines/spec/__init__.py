"""Editing an `MjSpec`, for any engine: joints, friction rows, steps, delays, slots.

It knows MuJoCo's spec and the assembled actuator, and no engine: what registers, compiles or steps
anything lives in the engine's own room.
"""
