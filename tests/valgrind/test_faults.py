"""Faults are told from what the system's loader always does."""

from .__main__ import faults

ERROR = "<error><kind>{}</kind><what>Invalid read of size 8</what><stack>{}</stack></error>"
LOADER = "<frame><obj>/lib/ld-linux-x86-64.so.2</obj><fn>strncmp</fn></frame>"
MUJOCO = "<frame><obj>/a/libmujoco.so</obj><fn>mj_step</fn></frame>"


def test_an_access_of_compiled_code_is_named_with_its_callers() -> None:
    errors = [
        ERROR.format("InvalidRead", LOADER),
        ERROR.format("Leak_PossiblyLost", MUJOCO),
        ERROR.format("InvalidRead", f"<frame><ip>0x1</ip></frame>{MUJOCO}"),
    ]
    found = faults(f"<valgrindoutput>{''.join(errors)}")
    assert found == ["Invalid read of size 8 in compiled code: ? < libmujoco.so: mj_step"]
