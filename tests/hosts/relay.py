"""A slow and unreliable line: a TCP proxy that delays what passes, and hangs up now and then.

    python -m tests.hosts.relay 10.77.0.9 7400 10.77.0.1 7400 --delay 0.1 --lasts 5

For kernels without netem. Each direction is delayed by `--delay` seconds. A connection is cut
silently after a random time of `--lasts` seconds on average. It exits when standard input closes.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys

CHUNK = 65_536


async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float) -> None:
    """Forward what arrives, after a delay."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(1_000)

    async def deliver() -> None:
        while True:
            at, data = await queue.get()
            await asyncio.sleep(max(0.0, at - loop.time()))
            if not data:
                return
            writer.write(data)
            await writer.drain()

    delivering = asyncio.create_task(deliver())
    try:
        while data := await reader.read(CHUNK):
            await queue.put((loop.time() + delay, data))
    finally:
        await queue.put((loop.time() + delay, b""))
        await delivering


async def main() -> None:
    """Listen and forward until standard input closes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    parser.add_argument("to_address")
    parser.add_argument("to_port", type=int)
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--lasts", type=float, default=0.0, help="0: for ever")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers = [writer]
        tasks: list[asyncio.Task[None]] = []
        try:
            there = await asyncio.open_connection(options.to_address, options.to_port)
            writers.append(there[1])
            tasks = [
                asyncio.create_task(carry(reader, there[1], options.delay)),
                asyncio.create_task(carry(there[0], writer, options.delay)),
            ]
            lasts = rng.expovariate(1 / options.lasts) if options.lasts else None
            await asyncio.wait(tasks, timeout=lasts, return_when=asyncio.FIRST_COMPLETED)
        except OSError:
            pass
        finally:
            for task in tasks:
                task.cancel()
            for one in writers:
                with contextlib.suppress(OSError):
                    one.close()

    server = await asyncio.start_server(serve, options.address, options.port)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    async with server:
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
