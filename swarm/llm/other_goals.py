"""The goals among which the question of `client.belonging` names a split's own.

They are data alone, so that a scripted model that answers the question stays small.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from swarm.brief.goal_kind import GoalKind

KINDS: tuple[GoalKind, ...] = (
    *("work", "work", "learning", "learning"),
    *("work", "meals", "work", "trip"),
)
"""What kind of plan each of the other goals is, in their order."""

BY_LANGUAGE: Mapping[str, tuple[str, ...]] = {
    "en": (
        "A celebration with guests",
        "Moving house",
        "Training for a race",
        "Studying for an exam",
        "Building and launching a product",
        "Cooking meals for a week",
        "Renovating a room",
        "A journey through several cities",
    ),
    "ms": (
        "Majlis dengan tetamu",
        "Berpindah rumah",
        "Berlatih untuk larian",
        "Belajar untuk peperiksaan",
        "Membina dan melancarkan produk",
        "Memasak hidangan untuk seminggu",
        "Mengubah suai bilik",
        "Perjalanan ke beberapa bandar",
    ),
    "hi": (
        "मेहमानों के साथ समारोह",
        "घर बदलना",
        "दौड़ की तैयारी",
        "परीक्षा की पढ़ाई",
        "उत्पाद बनाना और शुरू करना",
        "एक सप्ताह का खाना बनाना",
        "कमरे की मरम्मत",
        "कई शहरों की यात्रा",
    ),
    "ur": (
        "مہمانوں کے ساتھ تقریب",
        "گھر بدلنا",
        "دوڑ کی تیاری",
        "امتحان کی پڑھائی",
        "مصنوعات بنانا اور شروع کرنا",
        "ایک ہفتے کا کھانا پکانا",
        "کمرے کی مرمت",
        "کئی شہروں کا سفر",
    ),
    "bn": (
        "অতিথিদের নিয়ে অনুষ্ঠান",
        "বাসা বদল",
        "দৌড়ের প্রস্তুতি",
        "পরীক্ষার পড়া",
        "পণ্য তৈরি ও চালু করা",
        "এক সপ্তাহের রান্না",
        "ঘর মেরামত",
        "কয়েকটি শহরে ভ্রমণ",
    ),
}
"""Other goals, in the languages of the seeds: in another language than the parts none would be
chosen. A goal in any other language is compared with English ones."""


OTHER_GOALS = frozenset(goal for goals in BY_LANGUAGE.values() for goal in goals)
"""All goals that the question may name beside the split's own."""
