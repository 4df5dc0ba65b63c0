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


def documentation(summary: str, spec: str, listed: list[tuple[str, Any, str]], example: str) -> str:
    """The docstring of a class, with an example that runs."""
    lines = [summary[0].upper() + summary[1:] + ".", "", f"The learner ``{spec}`` of the catalogue.", "", "Parameters", "----------"]
    for name, default, meaning in listed:
        lines.append(f"{name} : default={default!r}")
        lines.extend(textwrap.wrap(meaning + ".", 100, initial_indent="    ", subsequent_indent="    "))
    return "\n".join([*lines, "", "Examples", "--------", *example.splitlines()])


def key_default(key: dict[str, Any]) -> Any:
    """The default of a key as a value of Python."""
    if key["flag"]:
        return False
    text = key["default"]
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
    name = entry["name"]
    if experts:
        name = f"{name}({'; '.join(experts)})"
    return f"{name}:{','.join(said)}" if said else name


def bias_of(bias: Any) -> float | None:
    """The constant feature; none if it is 0, None or False."""
    if bias is None or bias is False or bias == 0:
        return None
    return float(bias)


def norm_of(normalize: Any) -> float | None:
    """The norm that rows are divided by, as the engine takes it: 0 is off, None what the learner asks for."""
    if normalize is None:
        return None
    return 0.0 if normalize == "off" else float(normalize)
