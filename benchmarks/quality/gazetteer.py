"""Places of the goals, with their names in each script.

A plan may use the name of any language: `Place.names` are all of them. The countries are none of
the product's examples.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A town, by its name in Latin letters, and its names in Hindi, Urdu and Bengali.

    Latin names have alternatives after a slash; the first is the one that goals use.
    """

    latin: str
    hi: str
    ur: str
    bn: str

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        joined = "/".join((self.latin, self.hi, self.ur, self.bn))
        return tuple(dict.fromkeys(joined.split("/")))

    def name(self, language: str) -> str:
        """Return the name that goals and plans in a language use."""
        own = {"hi": self.hi, "ur": self.ur, "bn": self.bn}.get(language, self.latin)
        return own.split("/")[0]


@dataclass(frozen=True, slots=True)
class Country:
    """A country and its towns.

    Attributes:
        names: Its name by language.
        towns: Those that goals name, and others that plans may visit.
    """

    names: dict[str, str]
    towns: tuple[Place, ...]


COUNTRIES = (
    Country(
        {"en": "Japan", "ms": "Jepun", "hi": "जापान", "ur": "جاپان", "bn": "জাপান"},
        (
            Place("Tokyo", "टोक्यो", "ٹوکیو", "টোকিও"),
            Place("Kyoto", "क्योटो", "کیوٹو", "কিয়োটো"),
            Place("Osaka", "ओसाका", "اوساکا", "ওসাকা"),
            Place("Hiroshima", "हिरोशिमा", "ہیروشیما", "হিরোশিমা"),
            Place("Nara", "नारा", "نارا", "নারা"),
            Place("Kanazawa", "कनाज़ावा/कनाजावा", "کانازاوا", "কানাজাওয়া"),
            Place("Nagoya", "नागोया", "ناگویا", "নাগোয়া"),
            Place("Fukuoka", "फुकुओका", "فوکوکا/فوکوئوکا", "ফুকুওকা"),
            Place("Sapporo", "साप्पोरो/सपोरो", "ساپورو", "সাপ্পোরো"),
            Place("Nikko", "निक्को", "نکو", "নিক্কো"),
            Place("Hakone", "हाकोने", "ہاکونے", "হাকোনে"),
            Place("Yokohama", "योकोहामा", "یوکوہاما", "ইয়োকোহামা"),
            Place("Kobe", "कोबे", "کوبے", "কোবে"),
            Place("Nagasaki", "नागासाकी", "ناگاساکی", "নাগাসাকি"),
            Place("Takayama", "ताकायामा", "تاکایاما", "তাকায়ামা"),
            Place("Himeji", "हिमेजी", "ہیمےجی", "হিমেজি"),
            Place("Sendai", "सेंदाई", "سینڈائی", "সেন্দাই"),
            Place("Kamakura", "कामाकुरा", "کاماکورا", "কামাকুরা"),
        ),
    ),
    Country(
        {"en": "Italy", "ms": "Itali", "hi": "इटली", "ur": "اٹلی", "bn": "ইতালি"},
        (
            Place("Rome/Rom/Roma", "रोम", "روم", "রোম"),
            Place("Florence/Firenze", "फ्लोरेंस", "فلورنس", "ফ্লোরেন্স"),
            Place("Venice/Venezia", "वेनिस", "وینس", "ভেনিস"),
            Place("Milan/Milano", "मिलान", "میلان", "মিলান"),
            Place("Naples/Napoli", "नेपल्स/नेपल्ज़", "نیپلز", "নেপলস"),
            Place("Bologna", "बोलोन्या/बोलोग्ना", "بولونیا", "বোলোনিয়া"),
            Place("Pisa", "पीसा", "پیسا", "পিসা"),
            Place("Verona", "वेरोना", "ویرونا", "ভেরোনা"),
            Place("Turin/Torino", "ट्यूरिन", "تورین/ٹورین", "তুরিন"),
            Place("Siena", "सिएना", "سیینا/سیانا", "সিয়েনা"),
            Place("Palermo", "पलेर्मो", "پالیرمو", "পালের্মো"),
            Place("Genoa/Genova", "जेनोआ", "جینوا", "জেনোয়া"),
            Place("Trieste", "ट्रिएस्टे", "ٹریسٹے", "ত্রিয়েস্তে"),
            Place("Lucca", "लुक्का", "لوکا", "লুক্কা"),
            Place("Pompeii", "पॉम्पेई/पोम्पेई", "پومپئی", "পম্পেই"),
            Place("Sorrento", "सोरेंटो", "سورینٹو", "সরেন্তো"),
        ),
    ),
    Country(
        {"en": "Malaysia", "ms": "Malaysia", "hi": "मलेशिया", "ur": "ملائیشیا", "bn": "মালয়েশিয়া"},
        (
            Place("Kuala Lumpur/KL", "कुआलालंपुर", "کوالالمپور", "কুয়ালালামপুর"),
            Place("Melaka/Malacca", "मलक्का", "ملاکا", "মালাক্কা"),
            Place("Ipoh", "इपोह", "ایپوہ", "ইপোহ"),
            Place("George Town/Georgetown", "जॉर्ज टाउन", "جارج ٹاؤن", "জর্জ টাউন"),
            Place("Kuching", "कुचिंग", "کوچنگ", "কুচিং"),
            Place("Kota Kinabalu", "कोटा किनाबालु", "کوٹا کنابالو", "কোটা কিনাবালু"),
            Place("Taiping", "ताइपिंग", "تائیپنگ", "তাইপিং"),
            Place("Kuantan", "कुआंतान", "کوانتان", "কুয়ান্তান"),
            Place("Kota Bharu", "कोटा भरू", "کوٹا بھارو", "কোটা ভারু"),
            Place("Johor Bahru", "जोहोर बाहरू", "جوہر بہرو", "জোহর বাহরু"),
            Place("Langkawi", "लंगकावी", "لنکاوی", "লাংকাউই"),
            Place("Putrajaya", "पुत्रजाया", "پتراجایا", "পুত্রজায়া"),
            Place("Alor Setar", "अलोर सेतार", "الور سیتار", "আলোর সেতার"),
            Place("Kuala Terengganu", "कुआला तेरेंगानु", "کوالا ترنگانو", "কুয়ালা তেরেঙ্গানু"),
            Place("Penang/Pulau Pinang", "पेनांग", "پینانگ", "পেনাং"),
            Place("Sandakan", "संदाकान", "سنداکان", "সান্দাকান"),
        ),
    ),
    Country(
        {"en": "Turkey", "ms": "Turki", "hi": "तुर्की", "ur": "ترکی", "bn": "তুরস্ক"},
        (
            Place("Istanbul", "इस्तांबुल/इस्ताम्बुल", "استنبول", "ইস্তাম্বুল"),
            Place("Ankara", "अंकारा", "انقرہ", "আঙ্কারা"),
            Place("Izmir", "इज़मिर/इजमिर", "ازمیر", "ইজমির"),
            Place("Konya", "कोन्या", "قونیہ", "কোনিয়া"),
            Place("Bursa", "बुर्सा", "برسا", "বুরসা"),
            Place("Antalya", "अंताल्या", "انطالیہ", "আনতালিয়া"),
            Place("Trabzon", "त्राब्ज़ोन/त्राबज़ोन", "طرابزون", "ত্রাবজোন"),
            Place("Edirne", "एदिर्ने", "ادرنہ", "এদির্নে"),
            Place("Kayseri", "कायसेरी", "قیصری", "কায়সেরি"),
            Place("Bodrum", "बोद्रुम", "بودرم", "বোদরুম"),
            Place("Safranbolu", "सफ़रानबोलू/सफरानबोलू", "سفرانبولو", "সাফরানবোলু"),
            Place("Selcuk/Selçuk", "सेल्चुक", "سلچوق", "সেলচুক"),
            Place("Pamukkale", "पामुक्कले", "پاموکلے", "পামুক্কালে"),
            Place("Goreme/Göreme", "गोरेमे", "گوریمے", "গোরেমে"),
        ),
    ),
    Country(
        {"en": "India", "ms": "India", "hi": "भारत", "ur": "بھارت", "bn": "ভারত"},
        (
            Place("Delhi/New Delhi", "दिल्ली/नई दिल्ली", "دہلی/نئی دہلی/دلی", "দিল্লি/নয়াদিল্লি"),
            Place("Agra", "आगरा", "آگرہ", "আগ্রা"),
            Place("Jaipur", "जयपुर", "جے پور", "জয়পুর"),
            Place("Udaipur", "उदयपुर", "ادے پور/اُدے پور", "উদয়পুর"),
            Place("Varanasi", "वाराणसी/बनारस", "وارانسی/بنارس", "বারাণসী"),
            Place("Kolkata", "कोलकाता", "کولکتہ", "কলকাতা"),
            Place("Mumbai", "मुंबई/मुम्बई", "ممبئی", "মুম্বাই"),
            Place("Jodhpur", "जोधपुर", "جودھپور/جودھ پور", "যোধপুর"),
            Place("Amritsar", "अमृतसर", "امرتسر", "অমৃতসর"),
            Place("Lucknow", "लखनऊ", "لکھنؤ", "লখনউ"),
            Place("Shimla", "शिमला", "شملہ", "শিমলা"),
            Place("Darjeeling", "दार्जिलिंग", "دارجلنگ", "দার্জিলিং"),
            Place("Chennai", "चेन्नई", "چنئی", "চেন্নাই"),
            Place("Pushkar", "पुष्कर", "پشکر", "পুষ্কর"),
            Place("Jaisalmer", "जैसलमेर", "جیسلمیر", "জয়সলমের"),
            Place("Hyderabad", "हैदराबाद", "حیدرآباد", "হায়দরাবাদ"),
        ),
    ),
)
"""Every country of the trips; a move goes between two towns of one country."""
