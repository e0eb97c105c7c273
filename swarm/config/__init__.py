"""The configuration: what can be set (`sections`), and how it is read and checked.

`loading` reads it, `errors` explains wrong values, `durations` reads times.
"""

from swarm.config.durations import format_seconds, parse_seconds
from swarm.config.errors import Allowed, ConfigError, Source, without_passwords
from swarm.config.loading import Config, SwarmConfig, load, load_with_sources, server_variables
from swarm.config.sections import (
    LogSection,
    ModelSection,
    PolicySection,
    Seconds,
    Section,
    SomeSeconds,
    SwarmSection,
    Texts,
    is_time,
)

__all__ = [
    "Allowed",
    "Config",
    "ConfigError",
    "LogSection",
    "ModelSection",
    "PolicySection",
    "Seconds",
    "Section",
    "SomeSeconds",
    "Source",
    "SwarmConfig",
    "SwarmSection",
    "Texts",
    "format_seconds",
    "is_time",
    "load",
    "load_with_sources",
    "parse_seconds",
    "server_variables",
    "without_passwords",
]
