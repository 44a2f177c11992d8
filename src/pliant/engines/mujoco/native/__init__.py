"""The plugin: callbacks that Numba compiles and MuJoCo calls.

Every file here is part of the compiled code's fingerprint: what no callback uses lives elsewhere.
"""
