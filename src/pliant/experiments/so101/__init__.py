"""Public parameter sets of the SO-101, tested on recordings of one."""
