"""From the catalogue to arguments of Python, and from their values to specs and options of the engine."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np

from ._names import argument_name

# Name, default, whether the entry of the catalogue has it (None: all have), meaning.
Shared = list[tuple[str, Any, Any, str]]


def arguments(entry: dict[str, Any], shared_by_all: Shared) -> list[tuple[str, Any, str]]:
    """Name, default and meaning of each argument of a class."""
    own = [(argument_name(key["name"]), key_default(key), f"{key['meaning']} ({key['allowed']})") for key in entry["keys"]]
    shared = [(name, default, meaning) for name, default, has, meaning in shared_by_all if has is None or has(entry)]
    return own + shared


def constructor(listed: list[tuple[str, Any, str]], last: str = "") -> Any:
    """An ``__init__`` that stores its arguments, as scikit-learn wants it, and ends with a statement."""
    signature = ", ".join(f"{name}={default!r}" for name, default, _ in listed)
    body = "\n".join([*(f"    self.{name} = {name}" for name, _, _ in listed), f"    {last}"])
    space: dict[str, Any] = {}
    exec(f"def __init__(self, *, {signature}):\n{body}\n", space)  # noqa: S102: names and defaults of the catalogue
    return space["__init__"]


# Arguments of estimators of the solver: those that all have but for a few, and those of any problem, with their defaults.
_SOLVER: dict[str, Any] = {
    "bias": "free",
    "normalize": None,
    "standardize": False,
    "gap": 1e-4,
    "max_passes": 1000,
    "random_state": 0,
    "columns": None,
    "n_jobs": None,
    "max_memory": None,
}
DUAL: dict[str, Any] = {"reg": "l2", "C": 1.0, "lambda_": None, "kernel": None, "map": None}


def solver_constructor(*, without: tuple[str, ...] = (), **own: Any) -> Any:
    """An ``__init__`` of an estimator of the solver: arguments of its own, and those that all have but for some.

    >>> import inspect
    >>> str(inspect.signature(solver_constructor(C=2.0, bias=1.0, without=("columns", "n_jobs", "max_memory"))))
    '(self, *, C=2.0, bias=1.0, normalize=None, standardize=False, gap=0.0001, max_passes=1000, random_state=0)'
    """
    listed = {**own, **_SOLVER, **own}
    return constructor([(name, default, "") for name, default in listed.items() if name not in without])


def documentation(summary: str, spec: str, listed: list[tuple[str, Any, str]], example: str) -> str:
    """The docstring of a class, with an example that runs."""
    lines = [summary[0].upper() + summary[1:] + ".", "", f"The learner ``{spec}`` of the command; ``docs/algorithms.md`` has its update, its cost, its bound and its paper.", "", "Parameters", "----------"]
    for name, default, meaning in listed:
        lines.append(f"{name} : default={default!r}")
        lines.extend(textwrap.wrap(meaning + ".", 100, initial_indent="    ", subsequent_indent="    "))
    return "\n".join([*lines, "", "Examples", "--------", *example.splitlines()])


def key_default(key: dict[str, Any]) -> Any:
    """The default of a key as a value of Python."""
    if key["flag"]:
        return False
    return value_of_text(key["default"])


def value_of_text(text: str) -> Any:
    """A value of a spec as Python has it: a number, or a word such as ``auto``.

    >>> value_of_text("3"), value_of_text("1e-5"), value_of_text("auto")
    (3, 1e-05, 'auto')
    """
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def key_text(value: Any) -> str:
    """A value as it is typed in a spec.

    >>> key_text(10.0), key_text(1e-5), key_text("auto"), key_text(3)
    ('10', '1e-05', 'auto', '3')
    """
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
    return str(value)


def spec_of(entry: dict[str, Any], value_of: Callable[[str], Any], experts: Any = None) -> str:
    """The spec of a learner: keys that have their default are left out, as one would type it."""
    said = []
    for key in entry["keys"]:
        value = value_of(key["name"])
        text = key_text(value)
        if key["flag"]:
            if value:
                said.append(key["name"])
        elif text != key_text(key_default(key)):
            said.append(f"{key['name']}={text}")
    name, experts = entry["name"], experts_of(experts)
    if experts:
        name = f"{name}({'; '.join(experts)})"
    return f"{name}:{','.join(said)}" if said else name


def read_spec(spec: str) -> tuple[str, list[str], dict[str, str]]:
    """The name of a spec, the specs that it is made of, and its keys; a flag has the empty text.

    >>> read_spec("arow:r=10")
    ('arow', [], {'r': '10'})
    >>> read_spec("auto(perceptron; p-norm:p=4@bias=1):beta=0.5")
    ('auto', ['perceptron', 'p-norm:p=4@bias=1'], {'beta': '0.5'})
    """
    name, parts, rest = spec, [], ""
    if "(" in spec:
        name, _, inside = spec.partition("(")
        inside, _, rest = inside.rpartition(")")
        parts = [part.strip() for part in inside.split(";")]
    else:
        name, _, rest = spec.partition("@")[0].partition(":")
    keys = rest.partition("@")[0].lstrip(":")
    pairs = (word.partition("=") for word in keys.split(",") if word)
    return name, parts, {key: value for key, _, value in pairs}


def is_number(value: Any) -> bool:
    """Whether a value is one number, and finite.

    >>> is_number(2), is_number(np.float32(0.5)), is_number("2"), is_number(float("nan")), is_number(True)
    (True, True, False, False, False)
    """
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and bool(np.isfinite(value))


def whole_from_one(name: str, value: Any, unit: str = "") -> int:
    """A whole number from 1."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= 1:
        return int(value)
    raise ValueError(f"{name}={value!r}: must be a whole number{unit} from 1")


def bias_of(bias: Any) -> float | None:
    """The constant feature; none if it is 0, None or False."""
    if bias is None or bias is False or (is_number(bias) and bias == 0):
        return None
    if bias is not True and not is_number(bias):
        raise ValueError(f"bias={bias!r}: must be a finite number; 0 is off")
    return float(bias)


def norm_of(normalize: Any) -> float | None:
    """The norm that rows are divided by, as the engine takes it: 0 is off, None what the learner asks for."""
    if normalize is None:
        return None
    if isinstance(normalize, str) and normalize == "off":
        return 0.0
    if not is_number(normalize) and normalize != np.inf:
        raise ValueError(f'normalize={normalize!r}: must be None, "off", inf or a number >= 1; 2 is usual')
    return float(normalize)


def memory_of(max_memory: Any) -> int | None:
    """Megabytes, or None."""
    return None if max_memory is None else whole_from_one("max_memory", max_memory, " of megabytes")


def experts_of(experts: Any) -> list[str] | None:
    """Specs of learners, or None."""
    if experts is None:
        return None
    if isinstance(experts, str) or not all(isinstance(spec, str) for spec in experts):
        raise ValueError(f'experts={experts!r}: must be a list of specs, such as ["perceptron", "arow:r=1"], or None')
    return list(experts)
