"""The sections of the configuration: what can be set, what it means, what is allowed.

The defaults are those in this file. `config/swarm.toml` repeats them with explanations, and a test
compares the two: a new setting is one field here and one line there.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import platformdirs
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo

from swarm.config.durations import parse_seconds
from swarm.config.errors import Allowed, ConfigError
from swarm.config.secret_files import exposure
from swarm.core.policy import HARD_MAX_CHILDREN, HARD_MAX_DEPTH, REVIEW_MS, Policy
from swarm.llm.settings import DEFAULT_WEIGHTS, ModelSettings

APP = "leaderless"
"""Default name of the swarm and of the directories."""

MAX_KEY_FILE = 4_096
"""Most bytes read of a swarm key's file, in case it is another file: a key has 64."""

YEAR_SECONDS = 365 * 24 * 3600.0
"""The longest length of time that can be set."""

TIMES = Allowed('1 to 8 times, one for each depth, such as ["30s", "0s"]')
TIME = Allowed('a time: seconds as a number, or text such as "90s", "5m" or "1h30m"')

Seconds = Annotated[float, BeforeValidator(parse_seconds), Field(ge=0, le=YEAR_SECONDS), TIME]
"""A length of time, in seconds once read."""

SomeSeconds = Annotated[float, BeforeValidator(parse_seconds), Field(gt=0, le=YEAR_SECONDS), TIME]
"""A length of time greater than 0."""


def is_time(field: FieldInfo) -> bool:
    """Return whether a setting is a length of time, or a list of them."""
    return TIME in field.metadata or TIMES in field.metadata


def _listed(value: Any) -> Any:
    """Read `a, b` from an environment variable as the list that TOML would write."""
    if isinstance(value, str):
        return [item for item in (part.strip() for part in value.split(",")) if item]
    return value


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, int | float) else _listed(value)


def _home(value: Any) -> Any:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("a path cannot contain a null character")
    return os.path.expanduser(value) if isinstance(value, str) else value


Texts = Annotated[
    tuple[str, ...], BeforeValidator(_listed), Allowed("a list of texts; in the environment: a,b")
]
Folder = Annotated[Path, BeforeValidator(_home), Allowed("a path")]


class Section(BaseModel):
    """One table of the configuration. An unknown key is an error, so that typos are noticed."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class SwarmSection(Section):
    """`[swarm]`: which swarm, where to listen, which peers to dial, where to keep files."""

    name: Annotated[str, Field(min_length=1, max_length=64), Allowed("1 to 64 characters")] = APP
    """Peers with the same name and key form one swarm."""

    listen: Texts = ("/ip4/127.0.0.1/tcp/0",)
    """Multiaddresses to listen on; port 0 takes a free port."""

    peers: Texts = ()
    """Multiaddresses of other peers to dial, besides those found automatically."""

    swarm_key: Annotated[SecretStr | None, Allowed("64 hex digits")] = None
    """The secret that all members share; required to listen beyond this machine."""

    swarm_key_file: Folder | None = None
    """A file that holds the swarm key, instead of `swarm_key`."""

    owner: Annotated[str | None, Allowed("the owner's public key, 64 hex digits")] = None
    """The owner, who grants roles (`swarm init`); empty: every peer may act in every role."""

    owner_key_file: Folder | None = None
    """The owner's private key; only on the owner's machine."""

    grants_file: Folder | None = None
    """The grants that peers of this machine start with."""

    mdns: bool = True
    """Whether to find peers on the local network."""

    allow_open: bool = False
    """Whether listening beyond this machine without a swarm key is intended."""

    state_dir: Folder = Field(default_factory=lambda: Path(platformdirs.user_state_path(APP)))
    """Identities, replicas and logs."""

    runtime_dir: Folder = Field(default_factory=lambda: _runtime_dir())
    """The address book of this machine's running peers."""

    @field_validator("swarm_key")
    @classmethod
    def _hex(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None or not value.get_secret_value():
            return None
        return SecretStr(_checked_key(value.get_secret_value()))

    @field_validator("owner")
    @classmethod
    def _public_key(cls, value: str | None) -> str | None:
        if not value:
            return None
        if len(value) != 64 or not set(value.lower()) <= set("0123456789abcdef"):
            raise ValueError("an owner is a public key with 64 hex digits")
        return value.lower()

    @model_validator(mode="after")
    def _owned(self) -> Self:
        if self.owner is None and (self.owner_key_file or self.grants_file):
            raise ValueError("owner_key_file or grants_file is set, so owner must be set too")
        if self.owner_key_file is not None and self.grants_file is None:
            raise ValueError("owner_key_file is set, so grants_file must be set too")
        return self

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.swarm_key is not None and self.swarm_key_file is not None:
            raise ValueError("swarm_key and swarm_key_file are both set; remove one of them")
        return self

    def owner_key(self) -> bytes | None:
        """Return the owner's public key; None: the swarm is open."""
        return None if self.owner is None else bytes.fromhex(self.owner)

    def key(self) -> str | None:
        """Return the swarm key as 64 hex digits, read from its file if it is in one.

        Raises:
            ConfigError: the file cannot be read, other users can read it, or it does not hold a
                key.
        """
        if self.swarm_key is not None:
            return self.swarm_key.get_secret_value()
        if self.swarm_key_file is None:
            return None
        try:
            with self.swarm_key_file.open("rb") as source:
                text = source.read(MAX_KEY_FILE)
            key = _checked_key(text.decode(errors="replace"))
            exposed = exposure(self.swarm_key_file, "the swarm key")
        except OSError as error:
            raise ConfigError(
                f"swarm.swarm_key_file: {self.swarm_key_file} cannot be read ({error.strerror})."
            ) from error
        except ValueError as error:
            raise ConfigError(f"swarm.swarm_key_file: {self.swarm_key_file}: {error}.") from None
        if exposed:
            raise ConfigError(f"swarm.swarm_key_file: {exposed}")
        return key


def _runtime_dir() -> Path:
    with warnings.catch_warnings():
        # platformdirs warns if there is no login session; the directory it uses then is fine.
        warnings.simplefilter("ignore")
        return Path(platformdirs.user_runtime_path(APP))


def _checked_key(text: str) -> str:
    key = text.strip().lower()
    if len(key) != 64 or not set(key) <= set("0123456789abcdef"):
        raise ValueError(
            "a swarm key has 64 hex digits; make one with: "
            "python -c 'import secrets; print(secrets.token_hex(32))'"
        )
    return key


class ModelSection(Section):
    """`[model]`: which language model the peers of this machine use, and its limits."""

    name: str = ""
    """The model's name on the server; empty: the best one that fits, or the embedded one."""

    url: str = ""
    """URL of a model server, Ollama or OpenAI-compatible; empty: OLLAMA_HOST, the usual ports, then
    the embedded model."""

    ollama_url: str = ""
    """The same as `url`, by the name it had when only Ollama was known."""

    api_key: Annotated[SecretStr | None, Allowed("printable ASCII characters, without spaces")] = (
        None
    )
    """A key for the server that `url` or OLLAMA_HOST names; it is sent to no other."""

    embedded: bool = True
    """Whether the embedded model may be used when no model server answers."""

    weights: str = DEFAULT_WEIGHTS
    """The embedded model's weights (`swarm model list`)."""

    gguf: Folder | None = None
    """A GGUF file to use instead of the embedded model's weights."""

    style: Literal["auto", "small", "large"] = "auto"
    """How to prompt: for small or large models, or by the size the server reports."""

    context_tokens: Annotated[int, Field(ge=1_024, le=1_000_000)] = 8_192
    """Context length requested from Ollama, in tokens."""

    time_limit: Annotated[SomeSeconds, Field(le=3_600)] = 300.0
    """Longest time for one request in seconds, including retries and waiting."""

    rate_limit: Annotated[SomeSeconds, Field(le=3_600)] = 240.0
    """Longest time for one rating in seconds, including retries and waiting."""

    @field_validator("api_key")
    @classmethod
    def _header_value(cls, value: SecretStr | None) -> SecretStr | None:
        key = value.get_secret_value().strip() if value is not None else ""
        if not all("!" <= char <= "~" for char in key):
            raise ValueError("a key is sent in a header, which takes printable ASCII only")
        return SecretStr(key) if key else None

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        if self.url and self.ollama_url:
            raise ValueError("url and ollama_url are both set; remove one of them")
        return self

    @property
    def server(self) -> str:
        """The address that was set, under either name; empty for none."""
        return self.url or self.ollama_url

    def to_settings(self) -> ModelSettings:
        """Return the settings in the form that `swarm.llm` takes."""
        return ModelSettings(
            url=self.server,
            api_key=self.api_key,
            model=self.name,
            embedded=self.embedded,
            weights=self.weights,
            gguf=self.gguf,
            style=self.style,
            context_tokens=self.context_tokens,
            time_limit_seconds=self.time_limit,
            rate_limit_seconds=self.rate_limit,
        )


class PolicySection(Section):
    """`[policy]`: the rules signed into every goal submitted from here (`swarm.core.policy`)."""

    electorate: Annotated[Texts, Allowed("a list of scorers' keys, 64 hex digits each")] = ()
    """Keys of the scorers whose ballots count, 64 hex digits each; empty: all scorers."""

    quorum: Annotated[
        Literal["majority"] | Annotated[int, Field(ge=2, le=256)],
        Allowed('"majority", or a whole number from 2 to 256'),
    ] = "majority"
    """Approvals that a split needs; majority: of the scorers present when the goal is submitted."""

    min_score: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Mean rating, from 0 to 1, that a split also needs."""

    people: Literal["count", "advisory", "off"] = "count"
    """Whether people's votes count with the scorers' (`count`), are only shown, or are off."""

    vote_window: Annotated[
        tuple[Seconds, ...],
        BeforeValidator(_one_or_more),
        Field(min_length=1, max_length=8),
        TIMES,
    ] = (0.0,)
    """Time before a split can win, for each depth; the last is used for all deeper nodes."""

    revote: Seconds = 20.0
    """How long a scorer's approval is fixed before it may be moved."""

    patience: SomeSeconds = 300.0
    """How long a vote may take; then `fallback` decides. On two cores the small embedded model
    needs up to a minute for a split, and rates three splits."""

    fallback: Literal["best", "task", "fail"] = "best"
    """If no split wins in time: take the one rated best, do it as one task, or fail."""

    floor: Annotated[float, Field(ge=0, le=1)] = 0.3
    """Mean rating that `fallback = "best"` requires."""

    max_depth: Annotated[int, Field(ge=0, le=HARD_MAX_DEPTH)] = 1
    """Depth of a plan; a small model plans one level well and two badly."""

    max_children: Annotated[int, Field(ge=2, le=HARD_MAX_CHILDREN)] = 5
    """Most parts of a split; each takes the embedded model about half a minute."""

    max_nodes: Annotated[int, Field(ge=1, le=2_000)] = 60
    """Most nodes of a whole plan."""

    max_proposals: Annotated[int, Field(ge=1, le=16)] = 3
    """How many splits by one decomposer count for one node."""

    max_refinements: Annotated[int, Field(ge=0, le=8)] = 1
    """How often a criticised split may be refined."""

    max_replans: Annotated[int, Field(ge=0, le=8)] = 3
    """How often the submitter may have a decided node voted on again."""

    lease: SomeSeconds = 90.0
    """How long a claim holds a task without progress; longer than one slow model call."""

    max_attempts: Annotated[int, Field(ge=1, le=16)] = 3
    """Attempts at a task before it fails."""

    reviews: Annotated[int, Field(ge=0, le=8)] = 0
    """How often scorers may send the result of a task back to be revised; 0: no reviews. A small
    model repairs nothing it is told is wrong, so this is for larger ones."""

    review_time: Seconds = REVIEW_MS / 1000
    """How long a result waits for reviews before it counts as it is."""

    capabilities: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=64)], ...],
        BeforeValidator(_listed),
        Field(max_length=8),
        Allowed("a list of at most 8 names of 1 to 64 characters; in the environment: a,b"),
    ] = ()
    """What an executor must offer (`swarm peer executor --capability`) to work on these goals."""

    deadline: SomeSeconds = 1200.0
    """When the goal ends, with whatever is finished by then."""

    @field_validator("electorate")
    @classmethod
    def _keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(_checked_key(key) for key in value)

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        try:
            self.to_policy()
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(step) for step in first["loc"])
            text = first["msg"].removeprefix("Value error, ").replace("_ms", "")
            raise ValueError(f"{where}: {text}" if where else text) from None
        return self

    def to_policy(self) -> Policy:
        """Return the policy in the form that is signed into a goal.

        With `quorum = "majority"` and no electorate the quorum is 1 here, and `Peer.submit`
        replaces it with the majority of the scorers present at that moment.
        """
        keys = [bytes.fromhex(key) for key in self.electorate]
        fewest = len(keys) // 2 + 1 if keys else 1
        return Policy(
            electorate=keys,
            quorum=fewest if self.quorum == "majority" else self.quorum,
            min_score=self.min_score,
            people=self.people,
            vote_window_ms=[_ms(window) for window in self.vote_window],
            revote_ms=_ms(self.revote),
            patience_ms=_ms(self.patience),
            fallback=self.fallback,
            floor=self.floor,
            max_depth=self.max_depth,
            max_children=self.max_children,
            max_nodes=self.max_nodes,
            max_proposals=self.max_proposals,
            max_refinements=self.max_refinements,
            max_replans=self.max_replans,
            lease_ms=_ms(self.lease),
            max_attempts=self.max_attempts,
            reviews=self.reviews or None,
            review_ms=_ms(self.review_time) if self.reviews else None,
            capabilities=list(self.capabilities),
            deadline_ms=_ms(self.deadline),
        )


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


class LogSection(Section):
    """`[log]`: what is logged on stderr."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least severe messages that are logged."""

    format: Literal["auto", "text", "json"] = "auto"
    """auto: text on a terminal, JSON lines otherwise."""
