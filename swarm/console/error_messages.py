"""Turns errors that the user can fix into messages.

Other errors are defects of the program and keep their traceback.
"""

from __future__ import annotations

from swarm.console.errors import ENVIRONMENT, USAGE, CommandError

MAKE_A_KEY = """\
  To create a swarm with a key and an owner:  swarm init
  Then, on this machine:                      --config FILE, as it shows
  And for each other machine:                 swarm invite --role ROLE"""
"""What to do when a peer should listen beyond this machine and there is no swarm key."""


def user_error(error: BaseException) -> CommandError | BrokenPipeError | None:
    """Return an error as one with a message for the user; None: it is a defect of the program."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    if isinstance(error, CommandError | BrokenPipeError):
        return error
    found = _message(error)
    if found is not None:
        _note(error)
    return found


def _note(error: BaseException) -> None:
    """Log the traceback, which `--log-level debug` shows."""
    import structlog

    if structlog.is_configured():
        structlog.get_logger(__name__).debug("command_failed", exc_info=error)


def _message(error: BaseException) -> CommandError | None:
    if isinstance(error, OSError):
        return CommandError(_refused(error), exit_code=ENVIRONMENT)
    if isinstance(error, RuntimeError):
        # pathlib and platformdirs raise this if there is no home; any other is a defect.
        homeless = "home directory" in str(error)
        return CommandError(NO_HOME, exit_code=ENVIRONMENT) if homeless else None
    return _ours(error)


NO_HOME = (
    "Your home directory is unknown: the system has no entry for this user, and HOME is not set. "
    "Set HOME, or name the directories: --dir, --state-dir, LEADERLESS_SWARM__RUNTIME_DIR."
)


def _refused(error: OSError) -> str:
    """Return a message about what the system refused, and where."""
    what = error.strerror or str(error) or type(error).__name__
    where = f"{error.filename!s}: " if error.filename is not None else ""
    return (
        f"The system refused a file or resource: {where}{what}. Fix this and try again, or name "
        "another directory (--dir, --state-dir)."
    )


def _ours(error: BaseException) -> CommandError | None:
    from swarm.config.errors import ConfigError
    from swarm.llm.errors import LLMError
    from swarm.net.errors import ListenError, OpenListenError, SettingsError
    from swarm.processes.supervisor import PeerDiedError
    from swarm.trust.grants import BadNameError
    from swarm.trust.identity import IdentityError
    from swarm.trust.invite import InviteError

    if isinstance(error, OpenListenError):
        return CommandError(f"{error}\n{MAKE_A_KEY}", exit_code=USAGE)
    if isinstance(error, ConfigError | SettingsError | InviteError | BadNameError):
        return CommandError(str(error), exit_code=USAGE)
    if isinstance(error, PeerDiedError):
        return CommandError(str(error), exit_code=error.exit_code)
    if isinstance(error, IdentityError | ListenError | LLMError):
        return CommandError(str(error), exit_code=ENVIRONMENT)
    return None
