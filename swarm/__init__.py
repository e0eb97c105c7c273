"""The leaderless swarm. It knows nothing of Discord."""

from functools import cache


@cache
def version() -> str:
    """Return the installed version, as pyproject.toml states it; "unknown" if not installed."""
    # Imported here: it would cost every command a fifth of its start.
    from importlib import metadata

    try:
        return metadata.version("leaderless")
    except metadata.PackageNotFoundError:
        return "unknown"
