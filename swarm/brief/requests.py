"""Whole sentences that ask for something: "Tell the neighbours in time", "नाश्ता हर दिन हो".

What a plan must do is often a sentence of its own, without "must". Such a sentence is known by its
verb: an imperative that opens it, or a modal verb; in Hindi, Urdu and Bengali the form of its last
word. The first sentence is the goal itself.
"""

from __future__ import annotations

from swarm.brief.passage import Found, Passage
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import folded

MIN_WORDS = 3
MOST = 12
"""Most requests of a goal: a long text has many sentences, and the surer demands come first."""

MAX_WORDS = 30
"""Longer sentences tell a story."""

NAME_WORDS = 6
"""Most words of a request's name."""

_VERBS = folded(
    "add ask book bring buy call check choose clean consider contact cook decide do draw end "
    "ensure fill find finish "
    "fix get give hand have hire hold include invite keep leave let list make mark meet name "
    "note order organise "
    "organize pack paint pay pick plan prepare protect provide put remember rent repeat "
    "reserve save say schedule see "
    "send serve set show sort start stay stop take talk teach tell test think train travel try "
    "use visit walk wash work write"
)
_MODALS = folded(
    "must should need needs want wants will cannot can't don't always only "
    "never allergic prefer would can nobody nothing question stays"
)
_MALAY = folded(
    "mesti perlu mahu hendak jangan masukkan pastikan dapatkan minta tunjukkan simpan beri "
    "berikan sediakan gunakan "
    "hantar fikirkan nyatakan tentukan elakkan pilih beli jemput bawa ajak cari catat "
    "bersihkan serahkan beritahu "
    "beritahukan maklumkan tidak tiada alah harus ingin mau buat buatkan pakai cantumkan "
    "sertakan siapkan hendaklah untuk boleh"
)
_LAST = folded(
    "हो हों चाहिए बीते रहे रहें लेना देना करना रखना दीजिए लीजिए है हैं چاہیے ہو ہوں دیں لیں کریں رہے "
    "گزرے ہے ہیں گے گی گا ہوگی "
    "चाहते चाहती चाहता गा गे गी লাগবে চাই না নেই দিন হবে থাকবে থাকুক আছে পারি हूं ہوں जाए جائے"
)
_LAST_ENDINGS = ("िए", "िएगा", "ें", "یں", "ئیں", "বেন", "ুন", "বে", "ব", "কে")
_VERBAL_NOUN = ("ना", "नी", "ने", "نا", "نی", "نے")
_IS = folded("है हैं ہے ہیں")
_NOT = folded(
    "no not never nobody nothing cannot can't don't won't without allergic allergy question "
    "tidak tiada jangan tanpa alah alergi alahan "
    "नहीं मत न बिना एलर्जी نہیں مت نہ بغیر الرجی না নেই নয় ছাড়া অ্যালার্জি nicht kein keine ohne"
)
_FORGET = folded("forget miss lupa lupakan भूल भूलिए भूलें छूटे छूटने بھولیں بھول رہ ভুলবেন ভুল")
"""With a "not" these ask for something: "do not forget the keys"."""

_FORM = folded(
    "english malay urdu hindi bengali bangla inggeris melayu indonesia indonesian german "
    "deutsch french spanish language bahasa "
    "हिंदी हिन्दी उर्दू अंग्रेजी اردو ہندی انگریزی বাংলায় বাংলা ইংরেজিতে"
)
"""Words of a sentence that only says in which language to answer."""

_STEPWISE = folded(
    "by own after separate steps step one demi langkahnya langkah berasingan अलग हिसाब الگ وار "
    "ধরে আলাদা ہفتہ کا دن"
)
"""Words of a sentence that only asks for a plan day by day."""

_LITTLE = folded(
    "a an the to of in on at for with and or is are be we i us our my it its that this what "
    "which so if do does not no never "
    "must should need want will have has can cannot please them they you your kami saya dan di "
    "ke untuk yang dengan pada kepada ada "
    "mesti perlu tidak jangan juga को का की के में से पर है हो भी एक यह कि और नहीं मत न तो ہم کو کا "
    "کی کے میں سے پر ہے ہو بھی ایک یہ کہ اور نہیں نہ تو "
    "আমরা আমার আমাদের এর ও এবং তা যে একটা একটি না"
)


def requests(passage: Passage, held: frozenset[int]) -> list[Found]:
    """Return the sentences that ask for, or rule out, something that no other demand holds.

    Args:
        passage: The goal.
        held: Indexes of words that hold other demands; their sentences are left out.
    """
    found: list[Found] = []
    seen: set[str] = set()
    for first, last in passage.sentences[1:]:
        if not MIN_WORDS <= last - first <= MAX_WORDS or any(
            at in held for at in range(first, last)
        ):
            continue
        words = [passage.word(at) for at in range(first, last)]
        if not _asks(passage, first, last, words) or is_form(words):
            continue
        rules_out = not _NOT.isdisjoint(words) and _FORGET.isdisjoint(words)
        name = " ".join(
            passage.words[at].raw
            for at in range(first, last)
            if passage.word(at) not in _LITTLE and passage.word(at)[0].isalnum()
        )
        name = _allergy(passage, first, last) or " ".join(name.split()[:NAME_WORDS])
        if name and name not in seen:
            seen.add(name)
            found.append(passage.found("must_not" if rules_out else "must", first, last, name=name))
    return found[:MOST]


def _allergy(passage: Passage, first: int, last: int) -> str:
    """Return what somebody is allergic to; empty: the sentence is about something else."""
    for at in range(first, last - 2):
        if passage.word(at) in ("allergic", "allergy") and passage.word(at + 1) == "to":
            return passage.raw(at + 2, last)
    return ""


def _asks(passage: Passage, first: int, last: int, words: list[str]) -> bool:
    """Return whether a sentence's verb asks for something."""
    language = passage.language
    if words[0] in ("what", "how", "why", "when", "who") or passage.word(last) in ("?", "؟"):
        return False
    if language == "en":
        return words[0] in _VERBS or not _MODALS.isdisjoint(words)
    if language in ("ms", "id"):
        return not _MALAY.isdisjoint(words)
    if language in ("hi", "ur", "bn"):
        end, raw = words[-1], passage.words[last - 1].raw
        if end in _IS:
            return passage.words[last - 2].raw.endswith(_VERBAL_NOUN) or not _NOT.isdisjoint(words)
        return end in _LAST or raw.endswith(_LAST_ENDINGS)
    return False


def is_form(words: list[str]) -> bool:
    """Return whether a sentence speaks only of the answer's form."""
    if len(words) <= 8 and not _FORM.isdisjoint(words):
        return True
    return (
        len(words) <= 9
        and any(word in UNIT_WORDS for word in words)
        and not _STEPWISE.isdisjoint(words)
    )
