"""A bot's permissions in a channel, computed by Discord's rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.discord_api import permissions

GUILD, ME, ROLES = 1, 9, {1: "@everyone", 2: "bots"}


BITS = st.integers(0, 63).map(lambda bits: bits & ~8)
"""All but administrator, which may do everything anyway."""


TARGETS = [(1, False), (2, False), (3, False), (9, True), (8, True)]


OVERWRITES = st.lists(
    st.tuples(st.sampled_from(TARGETS), BITS, BITS),
    max_size=5, unique_by=lambda one: one[0],
)  # fmt: skip


@given(BITS, OVERWRITES)
def test_channel_permissions_follow_discords_rules(
    base: int, made: list[tuple[tuple[int, bool], int, int]]
) -> None:
    """Overwrites apply in order for everyone, the roles and the member; others have no effect."""
    overwrites = [
        permissions.Overwrite(target, is_member, allow, deny)
        for (target, is_member), allow, deny in made
    ]
    told = permissions.allowed_in(base, overwrites, guild=GUILD, roles=ROLES, member=ME)
    by_target = {(one.target, one.is_member): one for one in overwrites}
    for bit in (1, 2, 4, 16, 32):
        expected = bool(base & bit)
        for target in ((1, False), (2, False), (9, True)):
            one = by_target.get(target)
            if one is not None:
                expected = bool(one.allow & bit) or (expected and not one.deny & bit)
        assert bool(told & bit) == expected
    for name in permissions.denied_for(4, overwrites, guild=GUILD, roles=ROLES, member=ME):
        assert name in ("the role @everyone", "the role bots", "the bot itself")
