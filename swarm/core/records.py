"""Records: the signed, immutable facts that peers gossip, and their bytes on the wire.

A record is `version (1) || author (32) || signature (64) || body (UTF-8 JSON)`. The signature
covers `DOMAIN || author || body` exactly as sent, and the id is the SHA-256 of the same bytes, so
verifying never requires serialising again. Kinds that this version does not know are kept and
relayed, but not folded. `docs/protocol.md` specifies the format for other implementations, with
test vectors.

Decoding is strict: a record that one implementation folds and another refuses splits a plan for
good. So no value is converted (`"1"`, `true` and `1.0` are not integers), and the JSON itself
has one reading only (no duplicate keys, no `NaN`).

Errors raised here::

    RecordError            the bytes are not a record
    ├── MalformedRecord    the size, the framing or the body is wrong
    └── BadSignature       the author did not sign these bytes
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NoReturn, Self, get_args

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from swarm.core.brief import MAX_AMOUNT, MAX_DEMANDS, Brief, Cost
from swarm.core.clock import MAX_COUNTER, MAX_MS, Stamp
from swarm.core.policy import HARD_MAX_CHILDREN, Key, Policy

DOMAIN = b"leaderless/record/1\n"
NODE_DOMAIN = b"leaderless/node/1\n"
ROSTER_DOMAIN = b"leaderless/roster/1\n"
VERSION = 1
HEADER_SIZE = 1 + 32 + 64
MAX_RECORD = 64 * 1024
"""Bytes of the longest record, header included."""

MAX_GOAL_TEXT = 10_000
MAX_TITLE = 200
MAX_DETAIL = 2_000
MAX_NOTE = 2_000
MAX_KNOWN = 64
"""Most authors that a goal names as known: more than work on one goal; 4 KiB of its record."""

MAX_RESULT_TEXT = 60_000
"""Most characters of a result; `fit_result` also cuts it to the bytes that fit a record."""

MAX_ATTEMPT = 16
"""The highest number of an attempt at a task; revisions are counted on."""

MAX_STEPS = 1_000
"""The highest number of a day or week in a plan."""

MAX_COSTS = 100
"""Most items of cost in one result."""

RESULT_BYTES = MAX_RECORD - 2 * 1024
"""Most bytes of a result's text as JSON; the rest of the record takes well under 2 KiB."""


class RecordError(ValueError):
    """The bytes are not a valid record. The message says why."""


class MalformedRecord(RecordError):
    """The size, the framing or the body is wrong."""


class BadSignature(RecordError):
    """The author did not sign these bytes."""


def _stamp_in(value: Any) -> Stamp:
    match value:
        # Booleans are integers in Python, but not in JSON.
        case [int(ms), int(counter)] if type(ms) is int and type(counter) is int:
            if 0 <= ms <= MAX_MS and 0 <= counter <= MAX_COUNTER:
                return Stamp(ms, counter)
    raise ValueError("a stamp is [ms, counter], two whole numbers within their limits")


WireStamp = Annotated[
    Stamp, PlainValidator(_stamp_in), PlainSerializer(list, return_type=list[int])
]
Title = Annotated[str, Field(min_length=1, max_length=MAX_TITLE)]
Detail = Annotated[str, Field(max_length=MAX_DETAIL)]
Note = Annotated[str, Field(max_length=MAX_NOTE)]
Rating = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Word = Annotated[str, Field(max_length=64)]


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, ser_json_bytes="hex", val_json_bytes="hex", extra="ignore"
    )


class _Body(_Part):
    v: Annotated[int, Field(ge=VERSION, le=VERSION)] = VERSION
    # Not Literal[1]: that takes `true` and `1.0`, which equal 1 in Python.
    stamp: WireStamp


class Subgoal(_Part):
    """One part of a split."""

    title: Title
    detail: Detail = ""
    kind: Literal["task", "goal"] = "task"
    after: Annotated[list[Annotated[int, Field(ge=0)]], Field(max_length=HARD_MAX_CHILDREN)] = []
    """Indexes of the earlier siblings whose results this part needs."""
    capability: Word = ""
    """What an executor must be able to do; empty: nothing special."""
    first: Annotated[int, Field(ge=1, le=MAX_STEPS)] | None = None
    last: Annotated[int, Field(ge=1, le=MAX_STEPS)] | None = None
    """The first and last day of this part, from 1, or week if the brief counts in weeks."""
    place: Word | None = None
    """Where this part happens and ends; it begins where the part before it ends."""
    share: Annotated[int, Field(ge=0, le=MAX_AMOUNT)] | None = None
    """The most that this part may cost, in whole units of the budget's currency."""
    keeps: (
        Annotated[list[Annotated[int, Field(ge=0, lt=MAX_DEMANDS)]], Field(max_length=MAX_DEMANDS)]
        | None
    ) = None
    """Indexes of the brief's demands that this part has to keep."""


class Goal(_Body):
    """A submitter asks for a plan."""

    kind: Literal["goal"] = "goal"
    swarm: Word
    text: Annotated[str, Field(min_length=1, max_length=MAX_GOAL_TEXT)]
    language: Annotated[str, Field(max_length=35)] = ""
    """BCP 47 tag of the language to answer in; empty: the language of the text."""
    policy: Policy = Policy()
    asker: Key | None = None
    """A keyed hash of the person who asked; only the submitter can tell who that is."""
    known: Annotated[list[Key], Field(max_length=MAX_KNOWN)] = []
    """Authors that the submitter has known longest. Room is reserved for them, so that a crowd of
    made-up authors cannot push them out. Empty: all authors are treated alike."""


class Proposal(_Body):
    """A way to split a node or, without parts, the advice to do it as one task."""

    kind: Literal["proposal"] = "proposal"
    goal: Key
    node: Key
    parts: Annotated[list[Subgoal], Field(max_length=HARD_MAX_CHILDREN)] = []
    lens: Word = ""
    rationale: Detail = ""
    refines: Key | None = None
    brief: Brief | None = None
    """What the goal demands, as the author read it; the parts refer to its demands."""
    draft: Annotated[str, Field(max_length=MAX_RESULT_TEXT)] | None = None
    """With no parts: the whole plan as the author would write it. It competes with the splits."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if len(self.parts) == 1:
            raise ValueError("a split has at least two parts, or none: do the node as one task")
        for index, part in enumerate(self.parts):
            if any(other >= index for other in part.after):
                raise ValueError(f"part {index} can come only after earlier parts")
        return self


class Ballot(_Body):
    """A scorer's ratings and verdict on a proposal, or one person's vote as attested by the bot."""

    kind: Literal["ballot"] = "ballot"
    goal: Key
    node: Key
    proposal: Key
    verdict: Literal["approve", "reject", "abstain"]
    concrete: Rating | None = None
    distinct: Rating | None = None
    complete: Rating | None = None
    critique: Detail = ""
    person: Key | None = None
    """A keyed hash of the person. If set, the author attests that person's vote without ratings."""

    @model_validator(mode="after")
    def _rated(self) -> Self:
        rated = [r is not None for r in (self.concrete, self.distinct, self.complete)]
        if self.person is None and not all(rated):
            raise ValueError("a scorer's ballot needs all three ratings")
        return self

    @property
    def score(self) -> float:
        """The mean of the three ratings, in [0, 1]; 0 for a person's ballot."""
        return ((self.concrete or 0.0) + (self.distinct or 0.0) + (self.complete or 0.0)) / 3


class Claim(_Body):
    """An executor takes a task."""

    kind: Literal["claim"] = "claim"
    goal: Key
    node: Key
    attempt: Annotated[int, Field(ge=1, le=MAX_ATTEMPT)]


class Progress(_Body):
    """The holder of a claim renews its lease."""

    kind: Literal["progress"] = "progress"
    goal: Key
    node: Key
    claim: Key
    percent: Annotated[int, Field(ge=0, le=100)] | None = None
    note: Annotated[str, Field(max_length=200)] = ""


class Result(_Body):
    """A task is done or failed."""

    kind: Literal["result"] = "result"
    goal: Key
    node: Key
    claim: Key
    outcome: Literal["done", "failed"]
    text: Annotated[str, Field(max_length=MAX_RESULT_TEXT)] = ""
    """Markdown, when done."""
    reason: Note = ""
    """Why it failed, shown to the user."""
    draft: bool = False
    """Whether a small model wrote it, so that it must be verified before anyone relies on it."""
    closing: Annotated[str, Field(max_length=MAX_RESULT_TEXT)] | None = None
    """Of a node with parts: what follows the parts' texts, which stand between `text` and this. So
    nothing that was written is cut to fit one record. None: `text` is the whole."""
    costs: Annotated[list[Cost], Field(max_length=MAX_COSTS)] | None = None
    """What this part costs, as data: code adds it up."""


class Review(_Body):
    """A scorer's verdict on the result of a task: it is fine, or it goes back to be revised."""

    kind: Literal["review"] = "review"
    goal: Key
    node: Key
    result: Key
    verdict: Literal["fine", "wrong"]
    rating: Rating | None = None
    """Share of the checked points that the result keeps; None: 1 if it is fine, else 0."""
    points: Annotated[
        list[Annotated[int, Field(ge=0, lt=MAX_DEMANDS)]], Field(max_length=MAX_DEMANDS)
    ] = []
    """Indexes of the brief's demands that the result does not keep."""
    kept: (
        Annotated[list[Annotated[int, Field(ge=0, lt=MAX_DEMANDS)]], Field(max_length=MAX_DEMANDS)]
        | None
    ) = None
    """Indexes of the demands that code cannot check and that the reviewer's model found kept."""
    critique: Detail = ""
    """What is wrong, human-readable, for the executor that revises it and for people."""

    @property
    def score(self) -> float:
        """The rating in [0, 1]; without one, the verdict as a number."""
        if self.rating is not None:
            return self.rating
        return 1.0 if self.verdict == "fine" else 0.0


class Cancel(_Body):
    """The goal's author cancels it."""

    kind: Literal["cancel"] = "cancel"
    goal: Key
    reason: Note = ""


class Replan(_Body):
    """The goal's author asks for another split of a decided node, which is then voted on again."""

    kind: Literal["replan"] = "replan"
    goal: Key
    node: Key
    reason: Note = ""
    """What should be different, shown to people and to decomposers."""


class Notice(_Body):
    """An agent states why it cannot help, so that silence is never the only sign."""

    kind: Literal["notice"] = "notice"
    goal: Key
    node: Key | None = None
    code: Word
    text: Note


SHARED_KEY = "key in use at two places"
"""How a presence's trouble begins if several processes use its author's key. One of them works."""


LEFT = "left"
"""The trouble of a peer's last presence: it has ended in good order, and is gone at once."""


def can_work(trouble: str) -> bool:
    """Return whether a peer that announces this trouble can work all the same."""
    return not trouble or trouble.startswith(SHARED_KEY)


class Presence(_Body):
    """A peer is here. Presences are not stored; only the newest of each author is remembered."""

    kind: Literal["presence"] = "presence"
    swarm: Word
    role: Word
    name: Word = ""
    model: Word = ""
    capabilities: Annotated[list[Word], Field(max_length=16)] = []
    load: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Model calls running at the moment."""
    version: Word = ""
    trouble: Annotated[str, Field(max_length=500)] = ""
    """Why this peer cannot work at the moment; empty: it can. See also `SHARED_KEY`."""
    peer: Word = ""
    """Its libp2p id, so that peers connected to it notice when it is gone."""


class Grant(_Body):
    """The owner of a swarm states an author's roles from this stamp on; no roles: revoked."""

    kind: Literal["grant"] = "grant"
    swarm: Word
    subject: Key
    roles: Annotated[list[Word], Field(max_length=8)]
    name: Word = ""


class UnknownBody(BaseModel):
    """The body of a future kind or version: kept and relayed, never folded."""

    model_config = ConfigDict(frozen=True, val_json_bytes="hex", extra="ignore")

    v: Annotated[int, Field(ge=1, le=MAX_MS)]
    kind: Annotated[str, Field(min_length=1, max_length=64)]
    stamp: WireStamp
    goal: Key


KnownBody = (
    Goal
    | Proposal
    | Ballot
    | Claim
    | Progress
    | Result
    | Review
    | Cancel
    | Replan
    | Notice
    | Presence
    | Grant
)
Body = KnownBody | UnknownBody
NodeBody = Proposal | Ballot | Claim | Progress | Result | Review | Replan

_KNOWN: TypeAdapter[KnownBody] = TypeAdapter(Annotated[KnownBody, Field(discriminator="kind")])
_UNKNOWN = TypeAdapter(UnknownBody)

_FIELD_PRIME = 2**255 - 19
_SIGN_BIT = 1 << 255
_SMALL_ORDER_Y = frozenset(
    (
        0,
        1,
        _FIELD_PRIME - 1,
        0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
        _FIELD_PRIME - 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826,
    )
)
"""The y coordinates of Ed25519's eight points of order 1, 2, 4 and 8. With such a key one fixed
signature fits an eighth or more of all texts, so it proves nothing about its author."""

_KINDS = frozenset(body.model_fields["kind"].default for body in get_args(KnownBody))

SortKey = tuple[int, int, bytes, bytes]
"""(ms, counter, author, id): the one order in which all records are replayed."""


@dataclass(frozen=True, slots=True)
class Record:
    """A decoded record. Equal ids are the same record."""

    id: bytes
    author: bytes
    body: Body = field(compare=False)
    raw: bytes = field(compare=False, repr=False)
    key: SortKey = field(compare=False, repr=False)

    @property
    def stamp(self) -> Stamp:
        """When it was made, as its author states."""
        return self.body.stamp

    @property
    def goal_id(self) -> bytes | None:
        """The set it is kept in: a goal's id, or the roster's for a grant; None for a presence."""
        if isinstance(self.body, Goal):
            return self.id
        if isinstance(self.body, Grant):
            return roster_id(self.author, self.body.swarm)
        if isinstance(self.body, Presence):
            return None
        return self.body.goal


Namer = Callable[[bytes], str]
"""Returns the name that people know an author by, given its public key (32 bytes)."""


def short_key(author: bytes) -> str:
    """Return the first eight hex digits of an author's key, the name of an author without one."""
    return author.hex()[:8]


def fit_result(text: str, room: int = RESULT_BYTES) -> str:
    """Return a result's text, cut with an ellipsis if it does not fit a record.

    Args:
        text: Markdown.
        room: Most bytes of it as JSON.
    """
    if len(text) <= MAX_RESULT_TEXT and result_bytes(text) <= room:
        return text
    low, high = 0, min(len(text), MAX_RESULT_TEXT - 1)
    while low < high:
        middle = (low + high + 1) // 2
        if result_bytes(text[:middle] + "…") <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + "…"


def result_bytes(value: object) -> int:
    """Return how many bytes a part of a result takes as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def record_id(raw: bytes) -> bytes:
    """Return the id of a record's bytes without checking them."""
    return hashlib.sha256(DOMAIN + raw[1:33] + raw[HEADER_SIZE:]).digest()


def roster_id(owner: bytes, swarm: str) -> bytes:
    """Return the id under which an owned swarm's grants are kept and gossiped, as if a goal's."""
    return hashlib.sha256(ROSTER_DOMAIN + owner + swarm.encode()).digest()


def child_id(proposal: bytes, index: int) -> bytes:
    """Return the id of part `index` of a proposal: competing splits never share nodes."""
    return hashlib.sha256(NODE_DOMAIN + proposal + index.to_bytes(2, "big")).digest()


def _make(raw: bytes, author: bytes, body: Body) -> Record:
    rid = record_id(raw)
    return Record(rid, author, body, raw, (body.stamp.ms, body.stamp.counter, author, rid))


def sign(body: KnownBody, key: Ed25519PrivateKey) -> Record:
    """Sign a body and return its record.

    Raises:
        MalformedRecord: the record would be longer than `MAX_RECORD`.
    """
    author = key.public_key().public_bytes_raw()
    # Defaults are spelled out: a later version with other defaults must read the same policy.
    payload = body.model_dump_json(exclude_none=True).encode()
    raw = bytes([VERSION]) + author + key.sign(DOMAIN + author + payload) + payload
    if len(raw) > MAX_RECORD:
        raise MalformedRecord(f"the record has {len(raw):,} bytes; at most {MAX_RECORD:,} fit")
    return _make(raw, author, body)


def decode(raw: bytes, *, verify: bool = True) -> Record:
    """Decode a record's bytes.

    Args:
        raw: the record as read from the network or the disk.
        verify: whether to check the signature; False only if the caller has checked it.

    Raises:
        MalformedRecord: the size, the framing or the body is wrong.
        BadSignature: the author did not sign these bytes, or the key cannot prove it.
    """
    if not HEADER_SIZE < len(raw) <= MAX_RECORD:
        raise MalformedRecord(
            f"the record has {len(raw):,} bytes; it must have {HEADER_SIZE + 1} to {MAX_RECORD:,}"
        )
    if raw[0] != VERSION:
        raise MalformedRecord(f"the envelope version is {raw[0]}; this peer reads {VERSION}")
    author, signature, payload = raw[1:33], raw[33:HEADER_SIZE], raw[HEADER_SIZE:]
    y = int.from_bytes(author, "little") & ~_SIGN_BIT
    if y >= _FIELD_PRIME:
        raise BadSignature("the author's key is not in its only valid (canonical) encoding")
    if y in _SMALL_ORDER_Y:
        raise BadSignature("the author's key has a small order: anyone can sign with it")
    if verify:
        try:
            Ed25519PublicKey.from_public_bytes(author).verify(signature, DOMAIN + author + payload)
        except (InvalidSignature, ValueError) as error:
            raise BadSignature("the signature does not match the author and the bytes") from error
    return _make(raw, author, _read_body(payload))


def _read_body(payload: bytes) -> Body:
    body: Body
    try:
        body = _KNOWN.validate_json(payload, strict=True)
    except ValidationError as error:
        try:
            unknown = _UNKNOWN.validate_json(payload, strict=True)
        except ValidationError:
            raise MalformedRecord(_first_problem(error)) from None
        if unknown.v == VERSION and unknown.kind in _KINDS:
            raise MalformedRecord(_first_problem(error)) from None
        body = unknown
    else:
        # Signers rely on the defaults of these fields; readers must not.
        if "v" not in body.model_fields_set:
            raise MalformedRecord("v: Field required")
        if isinstance(body, Goal) and "policy" not in body.model_fields_set:
            raise MalformedRecord("policy: Field required")
    _check_unambiguous(payload)
    return body


def _unique(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("an object has the same key twice")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_SCANNER = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_refuse_constant,
    # The values of numbers are not used here. `len` is the cheapest thing to call with their text.
    parse_int=len,
    parse_float=len,
)
"""The standard library's scanner (in C), only to find what Pydantic's parser lets through."""


def _check_unambiguous(payload: bytes) -> None:
    """Refuse duplicate keys in any object, and `NaN` and `Infinity` anywhere.

    Of duplicate keys parsers take the first, the last or neither, so peers would read different
    facts from the same signed bytes.
    """
    try:
        _SCANNER.decode(payload.decode())
    except (ValueError, RecursionError) as error:
        raise MalformedRecord(f"body: {error}") from None


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(step) for step in first["loc"]) or "body"
    return f"{where}: {first['msg']}"
