"""Several kinds of actuators that no one has compiled here yet, compiled side by side.

Numba holds one lock for all threads, hence processes. What they make is found in the cache; where
one fails, this process compiles as ever, and says what is wrong.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable, Sequence

from pliant.assemble import Actuator
from pliant.engines.mujoco.moved import PluginSources
from pliant.engines.mujoco.plugin.register import is_compiled, register
from pliant.lower.cache import cache_folder, folder

__all__ = ["compile_given", "register_all"]


def register_all(actuators: Iterable[Actuator]) -> list[str]:
    """The plugin of each actuator, as `register` makes it; what has to be compiled is shown."""
    wanted = list(actuators)
    kinds = {_kind(actuator): actuator for actuator in wanted}
    missing = [actuator for actuator in kinds.values() if not is_compiled(actuator)]
    if not missing:
        pass
    elif sys.stderr.isatty():
        from rich.console import Console

        names = ", ".join(actuator.name for actuator in missing)
        console, text = Console(stderr=True), f"compiling {names}, once on this machine"
        if console.is_dumb_terminal:  # it cannot take a line back
            console.print(text)
        with console.status(text):
            _compiled(missing)
    else:
        _compiled(missing)
    return [register(actuator).name for actuator in wanted]


def compile_given() -> None:
    """Compile the recipes on stdin; what a process of `register_all` runs."""
    for recipe in pickle.load(sys.stdin.buffer):  # noqa: S301 - from the process that began this one
        register(recipe.actuator())


def _kind(actuator: Actuator) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Files that a plugin is compiled from."""
    laws = tuple((port, str(law.path)) for port, law in actuator.laws.items())
    return str(actuator.topology.path), laws


def _compiled(actuators: Sequence[Actuator]) -> None:
    """Fill the cache: every n-th kind here, the others in processes beside this one."""
    shared = folder() == cache_folder()  # a folder of this process alone helps no other
    count = min(os.cpu_count() or 1, len(actuators)) if shared and sys.executable else 1
    others = [_process(actuators[k::count]) for k in range(1, count)]
    try:
        for actuator in actuators[::count]:
            register(actuator)
        for other in others:
            other.wait()
    finally:
        for other in others:
            other.kill()
            other.wait()


def _process(actuators: Sequence[Actuator]) -> "subprocess.Popen[bytes]":
    code = f"from {__name__} import compile_given; compile_given()"
    process = subprocess.Popen(  # noqa: S603 - nothing in it comes from outside
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdin is not None
    try:
        with process.stdin as pipe:
            pickle.dump([PluginSources.of(actuator) for actuator in actuators], pipe)
    except BrokenPipeError:
        pass  # it has ended already; this process compiles what is missing
    return process
