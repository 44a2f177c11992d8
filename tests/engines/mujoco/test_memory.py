"""Loads and stores of compiled code against NumPy's own."""

import numpy as np
from numba import cfunc, njit, types

from pliant.engines.mujoco.native import memory


def test_every_kind_of_field_reads_as_numpy_wrote_it():
    record = np.array(
        [(1.5, -7, 2**40, 12345)],
        dtype=[("x", "f8"), ("i", "i4"), ("n", "i8"), ("p", "u8")],
    )

    @njit
    def read(base):
        return (
            memory.number(base, 0),
            memory.integer(base, 8),
            memory.size(base, 12),
            memory.pointer(base, 20),
        )

    assert read(record.ctypes.data) == (1.5, -7, 2**40, 12345)


def test_elements_and_views_share_the_memory():
    floats, ints = np.arange(4.0), np.array([5, 6, 7], np.int32)
    flags = np.array([False, True])

    @njit
    def touch(floats, ints, flags):
        memory.set_number_at(floats, 1, 10.0)
        view = memory.numbers(floats, 4)
        view[3] = 20.0
        return (
            memory.number_at(floats, 3),
            memory.integer_at(ints, 2),
            memory.byte_at(flags, 1) != 0,
        )

    result = touch(floats.ctypes.data, ints.ctypes.data, flags.ctypes.data)
    assert result == (20.0, 7, True)
    np.testing.assert_array_equal(floats, [0.0, 10.0, 2.0, 20.0])


def test_they_work_in_a_c_callback():
    values = np.arange(3.0)

    @cfunc(types.float64(types.intp), error_model="numpy")
    def last(address):
        return memory.number_at(address, 2) / memory.number_at(address, 1)

    assert last.ctypes(values.ctypes.data) == 2.0
