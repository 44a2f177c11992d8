"""MuJoCo's C engine: attach, the native plugin (`plugin`, `native`), many simulations (`batch`)."""
