"""Sets up what is measured: our binary, the peers' Python environment, liblinear."""

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from measure import ROOT

BENCH = ROOT / "bench"
PYTHON = "bench/.venv/bin/python"
REQUIREMENTS = BENCH / "requirements.txt"
TARGET = os.environ.get("CARGO_TARGET_DIR", "target")
NOVIKOFF = f"{TARGET}/release/novikoff"
LOAD = f"{TARGET}/release/examples/load"
CACHE_PASS = f"{TARGET}/release/examples/cache_pass"
KERNEL_VALUES = f"{TARGET}/release/examples/kernel_values"
STEP = f"{TARGET}/release/examples/second_order_step"
DUAL_FIT = f"{TARGET}/release/examples/dual_fit"
BUILDS = (
    ("cargo", "build", "--release", "-p", "novikoff-cli"),
    ("cargo", "build", "--release", "-p", "novikoff-data", "-p", "novikoff", "--examples"),
)


def usual_paths(text):
    """The text with paths from the repository's root, wherever cargo builds."""
    return text.replace(f"{TARGET}/", "target/").replace(f"{ROOT}/", "")


def remark(text):
    print(text, file=sys.stderr, flush=True)


def call(command, timeout):
    """Runs a step of the set-up; returns "" or the reason why it failed."""
    try:
        done = subprocess.run(command, cwd=ROOT, timeout=timeout, capture_output=True, text=True)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return lines[-1].strip() if lines else f"exit {done.returncode}"


def first_line(command):
    """The first line a command prints, or "unknown"."""
    try:
        done = subprocess.run(command, cwd=ROOT, timeout=60, capture_output=True, text=True)
        return done.stdout.splitlines()[0].strip()
    except (OSError, IndexError, subprocess.SubprocessError):
        return "unknown"


def build():
    for command in BUILDS:
        remark(" ".join(command))
        reason = call(command, 3600)
        if reason:
            remark(f"not built: {reason}")


def _install(requirements):
    pip = (PYTHON, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if not call((*pip, *requirements), 1800):
        return True
    reasons = [call((*pip, one), 1800) for one in requirements]
    for one, reason in zip(requirements, reasons):
        if reason:
            remark(f"{one} not installed: {reason}")
    return not any(reasons)


def make_environment():
    """Makes bench/.venv with the requirements; does nothing when it already holds them."""
    wanted = REQUIREMENTS.read_text()
    installed = BENCH / ".venv" / "installed.txt"
    if installed.is_file() and installed.read_text() == wanted:
        return
    remark("installing the Python peers in bench/.venv")
    reason = call((sys.executable, "-m", "venv", "bench/.venv"), 300)
    if reason:
        remark(f"no Python environment: {reason}")
    elif _install(wanted.split()):
        installed.write_text(wanted)


def get_liblinear():
    if shutil.which("liblinear-predict"):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        remark("liblinear is absent: install the Debian package liblinear-tools")
        return
    remark("apt-get install liblinear-tools")
    reason = call(("apt-get", "install", "-y", "liblinear-tools"), 600)
    if reason:
        remark(f"liblinear not installed: {reason}")


def set_up(with_build):
    if with_build:
        build()
    make_environment()
    get_liblinear()


def _python_peers():
    places = [str(place) for place in (BENCH / ".venv" / "lib").glob("python*/site-packages")]
    found = {d.name: d.version for d in importlib.metadata.distributions(path=places)}
    names = [line.split("==")[0] for line in REQUIREMENTS.read_text().split()]
    return [f"{name} {found.get(name, 'absent')}" for name in names]


def versions():
    """One line for each program that took part."""
    commit = first_line(("git", "rev-parse", "--short", "HEAD"))
    liblinear = first_line(("dpkg-query", "-W", "-f", "${Version}\\n", "liblinear-tools"))
    return [
        f"{first_line((NOVIKOFF, '--version'))} (commit {commit})",
        first_line(("rustc", "--version")),
        *_python_peers(),
        f"liblinear-tools {liblinear}",
        f"Python {platform.python_version()}",
    ]


def machine():
    """The class of machine: processor, cores, vector instructions, memory."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    info = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    flags = info.get("flags", "").split()
    simd = next((name for name in ("avx512f", "avx2", "sse4_2") if name in flags), "no known SIMD")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = info.get("model name", platform.machine())
    return f"{model}, {os.cpu_count()} cores, {simd}, {memory:.0f} GB"
