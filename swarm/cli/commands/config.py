"""`swarm config`: the configuration in force, and where it comes from."""

from __future__ import annotations

from typing import Any

import click

from swarm.cli import options
from swarm.console.errors import OK, USAGE, CommandError


@click.group(
    epilog="""
    \b
    Examples:
      swarm config show
      LEADERLESS_POLICY__MAX_DEPTH=2 swarm config show
      swarm config show --config my.toml --json

    Sources, the later ones win: the defaults, config/swarm.toml of a checkout, your own file
    (--config FILE or LEADERLESS_CONFIG=FILE), environment variables (LEADERLESS_SECTION__KEY),
    options. config/swarm.toml explains every key.
    """
)
def config() -> None:
    """Show the configuration and where each value comes from."""


@config.command()
@options.config_option
@options.json_option
def show(as_json: bool, **given: Any) -> int:
    """Print every setting with its value, and its source if it is not the default."""
    from swarm.cli.views import output
    from swarm.config import (
        ConfigError,
        SwarmConfig,
        is_time,
        load_with_sources,
        without_passwords,
    )

    try:
        settings, sources = load_with_sources(SwarmConfig, file=given.get("config"))
    except ConfigError as error:
        raise CommandError(str(error), exit_code=USAGE) from None
    values = without_passwords(settings.model_dump(mode="json"))
    if as_json:
        output.print_json(values)
        return OK
    defaults = SwarmConfig().model_dump(mode="json")
    for section, table in values.items():
        fields = type(getattr(settings, section)).model_fields
        click.echo(f"[{section}]")
        for key, value in table.items():
            source = sources.get((section, key))
            changed = source is not None and value != defaults[section][key]
            note = f"  # {source}" if changed else ""
            shown = _times(value) if is_time(fields[key]) else value
            click.echo(f"{key} = {_toml(shown)}{note}")
        click.echo()
    return OK


def _times(value: Any) -> Any:
    from swarm.config import format_seconds

    return list(map(format_seconds, value)) if isinstance(value, list) else format_seconds(value)


def _toml(value: Any) -> str:
    if value is None:
        return '""'
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        import json

        return json.dumps(value, ensure_ascii=False)
    return f"{value:g}" if isinstance(value, float) else str(value)
