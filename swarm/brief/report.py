"""The end of a plan: how it meets the request, point by point, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence

from swarm.brief.checks import Check
from swarm.core.brief import Brief

REPORT_HEADING = "## How this plan meets the request"
"""Heading of the report in English; see `heading` for other languages."""


def report(brief: Brief, checks: Sequence[Check]) -> str:
    """Return the section that says how the plan meets each demand; empty if there are none."""
    return ""
