"""Runs commands, in turn, and reads what they cost."""

import contextlib
import ctypes
import json
import os
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT = 600
PR_SET_CHILD_SUBREAPER = 36
START = """
exec 3<&0
out=$1 err=$2; shift 2
{ read -r go <&3 && exec "$@" 3<&-; } >"$out" 2>"$err" &
echo $!
"""


class Failed(Exception):
    """A command could not be run to its end; the text says why."""


@dataclass(frozen=True)
class Cost:
    cpu: float  # seconds, user + system, all threads and children
    wall: float  # seconds
    rss: int  # peak resident bytes of the process
    out: str  # what it printed


@dataclass(frozen=True)
class Contestant:
    """A command to measure. One that `clocks_itself` prints its seconds as JSON (see peers/clock.py)."""

    name: str
    command: tuple
    clocks_itself: bool = False
    output: str = ""  # a file for what it prints


@dataclass
class Result:
    """All rounds of a contestant, or the reason why there are none."""

    costs: list
    reason: str = ""

    def median(self, what):
        return statistics.median(getattr(cost, what) for cost in self.costs)


def _become_parent_of_orphans():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _start(command, out, err):
    """Starts a command through a shell that leaves at once; returns its process id and its gate.

    Linux hands the peak memory of a process on through exec, so a program started by Python itself
    never shows less than Python's own 14 MB. A shell's child starts below 2 MB, and as the parent of
    orphans we can still wait for it. It waits for a line at the gate until the shell has left.
    """
    _become_parent_of_orphans()
    pipe = subprocess.PIPE
    shell = subprocess.Popen(
        ["sh", "-c", START, "sh", out, err, *command], cwd=ROOT, stdin=pipe, stdout=pipe, bufsize=0
    )
    with shell.stdout:
        pid = int(shell.stdout.read())
    shell.wait(60)
    return pid, shell.stdin


def _wait(pid, timeout):
    """Waits for a process, which is killed after `timeout` seconds."""
    timer = threading.Timer(timeout, os.kill, (pid, signal.SIGKILL))
    timer.start()
    try:
        _, status, usage = os.wait4(pid, 0)
    except BaseException:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        raise
    finally:
        timer.cancel()
    return os.waitstatus_to_exitcode(status), usage


def _why(code, seconds, timeout, err):
    if code == -signal.SIGKILL and seconds >= timeout:
        return f"stopped after {timeout} s"
    lines = [line for line in err.splitlines() if line.strip()]
    return lines[-1].strip()[:120] if lines else f"exit {code}"


def run(command, timeout=TIMEOUT, output=""):
    """Runs one command in the repository's root and returns its Cost."""
    with tempfile.TemporaryDirectory() as scratch:
        out, err = output or f"{scratch}/out", f"{scratch}/err"
        pid, gate = _start(command, out, err)
        start = time.perf_counter()
        with gate:
            gate.write(b"\n")
        code, usage = _wait(pid, timeout)
        wall = time.perf_counter() - start
        if code != 0:
            raise Failed(_why(code, wall, timeout, Path(err).read_text(errors="replace")))
        printed = "" if output else Path(out).read_text(errors="replace")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * 1024, printed)


def _attempt(contestant, timeout):
    cost = run(contestant.command, timeout, contestant.output)
    if not contestant.clocks_itself:
        return cost
    inner = json.loads(cost.out.splitlines()[-1])
    return Cost(inner["cpu"], inner["wall"], cost.rss, cost.out)


def interleave(contestants, repeat, timeout=TIMEOUT):
    """Runs all contestants in turn, `repeat` times, and returns a Result for each name."""
    results = {contestant.name: Result([]) for contestant in contestants}
    for _ in range(repeat):
        for contestant in contestants:
            result = results[contestant.name]
            if result.reason:
                continue
            try:
                result.costs.append(_attempt(contestant, timeout))
            except (Failed, OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
                result.reason = str(error) or type(error).__name__
    return results
