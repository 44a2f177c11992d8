"""Ctrl-C while MuJoCo is imported, sent by the very child that glfw starts."""

import subprocess
import sys
import textwrap

PROGRAM = """
    import os, signal, subprocess, time
    from pliant.cli.__main__ import hold_interrupts_while_importing

    signal.signal(signal.SIGINT, signal.default_int_handler)
    hold_interrupts_while_importing()
    begun = subprocess.Popen.communicate

    def interrupted(process, *given, **named):
        time.sleep(0.3)  # until the child waits for its answer
        os.killpg(0, signal.SIGINT)  # as a terminal does: to the parent and to the child
        return begun(process, *given, **named)

    subprocess.Popen.communicate = interrupted
    try:
        import glfw
    except KeyboardInterrupt:
        print("heard", flush=True)
"""


def test_ctrl_c_waits_for_the_import() -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PROGRAM)],
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", ""), done.stderr
