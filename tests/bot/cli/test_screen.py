"""The playground's output in a terminal and in a pipe."""

from __future__ import annotations

import io
import time

from bot.cli.local_swarm import Loading
from bot.cli.screen import Screen, readable
from bot.rendering import chunks


def test_a_message_reads_well_without_discord() -> None:
    """Markup is removed, text stays, times become clock times and URLs are bare."""
    (message,) = chunks(
        "## Day *one*\n\nSee [here](https://a.example/x_y), `code`, 5 \\* 3, @everyone"
    )
    assert (
        readable(message) == "Day *one*\nSee here (https://a.example/x_y), code, 5 * 3, @everyone"
    )
    assert readable("-# asked <t:60:R>") == "asked " + time.strftime("%H:%M", time.localtime(60))


def test_in_a_pipe_only_news_of_the_live_message_are_printed() -> None:
    """An edit prints the lines that changed, not the whole tree again."""
    out = io.StringIO()
    screen = Screen(out)
    screen.live("### 🗺️ Trip\n- ⏳ **1** Fly · waiting\n- ⏳ **2** Eat · waiting")
    screen.live("### 🗺️ Trip\n- ✅ **1** Fly · done\n- ⏳ **2** Eat · waiting")
    screen.close()
    assert out.getvalue().splitlines() == [
        "  🗺️ Trip",
        "  - ⏳ 1 Fly · waiting",
        "  - ⏳ 2 Eat · waiting",
        "  - ✅ 1 Fly · done",
    ]


def test_in_a_pipe_a_download_is_a_line_each_ten_percent() -> None:
    """A log file is not flooded, and 100 percent is always reported."""
    out = io.StringIO()
    screen = Screen(out)
    screen.loading(Loading("looking"))
    for done in range(0, 1_001, 3):
        screen.loading(Loading("fetching", min(done, 1_000), 1_000))
    screen.loading(Loading("fetching", 1_000, 1_000))
    screen.loading(Loading("model tiny"))
    lines = out.getvalue().splitlines()
    assert lines[0] == "looking"
    assert lines[1] == "fetching 0 %"
    assert lines[-2:] == ["fetching 100 %", "model tiny"]
    assert 11 <= len(lines) - 2 <= 12
