"""A result fits a record whatever a model answers."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.agents.base import Job
from swarm.agents.results import result_of
from swarm.core.brief import Cost
from swarm.core.clock import Stamp
from swarm.core.records import MAX_RECORD, sign
from swarm.llm.requests import DoRequest, TextAnswer

KEY = Ed25519PrivateKey.from_private_bytes(b"\x02" * 32)
JOB = Job(
    ("do", b"\x01" * 32),
    DoRequest(goal="g", title="t", detail="", language="", inputs=()),
    b"\x03" * 32,
    b"\x01" * 32,
    b"\x04" * 32,
)
words = st.sampled_from(["a", "योजना", '"', "\\", "\n", "🎉"])


@settings(max_examples=40, deadline=None)
@given(
    words, st.integers(1, 70_000), st.none() | words, st.integers(1, 70_000), st.integers(0, 120)
)
def test_any_answer_fits_a_record(
    text: str, times: int, closing: str | None, again: int, costs: int
) -> None:
    """Text, closing and costs are cut visibly, the closing last; short ones stay whole."""
    end = None if closing is None else closing * again
    items = tuple(Cost(what="योजना" * 20, amount=10**12, limit=True) for _ in range(costs))
    answer = TextAnswer(text=text * times, draft=True, closing=end, costs=items)
    result = result_of(JOB, answer).model_copy(update={"stamp": Stamp(1)})
    assert len(sign(result, KEY).raw) <= MAX_RECORD
    for before, after in ((answer.text, result.text), (end, result.closing)):
        if before is None or after is None:
            assert before is after
        else:
            assert after == before or (after.endswith("…") and before.startswith(after[:-1]))
    if costs <= 10 and times < 1_000 and again < 1_000:
        assert (result.text, result.closing) == (answer.text, end)
