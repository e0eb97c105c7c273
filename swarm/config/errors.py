"""Error messages about a configuration, written for the person who made it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo

_USER = re.compile(r"(//)[^/\s]*@")
"""User and password in a URL."""

SHOWN = 80
"""Most characters of a wrong value that an error message repeats."""


class ConfigError(Exception):
    """The configuration cannot be used. The text is shown to the user; commands exit with 2."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """In a field's annotation: a human-readable text of what the field accepts."""

    text: str


OPTIONS = {
    ("swarm", "name"): "--swarm",
    ("model", "name"): "--model",
    ("model", "url"): "--server",
    ("log", "level"): "--log-level",
}
"""Options whose name differs from their key."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from.

    Attributes:
        kind: file, env (environment variable) or flag.
        name: the file's path, the variable, or the option.
    """

    kind: Literal["file", "env", "flag"]
    name: str

    def of(self, section: str, key: str) -> Source:
        """Return the source of one key, from the source of its whole layer."""
        if self.kind == "env" and self.name.endswith("_"):
            return Source("env", f"{self.name}{section}__{key}".upper())
        if self.kind == "flag":
            option = OPTIONS.get((section, key), f"--{key.replace('_', '-')}")
            return Source("flag", option)
        return self

    def __str__(self) -> str:
        match self.kind:
            case "file":
                return f"the file {self.name}"
            case "env":
                return f"the environment variable {self.name}"
            case "flag":
                return f"the option {self.name}"


def unknown_section(
    what: str, where: str, name: str, known: Collection[str], prefix: str = ""
) -> str:
    """Return a message about an unknown section, with a suggestion."""
    names = sorted(f"{prefix}{n.upper()}__…" if prefix else f"[{n}]" for n in known)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{what} in {where} is not a section.{hint} Known sections: {', '.join(names)}."


def explain(
    error: ValidationError,
    kind: type[BaseModel],
    values: Mapping[str, Any],
    sources: Mapping[tuple[str, ...], Source],
) -> str:
    """Return lines that say what to change, from a validation error.

    Args:
        error: the model's validation error.
        kind: the model.
        values: what the model was given.
        sources: where each (section, key) came from.
    """
    lines = ["The configuration cannot be used:"]
    seen: set[tuple[str, ...]] = set()
    for problem in error.errors(include_url=False, include_input=False):
        path = tuple(str(step) for step in problem["loc"][:2])
        if path in seen:
            # Each member of a union reports the same value.
            continue
        seen.add(path)
        lines += _problem(path, problem["type"], problem["msg"], kind, values, sources)
    return "\n".join(lines)


def _problem(
    path: tuple[str, ...],
    code: str,
    message: str,
    kind: type[BaseModel],
    values: Mapping[str, Any],
    sources: Mapping[tuple[str, ...], Source],
) -> list[str]:
    name = ".".join(path)
    where = f", from {sources[path]}" if path in sources else ""
    section = _section(kind, path[0])
    if len(path) < 2 or section is None:
        return [f"  [{name}]: {message.removeprefix('Value error, ')}"]
    if code == "extra_forbidden":
        known = list(section.model_fields)
        near = difflib.get_close_matches(path[1], known, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        return [f"  {name}{where}: unknown key.{hint}", f"    known: {', '.join(known)}"]
    field = section.model_fields[path[1]]
    lines = [f"  {name} = {_shown(field, values[path[0]][path[1]])}{where}"]
    lines.append(f"    allowed: {allowed(field)}")
    if code == "value_error" and not any(isinstance(m, Allowed) for m in field.metadata):
        lines.append(f"    {message.removeprefix('Value error, ')}")
    return lines


def _section(kind: type[BaseModel], name: str) -> type[BaseModel] | None:
    field = kind.model_fields.get(name)
    found = field.annotation if field is not None else None
    return found if isinstance(found, type) and issubclass(found, BaseModel) else None


def _shown(field: FieldInfo, value: Any) -> str:
    if field.annotation is SecretStr or SecretStr in get_args(field.annotation):
        return "(hidden)"
    text = repr(without_passwords(value))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def without_passwords(value: Any) -> Any:
    """Return a value, including nested ones, without user names and passwords in URLs."""
    if isinstance(value, str):
        return _USER.sub(r"\1***@", value)
    if isinstance(value, Mapping):
        return {key: without_passwords(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_passwords(part) for part in value]
    return value


def allowed(field: FieldInfo) -> str:
    """Return a human-readable text of what a field accepts."""
    for note in reversed(field.metadata):
        if isinstance(note, Allowed):
            return note.text
    return _kind(field.annotation) + _range(field.metadata)


def _kind(annotation: Any) -> str:
    origin = get_origin(annotation)
    if origin is Literal:
        return "one of " + ", ".join(f'"{choice}"' for choice in get_args(annotation))
    if origin in (UnionType, Union):
        some = [arm for arm in get_args(annotation) if arm is not type(None)]
        return " or ".join(dict.fromkeys(_kind(arm) for arm in some))
    if annotation is bool:
        return "true or false"
    if annotation is int:
        return "a whole number"
    if annotation is float:
        return "a number"
    notes = getattr(annotation, "__metadata__", ())[::-1]
    for note in notes:
        if isinstance(note, Allowed):
            return note.text
    return "text" if annotation is str else "a value of another kind"


def _range(metadata: list[Any]) -> str:
    low: object = None
    high: object = None
    for note in metadata:
        match note:
            case Ge(ge=bound):
                low = bound
            case Gt(gt=bound):
                low = f"more than {bound}"
            case Le(le=bound):
                high = bound
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f", at least {low}"
    return f", at most {high}" if high is not None else ""
