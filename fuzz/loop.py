"""The event loop of all harnesses whose code is asyncio's: making one for each input is slow."""

from __future__ import annotations

import asyncio
import atexit

LOOP = asyncio.new_event_loop()
"""Runs one coroutine after the other; closed when the process ends."""

atexit.register(LOOP.close)
