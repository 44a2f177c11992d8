"""Shows Pliant a Python that lacks what it lacks on Windows, in this process and its children.

Python imports this at its start where this folder is in PYTHONPATH. Other packages see the system as it is:
they have their own ways on Windows. Not emulated: a console, names without case, backslashes in paths.
"""

import builtins
import errno
import os
import re
import sys
import warnings
from pathlib import Path
from types import ModuleType

MODULES = set("fcntl grp pty pwd readline resource syslog termios tty".split())
NAMES = {
    "os": """O_CLOEXEC O_DIRECTORY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_TMPFILE SCHED_FIFO WNOHANG chown chroot
        fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority
        getresuid getuid killpg lchown lockf mkfifo mknod nice openpty posix_fadvise posix_fallocate
        posix_spawn pread preadv pwrite pwritev register_at_fork sched_getaffinity sched_param
        sched_setaffinity sched_setscheduler sched_yield sendfile setpgid setpriority setsid setuid statvfs
        sync sysconf ttyname uname wait waitid""".split(),
    "signal": """SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2
        SIGWINCH alarm pthread_kill pthread_sigmask setitimer sigpending sigwait""".split(),
    "select": ["epoll", "poll"],
    "socket": ["AF_UNIX"],
}
OFFENDING = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$')
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
HANDLES = Path("/proc/self/fd")
_import = builtins.__import__


def import_as_on_windows(name, globals=None, locals=None, fromlist=(), level=0):  # noqa: A002
    module = _import(name, globals, locals, fromlist, level)
    if level or not ((globals or {}).get("__package__") or "").startswith("pliant"):
        return module
    if name in MODULES:
        raise ModuleNotFoundError(f"No module named {name!r} on Windows", name=name)
    if name not in NAMES:
        return module
    shown = ModuleType(name)
    shown.__dict__.update({k: x for k, x in vars(module).items() if k not in NAMES[name]})
    return shown


def refuse_as_windows_does(event: str, given: tuple[object, ...]) -> None:
    """File names that Windows refuses, and its rule that nothing open is replaced or removed."""
    creating = event == "open" and isinstance(given[2], int) and given[2] & os.O_CREAT
    if creating or event == "os.mkdir":
        check_name(given[0])
    elif event == "os.rename":
        check_name(given[1])
        check_closed(given[0])
        check_closed(given[1])
    elif event == "os.remove":
        check_closed(given[0])


def check_name(path: object) -> None:
    if isinstance(path, str | os.PathLike | bytes):
        name = Path(os.fsdecode(path)).name
        if OFFENDING.search(name) or RESERVED.match(name):
            raise OSError(errno.EINVAL, "not a file name on Windows", name)


def check_closed(path: object) -> None:
    if not isinstance(path, str | os.PathLike | bytes):
        return
    wanted = os.path.realpath(os.fsdecode(path))
    for handle in HANDLES.iterdir():
        try:
            same = str(handle.readlink()) == wanted
        except OSError:
            continue
        if same:
            raise PermissionError(errno.EACCES, "open, as Windows would say", wanted)


warnings.filterwarnings("ignore", category=EncodingWarning)
warnings.filterwarnings("error", category=EncodingWarning, module=r"pliant\b")
builtins.__import__ = import_as_on_windows
if HANDLES.is_dir():
    sys.addaudithook(refuse_as_windows_does)
