"""Records: signed as sent, verifiable alone, and nothing malformed gets through."""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any, get_args

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from swarm.core.brief import DEMAND_KINDS, MAX_AMOUNT, MAX_DEMANDS, Brief, Cost, Demand
from swarm.core.clock import MAX_COUNTER, MAX_MS, Stamp
from swarm.core.policy import Policy
from swarm.core.records import (
    DOMAIN,
    HEADER_SIZE,
    MAX_RECORD,
    VERSION,
    BadSignature,
    Goal,
    KnownBody,
    MalformedRecord,
    RecordError,
    Result,
    Subgoal,
    UnknownBody,
    decode,
    fit_result,
    record_id,
    sign,
)
from tests.core.vectors import (
    MEANS,
    SMALL_ORDER,
    fold_vector,
    invalid_bodies,
    mean_rating,
    record_vectors,
    review_vector,
)
from tests.core.worlds import BOT, random_world

VECTORS = Path(__file__).parents[2] / "docs" / "vectors"


def goal_body(text: str = "plan") -> Goal:
    return Goal(stamp=Stamp(1_000, 2), swarm="test", text=text)


def signed(payload: bytes, key: Ed25519PrivateKey = BOT) -> bytes:
    """Return a correctly signed record with any payload."""
    author = key.public_key().public_bytes_raw()
    return bytes([VERSION]) + author + key.sign(DOMAIN + author + payload) + payload


@given(st.integers(0, 2**32))
@settings(max_examples=30, deadline=None)
def test_what_is_signed_decodes_to_the_same(seed: int) -> None:
    """Every random record decodes from its bytes to the same id, author and body."""
    world = random_world(seed, 30)
    for record in [world.goal, *world.records]:
        again = decode(record.raw)
        assert again == record
        assert again.body == record.body
        assert again.key == record.key


_KEYS = st.binary(min_size=32, max_size=32)
_STAMPS = st.builds(Stamp, st.integers(0, MAX_MS), st.integers(0, MAX_COUNTER))
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


_DEMANDS = st.builds(
    Demand,
    kind=st.sampled_from(sorted(DEMAND_KINDS)) | st.just("of-a-later-version"),
    text=_TEXTS,
    value=st.none() | st.integers(0, MAX_AMOUNT),
    unit=st.none() | _TEXTS,
    name=st.none() | _TEXTS,
    date=st.none() | st.dates().map(lambda day: day.isoformat()),
)
_BRIEFS = st.builds(Brief, demands=st.lists(_DEMANDS, max_size=3), summary=_TEXTS)


def _bodies(kind: type[KnownBody]) -> st.SearchStrategy[KnownBody]:
    """Return random bodies of one kind, as a signer may construct them."""
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for name, about in kind.model_fields.items():
        said = str(about.annotation)
        if name in ("v", "kind"):
            continue
        if name == "stamp":
            fields[name] = _STAMPS
        elif name == "policy":
            fields[name] = st.builds(Policy, min_score=st.floats(0, 1), electorate=st.just([]))
        elif name == "parts":
            parts = [Subgoal(title='"x":'), Subgoal(title="b", after=[0], kind="goal")]
            parts_with_days = [
                Subgoal(title="a", first=1, last=3, place="Kyōto", share=400, keeps=[0, 2]),
                Subgoal(title="b", after=[0], first=4, last=4),
            ]
            fields[name] = st.sampled_from([[], parts, parts_with_days])
        elif name == "brief":
            fields[name] = st.none() | _BRIEFS
        elif name == "costs":
            fields[name] = st.none() | st.lists(
                st.builds(Cost, what=_TEXTS, amount=st.integers(0, MAX_AMOUNT)), max_size=3
            )
        elif name == "points":
            fields[name] = st.lists(st.integers(0, MAX_DEMANDS - 1), max_size=3)
        elif name == "kept":
            fields[name] = st.none() | st.lists(st.integers(0, MAX_DEMANDS - 1), max_size=3)
        elif "Literal" in said:
            fields[name] = st.sampled_from(get_args(about.annotation))
        elif "list" in said:
            fields[name] = st.lists(_KEYS if "bytes" in said else _TEXTS, max_size=3)
        elif "bytes" in said:
            fields[name] = _KEYS if about.is_required() else st.none() | _KEYS
        elif "float" in said:
            fields[name] = st.floats(0, 1)
        elif "bool" in said:
            fields[name] = st.booleans()
        elif "int" in said:
            fields[name] = st.integers(1, 16)
        else:
            fields[name] = _TEXTS if name != "language" else st.just("hi")
    return st.fixed_dictionaries(fields).map(lambda values: kind(**values))


@given(st.one_of([_bodies(kind) for kind in get_args(KnownBody)]))
@settings(max_examples=300, deadline=None)
def test_what_any_signer_makes_decodes(body: KnownBody) -> None:
    """Strict decoding refuses nothing that our own signers make, of any kind."""
    assert decode(sign(body, BOT).raw).body == body


def test_every_changed_bit_is_noticed() -> None:
    """A change of any byte of a record breaks its signature or its framing."""
    raw = sign(goal_body(), BOT).raw
    for position in range(len(raw)):
        changed = bytearray(raw)
        changed[position] ^= 1
        with pytest.raises(RecordError):
            decode(bytes(changed))


@given(st.binary(max_size=400))
def test_any_bytes_are_decoded_or_refused(raw: bytes) -> None:
    """Decoding arbitrary bytes raises only RecordError."""
    with pytest.raises(RecordError):
        decode(raw)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_signed_payload_is_decoded_or_refused(payload: bytes) -> None:
    """A valid signature over nonsense raises only MalformedRecord."""
    with pytest.raises(MalformedRecord):
        decode(signed(payload))


def test_another_authors_name_is_refused() -> None:
    """A record whose author field is replaced fails its signature."""
    raw = sign(goal_body(), BOT).raw
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    with pytest.raises(BadSignature):
        decode(raw[:1] + other + raw[33:])


def test_unknown_kinds_and_versions_are_kept() -> None:
    """A kind or version from the future decodes to UnknownBody, with its goal and stamp."""
    for v, kind in [(1, "haiku"), (2, "goal")]:
        payload = json.dumps({"v": v, "kind": kind, "stamp": [5, 0], "goal": "ab" * 32}).encode()
        body = decode(signed(payload)).body
        assert isinstance(body, UnknownBody)
        assert (body.v, body.kind) == (v, kind)


@pytest.mark.parametrize(
    "change",
    [
        {"stamp": [-1, 0]},
        {"stamp": [1]},
        {"stamp": [2**53, 0]},
        {"stamp": "now"},
        {"text": ""},
        {"text": "x" * 10_001},
        {"swarm": 7},
        {"policy": {"quorum": 0}},
        {"policy": {"electorate": ["ab" * 32], "quorum": 2}},
        {"policy": {"lease_ms": 0}},
        {"asker": "abcd"},
        {"kind": "presence"},
    ],
)
def test_malformed_goals_are_refused(change: dict[str, object]) -> None:
    """Fields of the wrong type, size or range make a record malformed, with a reason."""
    payload = {
        "v": 1,
        "kind": "goal",
        "stamp": [1, 0],
        "swarm": "s",
        "text": "t",
        "policy": {},
        **change,
    }
    with pytest.raises(MalformedRecord, match=r"."):
        decode(signed(json.dumps(payload).encode()))


def test_a_split_of_one_and_forward_references_are_refused() -> None:
    """A split has two parts or more, and parts come only after earlier ones."""
    base = {"v": 1, "kind": "proposal", "stamp": [1, 0], "goal": "ab" * 32, "node": "ab" * 32}
    for parts in (
        [{"title": "only"}],
        [{"title": "a", "after": [1]}, {"title": "b"}],
        [{"title": "a", "after": [0]}, {"title": "b"}],
        [{"title": "a"}] * 33,
    ):
        with pytest.raises(MalformedRecord):
            decode(signed(json.dumps({**base, "parts": parts}).encode()))


def test_oversized_records_are_refused_both_ways() -> None:
    """Neither signing nor decoding accepts more than 64 KiB."""
    body = Result(
        stamp=Stamp(1), goal=bytes(32), node=bytes(32), claim=bytes(32), outcome="done",
        text="अ" * 30_000,
    )  # fmt: skip
    with pytest.raises(MalformedRecord, match="65,536"):
        sign(body, BOT)
    with pytest.raises(MalformedRecord):
        decode(signed(b" " * MAX_RECORD))


@given(st.text(max_size=2_000), st.sampled_from([1, 7, 64]))
def test_any_result_text_is_cut_to_fit_a_record(text: str, times: int) -> None:
    """Whatever a model wrote, the cut text is a prefix of it and can be signed."""
    fitted = fit_result(text.encode("utf-8", "replace").decode() * times)
    body = Result(
        stamp=Stamp(1), goal=bytes(32), node=bytes(32), claim=bytes(32), outcome="done", text=fitted
    )
    assert len(sign(body, BOT).raw) <= MAX_RECORD


@pytest.mark.parametrize("what", invalid_bodies())
def test_bodies_are_decoded_strictly(what: str) -> None:
    """A correctly signed body with a converted value or ambiguous JSON is refused."""
    with pytest.raises(MalformedRecord):
        decode(signed(invalid_bodies()[what].encode()))


def test_the_documented_limits_are_the_last_values_that_pass() -> None:
    """4,300 digits and 200 levels decode; unknown fields may hold any other JSON."""
    start = '{"v":1,"kind":"haiku","stamp":[1,0],"goal":"' + "ab" * 32 + '","x":'
    for value in (
        "1" * 4_300,
        "[" * 199 + "0" + "]" * 199,
        "[" * 200 + "]" * 200,
        "1e999",
        "null",
        '{"a":{"a":1}}',
    ):
        assert isinstance(decode(signed((start + value + "}").encode())).body, UnknownBody)


@pytest.mark.parametrize("author", SMALL_ORDER, ids=bytes.hex)
def test_keys_that_anyone_can_sign_with_are_refused(author: bytes) -> None:
    """One fixed signature fits texts under a small-order key; its records are refused all the same.

    With R the neutral element and S = 0, every text whose hash is a multiple of the order fits.
    """
    forged = bytes([1]) + bytes(31) + bytes(32)
    fits = 0
    for number in range(64):
        payload = sign(goal_body(f"plan {number}"), BOT).raw[HEADER_SIZE:]
        with pytest.raises(BadSignature):
            decode(bytes([VERSION]) + author + forged + payload)
        with pytest.raises(BadSignature, match="small order"):
            decode(bytes([VERSION]) + author + forged + payload, verify=False)
        with contextlib.suppress(InvalidSignature):
            key = Ed25519PublicKey.from_public_bytes(author)
            key.verify(forged, DOMAIN + author + payload)
            fits += 1
    assert fits, "the signature must be a real forgery"


def test_ratings_are_summed_one_after_the_other() -> None:
    """The mean rating does not depend on the Python version: no compensated sum."""
    total = 0.0
    for rating in MEANS:
        total += (rating + rating + rating) / 3
    assert mean_rating(MEANS) == total / len(MEANS) != math.fsum(MEANS) / len(MEANS)


def test_the_id_is_of_the_signed_bytes() -> None:
    """The id can be computed without verifying, and does not depend on the signature."""
    record = sign(goal_body(), BOT)
    assert record_id(record.raw) == record.id
    other = record.raw[:33] + bytes(64) + record.raw[HEADER_SIZE:]
    assert record_id(other) == record.id


def test_a_goal_spells_out_its_whole_policy() -> None:
    """Defaults are spelled out, so that a peer with other defaults folds by the goal's rules."""
    payload = json.loads(sign(goal_body(), BOT).raw[HEADER_SIZE:])
    later = {"reviews", "review_ms"}
    assert set(Policy.model_fields) - later == set(payload["policy"])
    body = goal_body().model_copy(update={"policy": Policy(reviews=1, review_ms=5_000)})
    payload = json.loads(sign(body, BOT).raw[HEADER_SIZE:])
    assert set(Policy.model_fields) == set(payload["policy"])


def test_record_vectors_for_other_languages_are_true() -> None:
    """docs/vectors/records.json is byte for byte what this code signs and accepts."""
    vectors = json.loads((VECTORS / "records.json").read_text())
    assert vectors == record_vectors()
    for vector in vectors["valid"]:
        raw = bytes.fromhex(vector["record"])
        assert decode(raw).id.hex() == vector["id"]
    for vector in vectors["invalid"]:
        with pytest.raises(RecordError):
            decode(bytes.fromhex(vector["record"]))


def test_fold_vector_for_other_languages_is_true() -> None:
    """docs/vectors/fold.json: these records at this time give this state and digest."""
    assert json.loads((VECTORS / "fold.json").read_text()) == fold_vector()


def test_review_vector_for_other_languages_is_true() -> None:
    """docs/vectors/reviews.json: its first records at each moment give that state and digest."""
    assert json.loads((VECTORS / "reviews.json").read_text()) == review_vector()
