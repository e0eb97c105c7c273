"""The finished plan as a text and as files: Markdown for people, JSON for programs.

The words around what models wrote are the catalogue's, in the language spoken now.
"""

from __future__ import annotations

from bot.texts import Text, duration, say
from bot.views.plan_tree import state_text, took_ms
from bot.views.posts import File
from bot.views.reasons import node_reason, plan_reason
from bot.views.why import FILE, why
from swarm.core.fold.node import Node, text_of
from swarm.core.fold.plan import Plan
from swarm.core.records import Namer
from swarm.core.views.plan_view import is_draft, plan_view


def answer(plan: Plan) -> str:
    """Return the plan in Markdown: the root's result, or what the parts have so far."""

    def failed(part: Node) -> str:
        return f"*{say(Text.PART_FAILED, reason=node_reason(plan, part))}*"

    return text_of(plan.root, failed)


def documents(plan: Plan, name: Namer) -> tuple[File, ...]:
    """Return a goal's whole plan as files: Markdown for people, JSON for programs."""
    view = plan_view(plan).model_dump_json(indent=1)
    return (
        File("plan.md", document(plan, name).encode()),
        File("plan.json", view.encode()),
    )


def document(plan: Plan, name: Namer) -> str:
    """Return a goal's whole plan as a Markdown file, with who did what."""
    reason, took = plan_reason(plan), duration(took_ms(plan))
    text = answer(plan) or say(Text.END_FAILED, reason=reason)
    state = state_text(plan.state)
    if plan.state == "done":
        ended = say(Text.LIVE_ENDED, state=state, took=took)
    else:
        ended = say(Text.LIVE_ENDED_REASON, state=state, took=took, reason=reason)
    lines = [f"# {plan.root.title}", "", text, "", "---", "", ended, ""]
    if is_draft(plan):
        lines += [say(Text.END_DRAFT), ""]
    lines += [f"## {say(Text.DOCUMENT_HOW)}", "", "```"]
    for node in plan.nodes():
        for line in why(plan, node, name, FILE):
            text = line.text.replace("```", "'''")
            lines.append(f"  {text}" if line.inner else text)
        lines.append("")
    return "\n".join([*lines, "```", ""])
