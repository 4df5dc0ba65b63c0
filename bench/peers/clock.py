"""CPU and wall seconds of one piece of work, printed as one line of JSON.

The clock starts after the imports, so a peer is never charged for the start of its interpreter.
CPU seconds are user + system of all threads of this process.
"""

import json
import resource
import time


def _cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def clocked(work, afterwards=dict):
    """Runs `work()` and prints its cost; the dictionaries it and `afterwards()` return are printed beside it."""
    cpu, wall = _cpu(), time.perf_counter()
    facts = work()
    cost = {"cpu": _cpu() - cpu, "wall": time.perf_counter() - wall}
    print(json.dumps(cost | (facts or {}) | afterwards()))
