"""The catalogue: complete in every language, and used in the right language."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import discord
import pytest

import bot
from bot.rendering import MESSAGE_LIMIT, length
from bot.texts import (
    LANGUAGES,
    PERMISSIONS,
    Text,
    catalogue_of,
    duration,
    known,
    language_of,
    say,
    speaking,
)
from tests.bot.conftest import Stage

OTHERS = [language for language in LANGUAGES if language != "en"]
COMMAND_NAME = re.compile(r"[-_'\w\u0900-\u097f]{1,32}")
DESCRIPTION_LIMIT = 100
LABEL_LIMIT = 45
FORM_LIMIT = 45


def placeholders(text: str) -> list[str]:
    """Return the names of a text's placeholders, sorted."""
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name)


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_exists_in_every_language_with_the_same_placeholders(language: str) -> None:
    """No text is missing; placeholders, signs and Markdown are the same as in English."""
    texts = catalogue_of(language)
    assert set(texts) == set(Text)
    for text, said in texts.items():
        assert placeholders(said) == placeholders(text.value), text.name
        assert said.strip(), text.name
        for mark in ("### ", "-# ", "- "):
            assert said.startswith(mark) == text.value.startswith(mark), text.name
        assert said.count("**") == text.value.count("**"), text.name
        assert said.count("`") % 2 == 0, text.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_fit_where_discord_shows_them(language: str) -> None:
    """Commands' names and descriptions, labels, forms and whole messages keep Discord's limits."""
    texts = catalogue_of(language)
    names = [said for text, said in texts.items() if text.name.startswith("NAME_")]
    assert len(set(names)) == len(names)
    for text, said in texts.items():
        limit = MESSAGE_LIMIT
        if text.name.startswith("NAME_"):
            assert COMMAND_NAME.fullmatch(said), said
            assert said == said.lower()
        elif text.name.startswith(("CMD_", "CARE_")):
            limit = DESCRIPTION_LIMIT
        elif text.name.startswith("BUTTON_"):
            limit = LABEL_LIMIT
        elif text in (Text.MODAL_TITLE, Text.MODAL_GOAL, Text.REPLAN_TITLE, Text.REPLAN_WISH):
            limit = FORM_LIMIT
        assert length(said) <= limit, (language, text.name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_states_are_a_sign_and_a_word(language: str) -> None:
    """The tree splits states at the first space, and pictures show only the words."""
    for text in (
        Text.OPEN, Text.VOTING, Text.EXECUTING, Text.ASSEMBLING, Text.DONE, Text.PARTIAL,
        Text.FAILED, Text.CANCELLED,
    ):  # fmt: skip
        sign, _, word = catalogue_of(language)[text].partition(" ")
        assert sign == text.value.partition(" ")[0]
        assert word


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("दो हफ़्ते जापान में", "hi"), ("জাপানে দুই সপ্তাহ", "bn"), ("جاپان میں دو ہفتے", "ur"),
        ("dua minggu di Jepang", "id"), ("12 !", "id"), ("日本で二週間", "id"),
    ],
)  # fmt: skip
def test_a_goals_language_is_told_by_its_script(text: str, language: str) -> None:
    """Text in an unknown script gets the person's language."""
    assert language_of(text, otherwise="id") == language


def test_a_locale_becomes_a_language_of_ours() -> None:
    """British English is English, Malay is served by Indonesian, others get English."""
    assert [known(tag) for tag in ("en-GB", "hi", "id", "ms-MY", "bn-IN", "fr", "")] == [
        "en", "hi", "id", "id", "bn", "en", "en",
    ]  # fmt: skip
    with speaking("hi"):
        assert say(Text.DONE) == "✅ पूरा हुआ"
        assert duration(61_000) == "1 मि 1 से"
    assert say(Text.DONE) == "✅ done"


@pytest.mark.asyncio
async def test_a_goal_in_hindi_is_told_in_hindi(stage: Stage) -> None:
    """The thread and its buttons use the goal's language; command names are localized."""
    goal = await stage.ask("दो हफ़्ते जापान में, परिवार के साथ")
    stage.peer.accept(stage.peer.propose(goal, ["टोक्यो", "क्योटो"]))
    await stage.look(5)
    live = stage.message("### 🗺️")
    assert "2 में से 0 हिस्से समाप्त" in live.content
    stored = stage.env.backend.get_message(live.channel.id, live.id)
    assert stored.components[0]["components"][0]["label"] == "क्यों"
    command = stage.env.backend.find_command("plan", stage.env.guild.id)
    assert command["name_localizations"] == {"hi": "योजना", "id": "rencana"}
    assert set(command["description_localizations"]) == {"hi", "id"}


def test_every_text_of_the_catalogue_is_used() -> None:
    """No text in the catalogue is unused, and the permissions are those of discord.py."""
    folder = Path(bot.__file__).parent
    source = "".join(
        path.read_text(encoding="utf-8")
        for path in folder.rglob("*.py")
        if path.parent.name != "texts" or path.name == "__init__.py"
    )
    assert [text.name for text in Text if f"Text.{text.name}" not in source] == []
    assert set(PERMISSIONS) <= set(discord.Permissions.VALID_FLAGS)


def test_durations_are_short_words() -> None:
    """Seconds, minutes and hours, each where it helps."""
    assert [duration(ms) for ms in (400, 59_000, 60_000, 125_000, 3_600_000, 7_500_000)] == [
        "0 s", "59 s", "1 min", "2 min 5 s", "1 h", "2 h 5 min",
    ]  # fmt: skip
