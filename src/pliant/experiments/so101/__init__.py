"""Public numbers of the SO-101, on recordings of one."""
