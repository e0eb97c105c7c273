"""Three ways to have a goal planned by the same model.

- `one`: one call with a good prompt, such as a person who knows the model would write.
- `agent`: one agent that outlines, writes section by section, criticises and rewrites, until it has
  used at least as many tokens of prompts and answers as the swarm did for the same goal.
- `swarm`: the product, by processes: `swarm up GOAL`; the text is what it prints.

All of them call the model through the proxy of `benchmarks.quality.cache`, which counts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from benchmarks.quality.cache import CachingProxy, Meter
from benchmarks.quality.goals import Goal
from benchmarks.quality.lexicon import LEXICONS

ARMS = ("one", "agent", "swarm")
"""In the order in which they run is `swarm` first: its tokens are the agent's budget."""

ANSWER_TOKENS = 2_000
"""Token limit of a whole plan; half the context of the embedded model."""

SECTION_TOKENS = 500
"""Token limit of a section of the agent."""

NOTE_TOKENS = 350
"""Token limit of an outline or a critique."""

PLAN_CHARS = {"LATIN": 4_500}
"""Characters of the plan that a prompt of the agent repeats, by script, so that the prompt and the
answer fit a context of 4,096 tokens."""

OTHER_PLAN_CHARS = 1_300
"""The same for scripts of which a token covers about one letter."""

AGENT_CALLS = 120
"""Most calls of the agent, whatever its budget."""

CALL_SECONDS = 900.0
"""Longest wait for one answer."""

SWARM_SECONDS = 1_800.0
"""Longest wait for the swarm's plan."""

TEMPERATURE = 0.4
"""Temperature of one call and of the agent. At 0 small models write the same day over and over."""

REPEAT_PENALTY = 1.1
"""Ollama's default, named because the embedded server has none: without it small models loop."""

SYSTEM = (
    "You are an experienced planner. You write complete, concrete plans in Markdown and keep every "
    "demand of the request."
)

ONE_CALL = """{goal}

Write the complete plan in {language}: one heading for each {unit}, from {unit} 1 to {unit} \
{length}{dated}, with two or three short and different points under it. Say where each wish of \
the request is done, and plan nothing that it rules out.{extra} Stop after that."""
"""The best of three prompts tried on two or three goals to tune on (0.68 of the demands)."""

PLACES = " When we travel, say from which town to which."

MONEY = " At the end add a table of all costs with their total, which stays within the budget."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an arm made of a goal.

    Attributes:
        text: The plan; empty if there is none.
        meter: What it cost.
        seconds: Wall time; short if the answers came from the disk.
        trouble: What went wrong; empty if nothing did.
    """

    text: str
    meter: Meter
    seconds: float
    trouble: str = ""


def one_call_prompt(goal: Goal) -> list[dict[str, str]]:
    """Return the chat turns of the first arm."""
    extra = (PLACES if goal.is_trip else "") + (MONEY if goal.costs else "")
    user = ONE_CALL.format(
        goal=goal.text,
        language=goal.wording.name,
        unit=goal.unit,
        length=goal.length,
        dated=", with its date" if goal.start is not None else "",
        extra=extra,
    )
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user}]


class Model:
    """Calls of one model through the proxy.

    Args:
        proxy: The running proxy.
        name: Name of the model.
        context: Context length in tokens to ask for; 0 leaves it to the server.
    """

    def __init__(self, proxy: CachingProxy, name: str, context: int = 0) -> None:
        self.proxy = proxy
        self.name = name
        self._context = context
        self._client = httpx.Client(base_url=proxy.url, timeout=CALL_SECONDS, trust_env=False)

    def ask(
        self,
        messages: Sequence[dict[str, str]],
        tokens: int,
        *,
        seed: int = 0,
    ) -> tuple[str, bool]:
        """Return the model's answer, and whether it was cut by the token limit."""
        options: dict[str, Any] = {
            "temperature": TEMPERATURE,
            "repeat_penalty": REPEAT_PENALTY,
            "seed": seed,
            "num_predict": tokens,
        }
        if self._context:
            options["num_ctx"] = self._context
        body = {
            "model": self.name,
            "messages": list(messages),
            "stream": False,
            "think": False,
            "options": options,
        }
        answer = self._client.post("/api/chat", json=body)
        answer.raise_for_status()
        value = answer.json()
        text = re.sub(r"<think>.*?</think>", "", value["message"]["content"], flags=re.DOTALL)
        return text.strip(), value.get("done_reason") == "length"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def one_call(model: Model, goal: Goal) -> Outcome:
    """Have the goal planned by one call."""
    began = time.perf_counter()
    with model.proxy.run() as meter:
        text, trouble = "", ""
        try:
            text, _ = model.ask(one_call_prompt(goal), ANSWER_TOKENS)
        except httpx.HTTPError as error:
            trouble = str(error)
    return Outcome(text=text, meter=meter, seconds=time.perf_counter() - began, trouble=trouble)


def agent(model: Model, goal: Goal, budget: int) -> Outcome:
    """Have the goal planned by one agent that uses at least `budget` tokens.

    Its first plan is written section by section after an outline. Then it criticises the plan as a
    whole and rewrites it, again and again, until the budget is used. A rewrite that is cut off or
    much shorter than the plan before is not taken.
    """
    began = time.perf_counter()
    with model.proxy.run() as meter:
        plan, trouble = "", ""
        try:
            plan = _first_plan(model, goal)
            turn = 0
            while meter.tokens < budget and meter.calls < AGENT_CALLS:
                plan = _revised(model, goal, plan, turn)
                turn += 1
        except httpx.HTTPError as error:
            trouble = str(error)
    return Outcome(text=plan, meter=meter, seconds=time.perf_counter() - began, trouble=trouble)


def _turns(*texts: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "\n\n".join(texts)}]


def _plan_chars(goal: Goal) -> int:
    return PLAN_CHARS.get(LEXICONS[goal.language].script, OTHER_PLAN_CHARS)


def _first_plan(model: Model, goal: Goal) -> str:
    request = one_call_prompt(goal)[1]["content"]
    outline, _ = model.ask(
        _turns(
            request,
            "First write only an outline: three to six lines, each naming some "
            f"{goal.unit}s in order and what they are for. One line a section, no details.",
        ),
        NOTE_TOKENS,
    )
    lines = [line.strip() for line in outline.splitlines() if len(line.strip()) > 5][:6]
    written: list[str] = []
    for line in lines:
        so_far = "\n\n".join(written)[-_plan_chars(goal) :]
        text, cut = model.ask(
            _turns(
                request,
                f"The outline:\n{outline}",
                f"Written so far:\n{so_far or '(nothing)'}",
                f"Now write only the section for this line of the outline: {line}",
            ),
            SECTION_TOKENS,
        )
        written.append(text.rsplit("\n", 1)[0] if cut and "\n" in text else text)
    return "\n\n".join(filter(None, written))


def _revised(model: Model, goal: Goal, plan: str, turn: int) -> str:
    request = one_call_prompt(goal)[1]["content"]
    critique, _ = model.ask(
        _turns(
            request,
            f"This is the plan:\n{plan[: _plan_chars(goal)]}",
            "Check it against every demand of the request, one by one. List what is missing, wrong "
            "or said twice, in short lines.",
        ),
        NOTE_TOKENS,
        seed=turn,
    )
    better, cut = model.ask(
        _turns(
            request,
            f"This is the plan:\n{plan[: _plan_chars(goal)]}",
            f"This is wrong with it:\n{critique}",
            "Write the whole plan again, with all of this put right.",
        ),
        ANSWER_TOKENS,
        seed=turn,
    )
    return plan if cut or len(better) < len(plan) / 2 else better


def swarm(model: Model, goal: Goal, arguments: Sequence[str] = ()) -> Outcome:
    """Have the goal planned by the product and return what it prints.

    Args:
        model: The model; the peers reach it through the proxy.
        goal: The goal.
        arguments: Further arguments of `swarm up`, such as the number of peers.
    """
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, model.proxy.run() as meter:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("LEADERLESS_")
        }
        environment |= {
            "LEADERLESS_SWARM__RUNTIME_DIR": f"{folder}/run",
            "LEADERLESS_SWARM__NAME": f"quality-{os.getpid()}",
        }
        command = [sys.executable, "-m", "swarm", "up", goal.text, "--state-dir", folder]
        command += ["--ollama", model.proxy.url, "--model", model.name, *arguments]
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=SWARM_SECONDS
            )
        except subprocess.TimeoutExpired:
            return Outcome(
                text="",
                meter=meter,
                seconds=time.perf_counter() - began,
                trouble=f"no plan within {SWARM_SECONDS:.0f} s",
            )
    last = done.stderr.strip().splitlines()[-1:] if done.returncode else []
    return Outcome(
        text=done.stdout,
        meter=meter,
        seconds=time.perf_counter() - began,
        trouble=f"exit code {done.returncode}: {' '.join(last)}" if done.returncode else "",
    )
