"""The native code under valgrind: no address that is not its own is read or written."""
