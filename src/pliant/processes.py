"""Child processes, on systems of every kind."""

import subprocess
from typing import Any

APART: dict[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
}
"""Arguments of `subprocess.Popen` for a child that does not hear Ctrl-C of this one's terminal: POSIX takes
the first, Windows the second."""
