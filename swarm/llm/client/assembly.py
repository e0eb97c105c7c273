"""Assembly of finished parts by code: an introduction, the parts word for word, and what closes.

The parts' texts stay in their own results: `text_of` (swarm.core.fold.node) joins them, so nothing
is cut to fit one record. What code adds comes last: the costs added up, what could not be done, and
how the plan meets the request. A larger model may rewrite the whole, but only if it keeps every
fact; a whole draft that competed with the split replaces the parts if it keeps more of the brief.
Pure functions.
"""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.checks import Check, check_plan, keeps_more
from swarm.brief.costs import cost_table
from swarm.brief.facts import lost_facts
from swarm.brief.mend import mend_plan
from swarm.brief.phrases import full_stop, phrases
from swarm.brief.report import report
from swarm.brief.skeleton import without_label
from swarm.brief.wording import FULL_STOPS, cut_at_end, refuses
from swarm.core.brief import Brief, Cost
from swarm.core.headings import demote
from swarm.llm.client.parsing import LINE_CHARS, TEXT_CHARS, clean_line, clean_text, clip
from swarm.llm.requests import AssembleRequest, TextAnswer

TOP_LEVEL = 2
"""Level of the headings of parts: level 1 is the plan's title, which is added elsewhere."""

INTRO_CHARS = 2_000
"""Longest introduction: two or three sentences were requested."""


def composed(request: AssembleRequest, intro: str, *, draft: bool) -> TextAnswer:
    """Return the plan made of its parts, or the competing draft that keeps more of the brief.

    Args:
        request: The finished parts and what they have to keep.
        intro: A short introduction in Markdown; may be empty.
        draft: Whether a small model wrote the parts.
    """
    intro = clip(intro.strip(), INTRO_CHARS)
    costs = _costs(request)
    checks = check_plan(request.brief, document(intro, request.parts), costs)
    if (better := _better_draft(request, checks)) is not None:
        note = f"*{phrases(_language(request)).draft_note}*"
        closing = _closing(request, check_plan(request.brief, better), of_parts=False)
        return _joined(better, f"{note}\n\n{closing}".rstrip(), draft=draft)
    closing = _closing(request, checks, of_parts=True)
    return TextAnswer(text=intro or overview(request), draft=draft, closing=closing)


def rewritten(request: AssembleRequest, text: str, *, draft: bool) -> TextAnswer | None:
    """Return the plan as a model wrote it anew; None if it lost something or is no plan.

    Args:
        request: The finished parts and what they have to keep.
        text: What the model made of them.
        draft: Whether a small model wrote it.
    """
    if refuses(text) or cut_at_end(text):
        return None
    if any(lost_facts(part, text) for _, part in request.parts):
        return None
    costs = _costs(request)
    checks = check_plan(request.brief, text, costs)
    if _better_draft(request, checks) is not None:
        return None  # `composed` takes the draft.
    return _joined(text, _closing(request, checks, of_parts=True), draft=draft)


def whole(brief: Brief, text: str, *, language: str, draft: bool) -> TextAnswer:
    """Return a plan that was written in one go, as one task, with the report on it.

    Args:
        brief: What the goal demands.
        text: The plan.
        language: BCP 47 tag of its language; empty: the brief's.
        draft: Whether a small model wrote it.
    """
    checks = check_plan(brief, text)
    end = report(brief, checks, language=language or brief.language) if brief.demands else ""
    return _joined(text, end, draft=draft)


def document(intro: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return the introduction and the parts under their headings, as `text_of` joins them."""
    sections = [
        f"{'#' * TOP_LEVEL} {title}\n\n{demote(text, TOP_LEVEL + 1)}" for title, text in parts
    ]
    return "\n\n".join(filter(None, [intro, *sections]))


def overview(request: AssembleRequest) -> str:
    """Return what the parts are about in one line: an introduction that needs no model.

    Their days are left out: they stand in the headings below.
    """
    names = [without_label(clean_line(title)) for title, _ in request.parts]
    kept = list(dict.fromkeys(name for name in names if name))
    line = " · ".join(kept) or clean_line(request.title)
    if not line:
        return "-"
    return line if line[-1] in FULL_STOPS else line + full_stop(_language(request))


def missing_section(missing: Sequence[tuple[str, str]], language: str = "") -> str:
    """Return a section that names what failed and why; empty if nothing did."""
    if not missing:
        return ""
    rows = "\n".join(
        f"- **{clean_line(title)}**: {clean_line(reason, max_chars=LINE_CHARS)}"
        for title, reason in missing
    )
    return f"{'#' * TOP_LEVEL} {phrases(language).not_done}\n\n{rows}"


def _closing(request: AssembleRequest, checks: Sequence[Check], *, of_parts: bool) -> str:
    """Return what follows the text: costs, what is missing, and how the request is met.

    Costs and reviews are those of the parts; a draft that replaces the parts has neither.
    """
    language = _language(request)
    wanted = of_parts and bool(request.brief.demands)
    table = cost_table(request.brief, request.costs, language) if wanted else ""
    missing = missing_section(request.missing, language)
    # Below the root there is no brief, so there is nothing to report on.
    end = ""
    if request.brief.demands:
        end = report(
            request.brief,
            checks,
            language=language,
            reviewed=request.reviewed if of_parts else (),
            denied=request.denied if of_parts else (),
        )
    return "\n\n".join(filter(None, [table, missing, end]))


def _joined(text: str, closing: str, *, draft: bool) -> TextAnswer:
    """Return a text and what follows it as one; the text is cut if both do not fit."""
    room = max(TEXT_CHARS // 2, TEXT_CHARS - len(closing) - 2)
    joined = "\n\n".join(filter(None, [clip(text, room), closing]))
    return TextAnswer(text=clip(joined, TEXT_CHARS), draft=draft)


def _better_draft(request: AssembleRequest, checks: Sequence[Check]) -> str | None:
    """Return the competing draft that keeps most, if it keeps more of the brief than the parts."""
    best, best_checks = None, checks
    if not request.brief.demands:
        return None
    for raw in request.drafts:
        text = mend_plan(request.brief, clean_text(raw))
        if not text or refuses(text):
            continue
        found = check_plan(request.brief, text)
        if keeps_more(found, best_checks):
            best, best_checks = text, found
    return best


def _costs(request: AssembleRequest) -> tuple[Cost, ...]:
    return tuple(cost for _, items in request.costs for cost in items)


def _language(request: AssembleRequest) -> str:
    return request.language or request.brief.language
