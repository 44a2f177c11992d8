"""The command `pliant`. Light to import: each command loads what it needs when it runs."""

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done. 1: something given to it cannot be used. 2: the command line cannot be read.
    130: interrupted.
    """
    from pliant.cli.entry import run

    return run(argv)
