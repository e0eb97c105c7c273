"""Which language a goal is in: by its script, its frequent words and its letters.

Goals are short, and the languages that matter most here are badly served by general detectors:
Malay against Indonesian, Urdu against Persian, Hindi in Latin letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from swarm.brief.words import Token, fold, folded, tokens

_SCRIPTS = (
    ("hi", "\u0900-\u097f"),
    ("bn", "\u0980-\u09ff"),
    ("ur", "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff"),
    ("pa", "\u0a00-\u0a7f"),
    ("gu", "\u0a80-\u0aff"),
    ("ta", "\u0b80-\u0bff"),
    ("te", "\u0c00-\u0c7f"),
    ("kn", "\u0c80-\u0cff"),
    ("ml", "\u0d00-\u0d7f"),
    ("si", "\u0d80-\u0dff"),
    ("th", "\u0e00-\u0e7f"),
    ("ka", "\u10a0-\u10ff"),
    ("hy", "\u0530-\u058f"),
    ("am", "\u1200-\u137f"),
    ("km", "\u1780-\u17ff"),
    ("my", "\u1000-\u109f"),
    ("he", "\u0590-\u05ff"),
    ("el", "\u0370-\u03ff"),
    ("ko", "\uac00-\ud7af\u1100-\u11ff"),
    ("ja", "\u3040-\u30ff"),
    ("zh", "\u4e00-\u9fff"),
    ("ru", "\u0400-\u04ff"),
    ("la", "A-Za-z\u00c0-\u024f\u1e00-\u1eff"),
)
_BY_SCRIPT = [(tag, re.compile(f"[{chars}]")) for tag, chars in _SCRIPTS]

_WORDS = {
    "en": "the a an of and to in for with is are be we i my our you plan on at by from no not "
    "must without that this it trip week weeks day days budget organise organize under "
    "visit write create prepare what how least learn build design start launch before "
    "make include should move help year old school team new two three",
    "ms": "melayu peperiksaan jadual lapan bab belajar tulis jawab buatkan "
    "buat ialah kerana petang sahaja bagi "
    "yang dan untuk di ke dari dengan saya kami tidak hari minggu rancang rancangkan "
    "percutian lawatan majlis bajet bermula berakhir tanpa perlu mesti jangan orang "
    "selama dalam ialah adalah pada oleh lebih kanak sekolah satu dua tiga anjurkan "
    "sediakan mahu nak boleh tetamu hendaklah kursus belanjawan mestilah serta kepada "
    "daripada awak ringgit pelan kereta bercuti melancong kenduri jualan gotong royong "
    "hadiah kos setiap senaraikan termasuk sekurang",
    "id": "yang dan untuk di ke dari dengan saya kami tidak hari minggu rencanakan liburan "
    "perjalanan acara anggaran dimulai berakhir tanpa perlu harus jangan orang selama "
    "dalam adalah pada oleh lebih anak sekolah satu dua tiga buat buatkan susun rencana "
    "ingin mau bisa tamu kursus juga serta kepada kalian uang rupiah mobil pernikahan "
    "ulang tahun wisata pesta atau sudah biaya setiap termasuk karena jalan berapa "
    "biayanya hadiah cantumkan",
    "de": "der die das und ein eine einen einem in im für mit ohne nach von zu wir ich ist "
    "plane plan planen woche wochen tage tagen reise nicht kein keine auf bei am den "
    "dem des unter uns unsere meine über höchstens kinder personen organisiere hochzeit "
    "schreibe soll muss bis",
    "fr": "le la les un une des de du et à au aux en pour avec sans nous je est jours semaine "
    "semaines voyage organiser organise planifier planifie pas ne dans sur par qui "
    "notre mon ma mes plus budget d l enfants personnes",
    "es": "el la los las un una de del y a en para con sin nosotros yo es días semana semanas "
    "viaje organizar organiza planifica planear no por que nuestro mi más presupuesto "
    "personas niños desde hasta al debe",
    "pt": "o a os as um uma de do da e em no na para com sem nós eu é dias semana semanas "
    "viagem organizar planejar não por que nosso meu mais orçamento pessoas crianças "
    "até ao deve",
    "it": "il lo la i gli le un una di del della e in per con senza noi io è giorni settimana "
    "settimane viaggio organizzare organizza pianifica non che nostro mio più persone "
    "bambini a da",
    "nl": "de het een en van in voor met zonder wij ik is dagen week weken reis plan niet "
    "geen op bij naar onze mijn mensen kinderen maak organiseer",
    "tr": "bir ve için ile bu günlük hafta gün gezi plan planla yap olmadan biz ben da de "
    "kişi çocuk bütçe tatil",
    "pl": "w i na do z dla bez na się dni tydzień tygodnie podróż zaplanuj dwa nie jest my ja "
    "oraz osób dzieci wycieczka",
    "sv": "och i en ett för med utan vi jag är dagar vecka veckor resa planera inte till på "
    "av barn personer",
    "vi": "và của cho với không ngày tuần chuyến đi kế hoạch lập ở từ đến người tôi chúng một hai",
    "tl": "ang ng sa mga at na para may ako kami araw linggo magplano isang hindi ay",
    "sw": "na ya kwa wa katika siku wiki safari panga bila mimi sisi ni za la kwenda watu",
    "hi-Latn": "ke ki ka ko mein me se aur hai hain ek do din liye yatra banao banaye banaiye "
    "kharch nahi bina chahiye yojana shaadi ghar hafte log logon karo karna hum mujhe "
    "hamein tak saath jaana bachche",
    "ur-Latn": "ke ki ka ko mein me se aur hai hain aik do din liye safar banaen banayen kharch "
    "nahi baghair chahiye mansooba shadi ghar hafte log afraad karen karna hum mujhe "
    "hamein tak saath jana bachay dawat mehman zaroor",
}
_WEIGHTS: dict[str, dict[str, float]] = {}
for _tag, _list in _WORDS.items():
    for _word in {fold(word) for word in _list.split()}:
        _WEIGHTS.setdefault(_word, {})[_tag] = 1.0
for _tags in _WEIGHTS.values():
    for _tag in _tags:
        _tags[_tag] = 1.0 + 1.0 / len(_tags)  # a word of one language says more

_LETTERS = (
    ("de", "äöüß", 1.0),
    ("fr", "éèêàçœùîôûë", 0.7),
    ("es", "ñ¿¡áíóú", 0.7),
    ("pt", "ãõçêâ", 0.7),
    ("tr", "ğışçöü", 0.7),
    ("pl", "ąęłńśźżó", 1.0),
    ("sv", "åäö", 0.6),
    ("vi", "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", 1.0),
    ("it", "àèìòù", 0.4),
)
_ENDINGS = (
    ("ms", ("kanlah", "nyalah", "asi"), 0.5),
    ("id", ("isasi", "asi"), 0.6),
    ("de", ("ung", "lich", "keit", "reise", "tägig", "tägige", "wöchige"), 0.7),
)
_MARATHI = folded("आहे आणि मध्ये दिवसांची साठी करा आहेत")
_NEPALI = folded("छ गर्नुहोस् लागि मा र दिनको छन्")
_PERSIAN = folded("است را برای های می این که با روزه سفر به")
_ARABIC = re.compile("^ال|ة$")
_URDU_LETTERS = re.compile("[ٹڈڑںےھ]")
_ENOUGH = 1.2
"""Weight of words from which a language in Latin letters counts as recognised."""

NAMES = {
    "en": "English",
    "ms": "Malay",
    "id": "Indonesian",
    "hi": "Hindi",
    "ur": "Urdu",
    "bn": "Bengali",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "pt": "Portuguese",
    "it": "Italian",
    "nl": "Dutch",
    "tr": "Turkish",
    "pl": "Polish",
    "sv": "Swedish",
    "vi": "Vietnamese",
    "tl": "Filipino",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "pa": "Punjabi",
    "gu": "Gujarati",
    "kn": "Kannada",
    "ml": "Malayalam",
    "mr": "Marathi",
    "ne": "Nepali",
    "si": "Sinhala",
    "th": "Thai",
    "ka": "Georgian",
    "hy": "Armenian",
    "am": "Amharic",
    "km": "Khmer",
    "my": "Burmese",
    "he": "Hebrew",
    "ar": "Arabic",
    "fa": "Persian",
    "el": "Greek",
    "ko": "Korean",
    "ja": "Japanese",
    "zh": "Chinese",
    "ru": "Russian",
    "uk": "Ukrainian",
    "hi-Latn": "Hindi in Latin letters",
    "ur-Latn": "Urdu in Latin letters",
}
"""English names of the languages that are recognised, for prompts."""


DECISIVE = 1_000
"""Characters of a text that tell its language."""


def detect(text: str, words: Sequence[Token] | None = None) -> str:
    """Return the BCP 47 tag of a text's language; empty: it cannot be told.

    Args:
        text: Any text; its first `DECISIVE` characters decide.
        words: Its tokens, if they are known already.
    """
    text = text[:DECISIVE]
    return _detected(text) if words is None else _told(text, words)


def _told(text: str, words: Sequence[Token]) -> str:
    counts = {tag: len(pattern.findall(text)) for tag, pattern in _BY_SCRIPT}
    script = max(counts, key=lambda tag: counts[tag])
    if counts[script] == 0:
        return ""
    known = [token.word for token in words[:300]]
    if counts["ja"] and script in ("ja", "zh"):
        return "ja"
    if script == "la":
        return _latin(text, known)
    if script == "hi":
        return _most(known, {"mr": _MARATHI, "ne": _NEPALI}) or "hi"
    if script == "ur":
        if _URDU_LETTERS.search(text):
            return "ur"
        if sum(bool(_ARABIC.search(word)) for word in known) * 4 >= len(known):
            return "ar"
        return _most(known, {"fa": _PERSIAN}) or "ur"
    if script == "ru":
        return "uk" if re.search("[іїєґ]", text) else "ru"
    return script


@lru_cache(maxsize=256)
def _detected(text: str) -> str:
    """Return the language of a text; the same ones are looked at by many checks."""
    return _told(text, tokens(text))


def _most(words: Sequence[str], lists: dict[str, frozenset[str]]) -> str:
    counts = Counter({tag: sum(word in of for word in words) for tag, of in lists.items()})
    tag, count = counts.most_common(1)[0]
    return tag if count >= 2 else ""


def _latin(text: str, words: Sequence[str]) -> str:
    scores: dict[str, float] = {}
    for word in words:
        for tag, weight in _WEIGHTS.get(word, {}).items():
            scores[tag] = scores.get(tag, 0.0) + weight
        for tag, endings, weight in _ENDINGS:
            if len(word) > 6 and word.endswith(endings):
                scores[tag] = scores.get(tag, 0.0) + weight
    lowered = text.lower()
    for tag, letters, weight in _LETTERS:
        count = sum(lowered.count(letter) for letter in letters)
        if count:
            scores[tag] = scores.get(tag, 0.0) + weight * min(count, 4)
    if not scores:
        return ""
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])[:2]
    tag, best = ranked[0]
    if best < _ENOUGH:
        return ""
    if len(ranked) > 1 and ranked[1][1] == best and {tag, ranked[1][0]} == {"ms", "id"}:
        return "ms"
    return tag
