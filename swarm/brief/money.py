"""Money in texts: amounts with their currency, budgets, and whether costs are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from swarm.brief.passage import Found, Passage
from swarm.brief.steps import UNIT_WORDS
from swarm.brief.words import fold, folded

_CURRENCIES = {
    "EUR": "€ eur euro euros यूरो یورو ইউরো",
    "USD": "$ usd us$ dollar dollars डॉलर ڈالر ডলার dólares dolar bucks",
    "GBP": "£ gbp pound pounds quid पाउंड پاؤنڈ পাউন্ড pfund",
    "JPY": "¥ jpy yen येन ین ইয়েন",
    "INR": "₹ inr रुपये रुपए रुपया रुपयों रु",
    "PKR": "pkr روپے روپیہ روپوں روپیے",
    "BDT": "৳ bdt taka tk টাকা টাকার টাকায়",
    "MYR": "rm myr ringgit",
    "IDR": "rp idr rupiah",
    "SGD": "sgd s$",
    "AUD": "aud a$",
    "CAD": "cad c$",
    "CHF": "chf franken",
    "PLN": "pln zł zloty",
    "TRY": "₺",
    "AED": "aed dirham dirhams درہم",
    "SAR": "sar riyal riyals ریال",
    "THB": "฿ thb baht",
    "KRW": "₩ krw won",
    "VND": "₫ vnd dong",
    "PHP": "₱ php peso pesos",
    "NGN": "₦ ngn naira",
    "KES": "kes",
    "ZAR": "zar rand",
    "BRL": "brl reais",
    "CNY": "cny yuan rmb",
    "SEK": "sek",
    "NOK": "nok",
    "DKK": "dkk",
    "NZD": "nzd",
    "MXN": "mxn",
    "NPR": "npr",
    "LKR": "lkr",
}
CURRENCIES = {fold(w): code for code, words in _CURRENCIES.items() for w in words.split()}
"""Signs, codes and words of currencies, folded, with their ISO 4217 codes."""

_RUPEES = folded("rs rupee rupees rupaye rupay rupiya रुपीज রুপি")
"""Words of several currencies: the language or the country decides."""

_ABBREVIATED = frozenset({"rs", "rp", "tk", "rm"})
_PARTS = folded(", ; and dan और اور ও")
_NATIONS = {
    "us": "USD",
    "american": "USD",
    "australian": "AUD",
    "canadian": "CAD",
    "singapore": "SGD",
}

_HOME = {"ms": "MYR", "id": "IDR", "hi": "INR", "ur": "PKR", "bn": "BDT"}
"""The currency of a budget without one, by the goal's language."""

_PAKISTAN = folded(
    "pakistan lahore karachi islamabad pakistani peshawar multan rawalpindi skardu hunza pkr "
    "quetta faisalabad murree"
)

_BEFORE = folded(
    "budget budgets budgeted budgeting spend spending under below most max maximum within "
    "limit cap less cheaper than "
    "afford exceed exceeding total have costs cost bajet belanjawan anggaran maksimum maksimal "
    "bawah tidak lebih "
    "खर्च खर्चा लागत খরচ ব্যয় belanja बजट भीतर अधिकतम ज्यादा कुल بجٹ زیادہ کل خرچ বাজেট সর্বোচ্চ বেশি "
    "মোট kosten höchstens maximal "
    "unter bis "
    "presupuesto máximo menos maximum moins budjet biaya dana kos dengan"
)
_AFTER = folded(
    "budget max maximum most total less limit altogether cap tops bajet anggaran maksimum "
    "maksimal ke "
    "बजट भीतर अंदर तक कम अधिकतम कुल بجٹ اندر تک کم زیادہ ভেতর মধ্যে বাজেট বাজেটে বাজেটের কম ভিতরে "
    "insgesamt maximal höchstens presupuesto máximo"
)
_STRONG = folded(
    "budget budgets budgeted bajet belanjawan anggaran बजट بجٹ বাজেট বাজেটে বাজেটের "
    "presupuesto budjet budsjett"
)
_EACH = folded(
    "per a an each every / pro par por setiap seorang sehari semalam sebulan per प्रति हर ہر فی "
    "প্রতি জনপ্রতি apiece"
)
_EACH_OF = folded(
    "person people head guest guests adult child participant student night nights night kid "
    "pax orang kepala malam "
    "व्यक्ति रात शख़्स فرد شخص رات ব্যক্তি জন রাত noche nuit nacht kopf persona personne family each"
)
_OTHER = folded(
    "raise raised raising prize prizes win salary earn earning earns revenue profit sell "
    "selling donation donate "
    "donations fundraise fundraising income invest sponsor sponsors funding worth ticket "
    "tickets deposit fee fees save saved saving"
)
_COSTS = folded(
    "cost costs price prices expense expenses costing kos harga biaya perbelanjaan खर्च खर्चे "
    "खर्चों लागत कीमत "
    "خرچ اخراجات خرچہ لاگت قیمت খরচ খরচের ব্যয় দাম kosten preise coûts coût prix costos costes "
    "precios gastos"
)
_ASKS = folded(
    "list listed include including show give estimate estimated estimates "
    "estimation breakdown break "
    "table itemise itemised itemize "
    "itemized with calculate add state sum each all every how senaraikan senarai nyatakan "
    "sertakan anggaran rincian "
    "tuliskan pecahan daftar jumlah semua सूची बताएं बताओ दिखाएं लिखें शामिल जोड़ विवरण ब्योरा अनुमान "
    "हिसाब सभी सारे فہرست بتائیں شامل لکھیں تفصیل "
    "تخمینہ حساب تمام তালিকা উল্লেখ দেখান লিখুন লিখো হিসাব বিবরণ আনুমানিক সব দিন auflisten liste "
    "mit alle lista con "
    "liste avec detalle desglose aufstellung"
)
_NO_COSTS = folded(
    "no without low reduce cut save saving keep free share living whatever any cover"
)


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money in a text.

    Attributes:
        amount: In units of the currency; the largest of a range.
        currency: ISO 4217; empty: not named.
        at: Index of its first word.
        end: Index after its last word.
    """

    amount: float
    currency: str
    at: int
    end: int


def amounts(passage: Passage) -> list[Money]:
    """Return the amounts of money of a text, in order: numbers beside a currency."""
    found = []
    rupees = _rupees(passage)
    for at, number in passage.numbers.items():
        before = _currency(passage.word(at - 1), rupees)
        first, end, value = at, number.next, number.value
        whole = passage.numbers.get(at - 1)
        if whole is not None and whole.value < 1_000 and _continues(passage, at):
            # "1 500 euros"
            first, value = at - 1, whole.value * 1_000 + value
            before = _currency(passage.word(at - 2), rupees)
            first -= bool(before)
        elif before:
            first = at - 1
        elif passage.word(at - 1) == "." and passage.word(at - 2) in _ABBREVIATED:
            before, first = _currency(passage.word(at - 2), rupees), at - 2
        if before == "USD" and passage.word(first) == "$" and passage.touches(first):
            prefixed = _currency(passage.word(first - 1) + "$", rupees)
            if prefixed:
                before, first = prefixed, first - 1
        after = _currency(passage.word(end), rupees)
        if passage.word(end) in _NATIONS and _currency(passage.word(end + 1), rupees):
            after = _NATIONS[passage.word(end)]  # "US dollars"
            end += 1
        if passage.word(end) == "/" and passage.word(end + 1) == "-":
            end += 2  # "Rs 500/-"
        elif after and not (before and before != after and not passage.word(end).isalpha()):
            # "5 won" and "10 pounds" are not always money: a small number of those is none.
            if not before and after in ("KRW", "VND", "ZAR", "KES") and number.value < 100:
                after = ""
            else:
                end += 1
                if passage.word(end) == "s":
                    end += 1
        currency = before or after
        if currency:
            found.append(Money(value, currency, first, end))
    return found


def budgets(passage: Passage) -> list[Found]:
    """Return the goal's budget, if it names one; else limits of single things, as `must`."""
    money = amounts(passage)
    found = []
    whole: list[tuple[int, Money]] = []
    for item in money:
        if _is_each(passage, item.end):
            weight, at, end = _weight(passage, item)
            if weight:
                last = min(item.end + 2, len(passage.words))
                found.append(passage.found("must", at, last, name=passage.raw(item.at, last)))
            continue
        weight, _, _ = _weight(passage, item)
        if weight:
            whole.append((weight, item))
    if not whole:
        bare = _bare(passage)
        if bare is not None:
            whole.append((3, bare))
    if whole:
        weight, item = max(whole, key=lambda pair: pair[0])
        _, at, end = _weight(passage, item)
        found.append(
            passage.found("budget", at, end, value=item.amount, unit=item.currency or None)
        )
    return found


_ANDS = folded("and dan serta und et y और اور এবং ও")
_SUMS = folded("add sum total jumlahkan jumlah tambah tambahkan addiere जोड़ जोड़ें जमा میزان যোগ মোট")
"""After "and" these still speak of costs."""


def costs(passage: Passage) -> Found | None:
    """Return the wish for a list of costs, if a goal has one."""
    for at in passage.having(_COSTS):
        token = passage.words[at]
        first, last = passage.sentence(at)
        near = range(max(first, at - 5), min(last, at + 5))
        before, after = passage.word(at - 1), passage.word(at + 1)
        if before in _NO_COSTS or passage.word(at - 2) in ("keep", "reduce", "low"):
            continue
        asks = [
            index
            for index in near
            if passage.word(index) in _ASKS
            # "List the costs and include a magician": the second verb asks for something else.
            and (passage.word(index - 1) not in _ANDS or passage.word(index) in _SUMS)
        ]
        if before == "much" or (
            token.word == "cost"
            and after in ("estimate", "estimates", "breakdown", "table", "list", "plan", "overview")
        ):
            asks.append(at)
        if asks:
            start, end = min([*asks, at]), max([*asks, at]) + 1
            return passage.found("costs", start, end)
    return None


def _continues(passage: Passage, at: int) -> bool:
    """Return whether three digits go on a number after a blank."""
    return (
        len(passage.word(at)) == 3
        and passage.word(at).isdecimal()
        and passage.words[at].start - passage.words[at - 1].end == 1
        and len(passage.word(at - 1)) <= 3
    )


def _currency(word: str, rupees: str) -> str:
    return rupees if word in _RUPEES else CURRENCIES.get(word, "")


def _rupees(passage: Passage) -> str:
    if passage.language.startswith("ur"):
        return "PKR"
    near = not _PAKISTAN.isdisjoint(passage.where)
    return "PKR" if near else "INR"


def _is_each(passage: Passage, end: int) -> bool:
    """Return whether an amount is for one person, night or day."""
    word, after = passage.word(end), passage.word(end + 1)
    if word == "per":
        return bool(after)
    if word in ("a", "an"):
        return after in UNIT_WORDS or after in _EACH_OF
    if word in ("each", "apiece", "সন্ধ্যা", "seorang", "sehari", "semalam", "sebulan"):
        return True
    return word in _EACH and (after in UNIT_WORDS or after in _EACH_OF)


def _weight(passage: Passage, item: Money) -> tuple[int, int, int]:
    """Return how surely an amount is the budget (0: it is none), and the words that say so."""
    first, last = passage.sentence(item.at)
    before = range(max(first, item.at - 6), item.at)
    after = range(item.end, min(last, item.end + 4))
    for index in reversed(before):
        word = passage.word(index)
        if word in _PARTS and (index < item.at - 3 or word not in (",", ";")):
            before = range(index + 1, item.at)
            break
    words = [index for index in before if passage.word(index) in _BEFORE]
    behind: list[int] = []
    for index in after:
        if passage.word(index) in (",", ";"):
            break
        if passage.word(index) in _AFTER:
            behind.append(index)
    at, end = min([item.at, *words]), max([item.end, *(index + 1 for index in behind)])
    if any(
        passage.word(index) in _OTHER
        for index in range(max(first, item.at - 5), min(last, item.end + 3))
    ):
        strong = any(passage.word(index) in _STRONG for index in (*words, *behind))
        return (3 if strong else 0), at, end
    if any(passage.word(index) in _STRONG for index in (*words, *behind)):
        return 4, at, end
    if words or behind:
        return 2, at, end
    alone = passage.word(item.at - 1) in (",", ";", ".", "\n") and passage.word(item.end) in (
        ",",
        ";",
        ".",
        "",
        "\n",
    )
    if alone:
        return 1, at, end
    if passage.word(item.at - 1) in (
        "for",
        "with",
        "on",
        "für",
        "mit",
        "con",
        "pour",
        "avec",
        "untuk",
    ) or passage.word(item.end) in (
        "trip",
        "holiday",
        "wedding",
        "party",
        "renovation",
        "event",
        "vacation",
    ):
        return 1, max(item.at - 1, 0), item.end
    return 0, at, end


def _bare(passage: Passage) -> Money | None:
    """Return a budget whose currency is not named: "budget 60,000"."""
    for at, number in passage.numbers.items():
        if number.value < 50 or UNIT_WORDS.get(passage.word(number.next)):
            continue
        first, last = passage.sentence(at)
        near = [
            index
            for index in (
                *range(max(first, at - 3), at),
                *range(number.next, min(last, number.next + 2)),
            )
            if passage.word(index) in _STRONG
        ]
        if near:
            currency = _HOME.get(passage.language.split("-")[0], "")
            return Money(number.value, currency, at, number.next)
    return None
