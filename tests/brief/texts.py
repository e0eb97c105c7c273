"""Goals, and texts that keep all of their demands, for the tests of the checks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from hypothesis import strategies as st

from swarm.brief.part import Part
from swarm.brief.steps import step_label
from swarm.core.brief import Brief, Cost, Demand

SENTENCES = {
    "en": (
        "Walk through the old town and visit the {place} market with {people} people",
        "Take the morning tram to the river of {place} and rest in the park with a view",
        "See the gardens of {place} in the afternoon and cook a dinner of vegetables together",
        "Visit the museum of {place} before noon and listen to music in the evening",
        "Ride along the lake near {place} and have a picnic with bread, fruit and cheese",
        "Climb the hill above {place} for the view and buy small presents on the way back",
        "Learn to make pottery in {place} and write postcards to friends and to the family",
    ),
    "ms": (
        "Berjalan di bandar lama {place} dan melawat pasar dengan {people} orang pada waktu pagi",
        "Naik bas ke sungai di {place} dan berehat di taman dengan pemandangan yang indah",
        "Melihat kebun di {place} pada waktu petang dan memasak makan malam bersama keluarga",
        "Melawat muzium di {place} sebelum tengah hari dan mendengar muzik pada waktu malam",
        "Berbasikal di tepi tasik {place} dan berkelah dengan roti, buah dan air sejuk",
        "Mendaki bukit di atas {place} untuk melihat bandar dan membeli hadiah untuk kawan",
        "Belajar membuat tembikar di {place} dan menulis poskad kepada kawan dan keluarga",
    ),
    "hi": (
        "सुबह {people} लोग {place} के पुराने बाज़ार में घूमें और नाश्ता करें",
        "ट्राम से {place} की नदी तक जाएँ और बाग़ में आराम करें",
        "दोपहर में {place} के बगीचे देखें और शाम को मिलकर सब्ज़ी पकाएँ",
        "{place} का संग्रहालय देखें और रात को संगीत सुनें",
        "झील के किनारे {place} में साइकिल चलाएँ और रोटी तथा फल खाएँ",
        "{place} की पहाड़ी पर चढ़ें और लौटते समय छोटे उपहार खरीदें",
        "{place} में मिट्टी के बर्तन बनाना सीखें और दोस्तों को चिट्ठी लिखें",
    ),
    "ur": (
        "صبح {people} لوگ {place} کے پرانے بازار میں گھومیں اور ناشتہ کریں",
        "ٹرام سے {place} کے دریا تک جائیں اور باغ میں آرام کریں",
        "دوپہر کو {place} کے باغات دیکھیں اور شام کو مل کر سبزی پکائیں",
        "{place} کا عجائب گھر دیکھیں اور رات کو موسیقی سنیں",
        "جھیل کے کنارے {place} میں سائیکل چلائیں اور روٹی اور پھل کھائیں",
        "{place} کی پہاڑی پر چڑھیں اور واپسی پر چھوٹے تحفے خریدیں",
        "{place} میں مٹی کے برتن بنانا سیکھیں اور دوستوں کو خط لکھیں",
    ),
    "bn": (
        "সকালে {people} জন মানুষ {place} এর পুরোনো বাজারে ঘুরুন এবং নাশতা করুন",
        "ট্রামে করে {place} এর নদী পর্যন্ত যান এবং বাগানে বিশ্রাম নিন",
        "দুপুরে {place} এর বাগান দেখুন এবং সন্ধ্যায় একসঙ্গে সবজি রান্না করুন",
        "{place} এর জাদুঘর দেখুন এবং রাতে গান শুনুন",
        "হ্রদের ধারে {place} শহরে সাইকেল চালান এবং রুটি ও ফল খান",
        "{place} এর পাহাড়ে উঠুন এবং ফেরার পথে ছোট উপহার কিনুন",
        "{place} শহরে মাটির পাত্র বানাতে শিখুন এবং বন্ধুদের চিঠি লিখুন",
    ),
}
"""Sentences about a day, none like another, without a full stop."""

PLACES = {
    "en": ("Rome", "Florence", "Venice", "Verona"),
    "ms": ("Ipoh", "Melaka", "Kuantan", "Kuching"),
    "hi": ("जयपुर", "आगरा", "वाराणसी", "उदयपुर"),
    "ur": ("لاہور", "ملتان", "کراچی", "پشاور"),
    "bn": ("ঢাকা", "সিলেট", "খুলনা", "রাজশাহী"),
}
STOP = {"hi": "।", "ur": "۔", "bn": "।"}
MEAT = {"en": "meat", "ms": "daging", "hi": "मांस", "ur": "گوشت", "bn": "মাংস"}
START = date(2027, 4, 5)


@dataclass(frozen=True)
class Perfect:
    """A goal and a plan that keeps all of it."""

    brief: Brief
    language: str
    lines: tuple[str, ...]
    costs: tuple[Cost, ...]
    places: tuple[str, ...]

    @property
    def text(self) -> str:
        """The plan."""
        return "\n".join(self.lines)

    def part(self, first: int, last: int) -> Part:
        """Return the skeleton of some of its days."""
        place = self.places[last - 1]
        return Part(title=place, detail="", first=first, last=last, place=place)

    def text_of(self, first: int, last: int) -> str:
        """Return the text of some of its days."""
        return "\n".join(self.lines[first - 1 : last])


@st.composite
def perfect(draw: st.DrawFn, days: st.SearchStrategy[int] | None = None) -> Perfect:
    """Draw a goal of two to seven days with all kinds of demands, and a plan that keeps them."""
    language = draw(st.sampled_from(sorted(SENTENCES)))
    total = draw(st.integers(2, 7) if days is None else days)
    people = draw(st.integers(3, 9))
    names = draw(st.permutations(PLACES[language]))
    places = tuple(names[day * len(names) // total] for day in range(total))
    sentences = draw(st.permutations(SENTENCES[language]))
    opening = next(one for one in sentences if "{people}" in one)
    sentences = [opening, *(one for one in sentences if one != opening)]
    lines = tuple(
        f"- **{step_label('day', language, day)} ({START + timedelta(days=day - 1)}):** "
        + sentences[day - 1].format(place=places[day - 1], people=people)
        + STOP.get(language, ".")
        for day in range(1, total + 1)
    )
    amounts = draw(st.lists(st.integers(1, 900), min_size=1, max_size=5))
    spare = draw(st.integers(0, 100))
    demands = [
        Demand(kind="duration", text=f"{total} days", value=total, unit="day"),
        Demand(kind="start_date", text="start", date=START.isoformat()),
        Demand(kind="start_place", text="start place", name=places[0]),
        Demand(kind="end_place", text="end place", name=places[-1]),
        Demand(kind="people", text="people", value=people),
        Demand(kind="budget", text="budget", value=sum(amounts) + spare, unit="EUR"),
        Demand(kind="costs", text="costs"),
        Demand(kind="must_not", text="no meat", name=MEAT[language]),
        Demand(kind="language", text="language", unit=language),
    ]
    return Perfect(
        Brief(demands=demands, language=language),
        language,
        lines,
        tuple(Cost(what=f"item {i}", amount=amount) for i, amount in enumerate(amounts)),
        places,
    )
