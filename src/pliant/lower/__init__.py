"""Laws for every compiler: source, assembly, link, emit, build. Knows Python, Numba and Warp, and no
engine.
"""
