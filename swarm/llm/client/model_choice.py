"""Which of a server's models a swarm uses when nobody named one. Pure.

The best model is the one with the most parameters that fits into the free memory and answers fast
enough, among models for general conversation. Models for code, pictures or long reasoning come
after those, models that were never taught to chat after these, and models that cannot chat, or
that run on somebody else's machine, are never chosen. What a server does not tell is read from the
model's name, which by custom has size and purpose in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from swarm.llm.machine import Machine

Purpose = Literal["general", "code", "pictures", "reasoning", "base", "none"]

BYTES_PER_PARAMETER = 0.6
"""Size of weights with four bits a parameter, in bytes, for models whose size nobody tells."""

GROWTH = 1.15
"""Memory of loaded weights, as a multiple of their file."""

CONTEXT_BYTES = 1_000_000_000
"""Memory for a context of 8,192 tokens and for buffers: 0.4 to 1 GB for models of 3B to 8B."""

SPARE_BYTES = 1_500_000_000
"""Memory left for everything else: eight peers need 0.7 GB, and the person may open a browser."""

PARAMETERS_PER_CORE = 2_000_000_000
"""Most parameters for each core without a graphics processor. On two cores a model of 1.5 billion
reads 37 tokens a second and writes 14 (measured); at 4 billion that is 14 and 5, and the requests
of eight peers barely end within their time limits."""

FEW_PARAMETERS = 1_000_000_000
"""Models with fewer cannot plan (measured with 135 million): any other comes first."""

SHOWN = 4
"""How many other models a text names."""

_NONE = re.compile(
    r"embed|rerank|(^|[/_-])(bge|gte|e5)-|minilm|whisper|(^|[-_/:])(tts|asr|ocr|stt)([-_:]|$)"
    r"|guard|shield|moderation|reward|diffusion|(^|/)flux",
    re.IGNORECASE,
)
_CODE = re.compile(r"(?<!en)code|codestral|devstral|math", re.IGNORECASE)
_PICTURES = re.compile(r"llava|moondream|minicpm-v|vision|(^|[-_/\d.])vl([-_:.]|$)", re.IGNORECASE)
_REASONING = re.compile(
    r"(^|[-_/:])(r1|qwq|o1)([-_:.]|$)|reason|think|magistral|phi-?4-mini-r", re.IGNORECASE
)
_BASE = re.compile(r"[-_:](base|text|pt|pretrained?)([-_:.]|$)", re.IGNORECASE)
_SIZE = re.compile(r"(?<![a-z\d.])(?:(\d+)x)?(\d+(?:\.\d+)?)([bmk])(?![a-z\d])", re.IGNORECASE)
_SCALE = {"b": 1e9, "m": 1e6, "k": 1e3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A model that a server has.

    Attributes:
        name: How it is chosen.
        size_bytes: Size of its weights, 0 if unknown.
        parameters: Number of parameters, 0 if unknown.
        families: Architectures, as Ollama lists them.
        loaded: Whether it is in memory already.
        chats: Whether it can chat, as far as the server says.
        elsewhere: Whether the server passes its requests on to a machine of somebody else.
    """

    name: str
    size_bytes: int = 0
    parameters: int = 0
    families: tuple[str, ...] = ()
    loaded: bool = False
    chats: bool = True
    elsewhere: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The model chosen.

    Attributes:
        name: Its name.
        fits: Whether it fits into memory; if not, it is the smallest one.
        why: Why it was chosen, as a part of a sentence.
        others: Names of other models that could be chosen, best first.
    """

    name: str
    fits: bool
    why: str
    others: tuple[str, ...] = ()


def choose(candidates: Sequence[Candidate], machine: Machine) -> Choice | None:
    """Return the best model, or None if there is none that can chat.

    Args:
        candidates: The server's models, in its order: the first wins between equals.
        machine: What its models must fit into.
    """
    usable = [one for one in candidates if purpose_of(one) != "none"]
    if not usable:
        return None
    fitting = [one for one in usable if fits(one, machine)]
    if not fitting:
        best = min(usable, key=_needed_bytes)
        why = (
            f"the smallest, although it needs {_gigabytes(_needed_bytes(best))} of memory and "
            f"{_gigabytes(machine.free_bytes)} are free"
        )
        return Choice(name=best.name, fits=False, why=why, others=_others(usable, best))
    if machine.free_bytes:
        ranked = sorted(fitting, key=lambda one: _rank(one, machine))
    else:
        # Nobody knows how much that machine carries, but what it has loaded it carries.
        ranked = sorted(fitting, key=lambda one: (_group(one), not one.loaded))
    best = ranked[0]
    why = _reason(best, usable, fitting, machine)
    return Choice(name=best.name, fits=True, why=why, others=_others(ranked, best))


def fits(candidate: Candidate, machine: Machine) -> bool:
    """Return whether a model fits into a machine's memory; what is unknown fits."""
    if candidate.loaded or not machine.free_bytes:
        return True
    return _needed_bytes(candidate) <= machine.free_bytes


def too_slow(candidate: Candidate, machine: Machine) -> bool:
    """Return whether a model has too many parameters for a machine's cores."""
    if machine.accelerated or not machine.cores:
        return False
    return parameters_of(candidate) > machine.cores * PARAMETERS_PER_CORE


def purpose_of(candidate: Candidate) -> Purpose:
    """Return what a model is made for; `none` if it cannot be used at all."""
    families = " ".join(candidate.families).lower()
    name = candidate.name
    # Ollama marks models of its cloud in the name: prompts would leave the machine.
    cloud = candidate.elsewhere or re.search(r"[-:]cloud$", name)
    if cloud or not candidate.chats or "bert" in families or _NONE.search(name):
        return "none"
    if _BASE.search(name):
        return "base"
    if _CODE.search(name):
        return "code"
    if _PICTURES.search(name) or "clip" in families or "mllama" in families:
        return "pictures"
    return "reasoning" if _REASONING.search(name) else "general"


def parameters_of(candidate: Candidate) -> int:
    """Return the number of parameters, from the name or the size if need be; 0 if unknown."""
    known = candidate.parameters or parameters_in(candidate.name)
    return known or round(candidate.size_bytes / BYTES_PER_PARAMETER)


def parameters_in(text: str) -> int:
    """Return the number of parameters that a text such as "qwen2.5:7b" names; 0 for none."""
    found = _SIZE.search(text)
    if found is None:
        return 0
    times, number, unit = found.groups()
    count = int(times or 1) * float(number) * _SCALE[unit.lower()]
    return round(count) if count < 1e15 else 0


def _needed_bytes(candidate: Candidate) -> int:
    weights = candidate.size_bytes or parameters_of(candidate) * BYTES_PER_PARAMETER
    return round(weights * GROWTH) + CONTEXT_BYTES + SPARE_BYTES if weights else 0


def _group(candidate: Candidate) -> int:
    """Return the rank of a model's purpose; 0 is best."""
    purpose = purpose_of(candidate)
    few = 0 < parameters_of(candidate) < FEW_PARAMETERS
    if purpose == "base":
        return 4
    return (2 if few else 0) + (purpose != "general")


def _rank(candidate: Candidate, machine: Machine) -> tuple[bool, int, int]:
    slow = too_slow(candidate, machine)
    parameters = parameters_of(candidate)
    return slow, _group(candidate), parameters if slow else -parameters


def _others(ranked: Sequence[Candidate], best: Candidate) -> tuple[str, ...]:
    return tuple(one.name for one in ranked if one.name != best.name)[:SHOWN]


def _reason(
    best: Candidate, usable: Sequence[Candidate], fitting: Sequence[Candidate], machine: Machine
) -> str:
    if len(usable) == 1:
        return "its only model that can chat"
    facts = []
    if count := best.parameters or parameters_in(best.name):
        facts.append(f"{count / 1e9:.3g} billion parameters")
    if best.size_bytes:
        facts.append(f"{_gigabytes(best.size_bytes)} of weights")
    if machine.free_bytes and best.loaded:
        facts.append("loaded already")
    elif machine.free_bytes:
        facts.append(f"{_gigabytes(machine.free_bytes)} of memory are free")
    known = f" ({', '.join(facts)})" if facts else ""
    if not machine.free_bytes:
        kind = "the model that is loaded there" if best.loaded else "the first model that it lists"
        return f"{kind}{known}"
    larger = [one for one in usable if parameters_of(one) > parameters_of(best)]
    if not larger:
        return f"the largest of its {len(usable)} models that can chat{known}"
    if all(one not in fitting or too_slow(one, machine) for one in larger):
        return f"the largest of its models that this machine carries{known}"
    return f"the largest of its models for general text that this machine carries{known}"


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"
