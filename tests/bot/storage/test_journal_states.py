"""The journal against a dictionary: whatever is noted, in whatever order, is there after a kill."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from bot.storage.journal import GoalEntry, GoalState, Journal, PostEntry

GOALS = [bytes([n]) * 32 for n in range(3)]
PEOPLE = [bytes([n]) * 32 for n in range(7, 9)]
PROPOSALS = [bytes([n]) * 32 for n in range(20, 22)]

goals = st.sampled_from(GOALS)
people = st.sampled_from(PEOPLE)
keys = st.sampled_from(["start", "live", "split:a", "end:0"])
numbers = st.integers(1, 2**63 - 1)


class Kept(RuleBasedStateMachine):
    """One journal, opened again at any moment, and what it ought to hold."""

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "journal.sqlite3"
        self.goals: dict[bytes, GoalEntry] = {}
        self.posts: dict[tuple[bytes, str], PostEntry] = {}
        self.pressed: dict[tuple[bytes, bytes], tuple[bytes, str]] = {}
        self.notes: dict[str, str] = {}

    @initialize()
    def begin(self) -> None:
        """Open it."""
        self.journal = Journal(self.path)

    @rule()
    def killed(self) -> None:
        """The bot is killed: nobody closed anything, and the next run opens the file."""
        abandoned, self.journal = self.journal, Journal(self.path)
        abandoned.close()

    @rule(
        goal=goals,
        guild=st.integers(0, 1),
        asker=people,
        created=st.integers(0, 5),
        language=st.sampled_from(["", "ur"]),
    )
    def asked(self, goal: bytes, guild: int, asker: bytes, created: int, language: str) -> None:
        """Somebody asks for a goal."""
        entry = GoalEntry(goal, guild, 8, asker, created, record=b"signed", language=language)
        self.journal.open_goal(entry)
        self.goals[goal] = entry

    @rule(goal=goals, thread=st.integers(1, 2))
    def threaded(self, goal: bytes, thread: int) -> None:
        """A thread is opened; for a goal that is not there, nothing is noted."""
        self.journal.set_thread(goal, thread)
        if goal in self.goals:
            self.goals[goal] = replace(self.goals[goal], thread=thread)

    @rule(goal=goals)
    def fell(self, goal: bytes) -> None:
        """A thread is lost."""
        self.journal.set_fallen(goal)
        if goal in self.goals:
            self.goals[goal] = replace(self.goals[goal], fallen=True)

    @rule(goal=goals, state=st.sampled_from(["finished", "lost"]))
    def ended(self, goal: bytes, state: GoalState) -> None:
        """A goal ends: its record and its votes by button go."""
        self.journal.close_goal(goal, state)
        if goal in self.goals:
            self.goals[goal] = replace(self.goals[goal], state=state, record=b"")
        self.pressed = {at: vote for at, vote in self.pressed.items() if vote[0] != goal}

    @rule(
        goal=goals,
        key=keys,
        digest=st.binary(max_size=4),
        message=st.none() | numbers,
        flags=st.tuples(st.booleans(), st.booleans()),
        generation=st.integers(0, 3),
    )
    def posted(
        self,
        goal: bytes,
        key: str,
        digest: bytes,
        message: int | None,
        flags: tuple[bool, bool],
        generation: int,
    ) -> None:
        """A message is about to be sent, was sent, edited, deleted."""
        entry = PostEntry(key, digest, message, flags[0], generation, flags[1])
        self.journal.put_post(goal, entry)
        self.posts[goal, key] = entry

    @rule(
        goal=goals,
        proposal=st.sampled_from(PROPOSALS),
        person=people,
        verdict=st.sampled_from(["approve", "reject", None]),
    )
    def voted(self, goal: bytes, proposal: bytes, person: bytes, verdict: str | None) -> None:
        """Somebody presses a button, or takes the vote back."""
        self.journal.press(goal, proposal, person, verdict)
        if verdict is None:
            self.pressed.pop((proposal, person), None)
        else:
            self.pressed[proposal, person] = (goal, verdict)

    @rule(person=people)
    def forgotten(self, person: bytes) -> None:
        """Somebody wants to be forgotten."""
        self.journal.forget_person(person)
        for goal, entry in self.goals.items():
            if entry.asker == person:
                self.goals[goal] = replace(entry, asker=b"")
        self.pressed = {at: vote for at, vote in self.pressed.items() if at[1] != person}
        assert self.journal.asked_by(person) == []

    @rule(key=st.sampled_from(["a", "b"]), value=st.text(max_size=4))
    def noted(self, key: str, value: str) -> None:
        """Anything else is noted."""
        value = value.encode("utf-8", "replace").decode()
        self.journal.put(key, value)
        self.notes[key] = value

    @invariant()
    def all_is_there(self) -> None:
        """What was noted last is what is read, by every way of asking."""
        for goal in GOALS:
            assert self.journal.goal(goal) == self.goals.get(goal)
            expected = {key: post for (at, key), post in self.posts.items() if at == goal}
            assert self.journal.posts(goal) == expected
        live = [entry for entry in self.goals.values() if entry.state == "live"]
        assert sorted(self.journal.live(), key=_by_id) == sorted(live, key=_by_id)
        here = [entry for entry in self.goals.values() if entry.guild == 1]
        assert len(self.journal.newest(1, 2)) == min(2, len(here))
        times = [entry.created_ms for entry in self.journal.newest(1, 9)]
        assert times == sorted((entry.created_ms for entry in here), reverse=True)
        for proposal in PROPOSALS:
            votes = {who: vote for (on, who), (_, vote) in self.pressed.items() if on == proposal}
            assert self.journal.pressed(proposal) == votes
        for thread in (1, 2):
            about = [e.created_ms for e in self.goals.values() if e.thread == thread]
            found = self.journal.by_thread(thread)
            assert (found is None) == (not about)
            assert found is None or found.created_ms == max(about)
        assert {key: self.journal.get(key) for key in self.notes} == self.notes

    def teardown(self) -> None:
        """Close and remove the file."""
        self.journal.close()
        self.folder.cleanup()


def _by_id(entry: GoalEntry) -> bytes:
    return entry.goal


Kept.TestCase.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)
TestKept = Kept.TestCase
