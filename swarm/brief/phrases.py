"""The phrases that code adds to a plan, in the languages of the seeds, in one table.

Everything that code writes into a document takes its words from here, so that a plan in Urdu gets
an Urdu report. A language that is not in the table gets English.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """All words of one language.

    Attributes:
        report: Heading of the report on the request.
        met, not_met, not_checked: The three standings, as they begin a line of the report.
        in_plan: That a demand is dealt with in the plan, where code cannot tell how well.
        by_code, by_reviewers: Who checked.
        costs: Heading of the cost table.
        part, item, amount, kind: Its columns.
        estimate, limit: The kinds of an amount.
        total, budget, left, over: Its last rows; `over` is by how much the total is too high.
        estimates_note: What an estimate is.
        limits_note: What a limit is.
        mixed_note: Why nothing was added up; the currencies are in `{units}`.
        over_note: That the budget is exceeded; `{over}` is by how much.
        not_done: Heading of the section about parts that failed.
        draft_note: Why one whole draft replaces the parts.
        morning, afternoon: What stands before the two things to do on a day.
        leg: The journey to the next place; `{}` are where it starts and where it ends.
        breakfast, lunch, dinner: What stands before the dishes of a day.
        free_time: What a day says for which nothing was found; `{}` is the place.
        stages: Titles of parts that follow each other, first to last.
        travel: Things to do on the days of a journey; `{}` is the place.
        work: Things to do in the days or weeks of other plans.
        outline_note: That code made one part because the model gave nothing usable.
        skeleton_note: That code made the plan because the model cannot write the language.
        points: What a general point (see `swarm.brief.check.Check`) demands.
    """

    report: str
    met: str
    not_met: str
    not_checked: str
    in_plan: str
    by_code: str
    by_reviewers: str
    costs: str
    part: str
    item: str
    amount: str
    kind: str
    estimate: str
    limit: str
    total: str
    budget: str
    left: str
    over: str
    estimates_note: str
    limits_note: str
    mixed_note: str
    over_note: str
    not_done: str
    draft_note: str
    morning: str
    afternoon: str
    leg: str
    breakfast: str
    lunch: str
    dinner: str
    free_time: str
    stages: tuple[str, ...]
    travel: tuple[str, ...]
    work: tuple[str, ...]
    skeleton_note: str
    outline_note: str
    points: Mapping[str, str]


ENGLISH = Phrases(
    report="How this plan meets the request",
    met="Met",
    not_met="Not met",
    not_checked="Not checked",
    in_plan="In the plan",
    by_code="code",
    by_reviewers="reviewers",
    costs="Costs",
    part="Part",
    item="Item",
    amount="Amount",
    kind="Kind",
    estimate="estimate",
    limit="limit",
    total="Total",
    budget="Budget",
    left="Left",
    over="Above the budget by",
    estimates_note="An estimate comes from the model: check the price before you pay.",
    limits_note="A limit was set by code so that the sum fits the budget: it is not a price.",
    mixed_note="The amounts are in several currencies ({units}), so they were not added up.",
    over_note="The total is {over} above the budget.",
    not_done="Not done",
    draft_note="One whole draft replaces the parts here: it keeps more of the request.",
    morning="Morning",
    afternoon="Afternoon",
    leg="Travel from {} to {}",
    breakfast="Breakfast",
    lunch="Lunch",
    dinner="Dinner",
    free_time="Free time: {}",
    stages=(
        "Preparation",
        "First steps",
        "Main work",
        "Checks and corrections",
        "Completion",
    ),
    travel=(
        "Arrive in {} and find your way around",
        "Walk through the old streets of {}",
        "Visit the best-known sight of {}",
        "Look around the market of {}",
        "Take a short trip to the surroundings of {}",
        "Spend a quiet hour in a park of {}",
        "Try the food of {}",
    ),
    work=(
        "Write down what is needed",
        "Share out the tasks and dates",
        "Order and buy what is missing",
        "Do the most important work first",
        "Ask everyone how far they are",
        "Check what is finished and correct it",
        "Clear up and note what is still open",
    ),
    skeleton_note="The embedded model cannot write this language. Code made this outline from your "
    "own words: a larger model writes a real plan.",
    outline_note="The model gave nothing usable for this part: code made this outline.",
    points={
        "days": "Every step is there once and in order",
        "dates": "Dates agree with the days",
        "legs": "Each journey starts where the last one ended",
        "repeats": "Nothing is repeated",
        "cut": "No sentence is cut off",
        "remains": "Nothing but the plan is in the text",
        "empty": "The text says something",
        "language": "The text is in the requested language",
        "place": "The place of the part is named",
        "share": "The part stays within its share of the budget",
    },
)

MALAY = Phrases(
    report="Bagaimana rancangan ini memenuhi permintaan",
    met="Dipenuhi",
    not_met="Tidak dipenuhi",
    not_checked="Tidak disemak",
    in_plan="Ada dalam rancangan",
    by_code="kod",
    by_reviewers="penyemak",
    costs="Kos",
    part="Bahagian",
    item="Perkara",
    amount="Jumlah",
    kind="Jenis",
    estimate="anggaran",
    limit="had",
    total="Jumlah keseluruhan",
    budget="Bajet",
    left="Baki",
    over="Melebihi bajet sebanyak",
    estimates_note="Anggaran datang daripada model: semak harga sebelum membayar.",
    limits_note="Had ditetapkan oleh kod supaya jumlahnya muat dalam bajet: ia bukan harga.",
    mixed_note="Jumlah itu dalam beberapa mata wang ({units}), jadi ia tidak dijumlahkan.",
    over_note="Jumlah keseluruhan melebihi bajet sebanyak {over}.",
    not_done="Tidak dibuat",
    draft_note="Satu draf penuh menggantikan bahagian-bahagian di sini: ia memenuhi lebih banyak "
    "permintaan.",
    morning="Pagi",
    afternoon="Petang",
    leg="Perjalanan dari {} ke {}",
    breakfast="Sarapan",
    lunch="Makan tengah hari",
    dinner="Makan malam",
    free_time="Masa lapang: {}",
    stages=(
        "Persediaan",
        "Langkah pertama",
        "Kerja utama",
        "Semakan dan pembetulan",
        "Penyudahan",
    ),
    travel=(
        "Tiba di {} dan kenali kawasannya",
        "Berjalan kaki di jalan-jalan lama {}",
        "Lawati tempat paling terkenal di {}",
        "Jenguk pasar di {}",
        "Buat lawatan singkat ke sekitar {}",
        "Berehat sebentar di taman di {}",
        "Cuba makanan di {}",
    ),
    work=(
        "Catat apa yang diperlukan",
        "Bahagikan tugas dan tarikh",
        "Pesan dan beli apa yang kurang",
        "Buat dahulu kerja yang paling penting",
        "Tanya semua orang sejauh mana kemajuan mereka",
        "Semak apa yang siap dan betulkan",
        "Kemas dan catat apa yang belum selesai",
    ),
    skeleton_note="Model terbina dalam tidak dapat menulis bahasa ini. Kod membuat rangka ini "
    "daripada kata-kata anda sendiri: model yang lebih besar menulis rancangan sebenar.",
    outline_note="Model tidak memberi apa-apa yang boleh digunakan untuk bahagian ini: "
    "kod membuat rangka ini.",
    points={
        "days": "Setiap langkah ada sekali dan mengikut urutan",
        "dates": "Tarikh sepadan dengan hari",
        "legs": "Setiap perjalanan bermula di tempat perjalanan sebelumnya berakhir",
        "repeats": "Tiada yang diulang",
        "cut": "Tiada ayat yang terputus",
        "remains": "Hanya rancangan ada dalam teks",
        "empty": "Teks ada isi",
        "language": "Teks dalam bahasa yang diminta",
        "place": "Tempat bahagian disebut",
        "share": "Bahagian ini kekal dalam peruntukannya",
    },
)

INDONESIAN = Phrases(
    report="Bagaimana rencana ini memenuhi permintaan",
    met="Terpenuhi",
    not_met="Tidak terpenuhi",
    not_checked="Tidak diperiksa",
    in_plan="Ada dalam rencana",
    by_code="kode",
    by_reviewers="peninjau",
    costs="Biaya",
    part="Bagian",
    item="Keterangan",
    amount="Jumlah",
    kind="Jenis",
    estimate="perkiraan",
    limit="batas",
    total="Jumlah keseluruhan",
    budget="Anggaran",
    left="Sisa",
    over="Melebihi anggaran sebesar",
    estimates_note="Perkiraan berasal dari model: periksa harganya sebelum membayar.",
    limits_note="Batas ditetapkan oleh kode agar jumlahnya sesuai anggaran: itu bukan harga.",
    mixed_note="Jumlahnya dalam beberapa mata uang ({units}), jadi tidak dijumlahkan.",
    over_note="Jumlah keseluruhan melebihi anggaran sebesar {over}.",
    not_done="Tidak dikerjakan",
    draft_note="Satu draf utuh menggantikan bagian-bagian di sini: draf itu memenuhi lebih banyak "
    "permintaan.",
    morning="Pagi",
    afternoon="Sore",
    leg="Perjalanan dari {} ke {}",
    breakfast="Sarapan",
    lunch="Makan siang",
    dinner="Makan malam",
    free_time="Waktu bebas: {}",
    stages=(
        "Persiapan",
        "Langkah pertama",
        "Pekerjaan utama",
        "Pemeriksaan dan perbaikan",
        "Penyelesaian",
    ),
    travel=(
        "Tiba di {} dan kenali daerahnya",
        "Berjalan kaki di jalan-jalan lama {}",
        "Kunjungi tempat paling terkenal di {}",
        "Lihat pasar di {}",
        "Lakukan perjalanan singkat ke sekitar {}",
        "Beristirahat sejenak di taman di {}",
        "Cicipi makanan di {}",
    ),
    work=(
        "Catat apa yang diperlukan",
        "Bagi tugas dan tanggal",
        "Pesan dan beli apa yang kurang",
        "Kerjakan dulu yang paling penting",
        "Tanyakan kepada semua orang sejauh mana kemajuannya",
        "Periksa yang sudah selesai dan perbaiki",
        "Rapikan dan catat apa yang belum selesai",
    ),
    skeleton_note="Model bawaan tidak dapat menulis bahasa ini. Kode membuat kerangka ini dari "
    "kata-kata Anda sendiri: model yang lebih besar menulis rencana yang sebenarnya.",
    outline_note="Model tidak memberi apa pun yang dapat dipakai untuk bagian ini: kode "
    "membuat kerangka ini.",
    points={
        "days": "Setiap langkah ada satu kali dan berurutan",
        "dates": "Tanggal sesuai dengan harinya",
        "legs": "Setiap perjalanan mulai di tempat perjalanan sebelumnya berakhir",
        "repeats": "Tidak ada yang diulang",
        "cut": "Tidak ada kalimat yang terpotong",
        "remains": "Hanya rencana yang ada dalam teks",
        "empty": "Teks berisi sesuatu",
        "language": "Teks dalam bahasa yang diminta",
        "place": "Tempat bagian ini disebut",
        "share": "Bagian ini tidak melebihi jatah anggarannya",
    },
)

HINDI = Phrases(
    report="यह योजना अनुरोध को कैसे पूरा करती है",
    met="पूरा हुआ",
    not_met="पूरा नहीं हुआ",
    not_checked="जाँचा नहीं गया",
    in_plan="योजना में है",
    by_code="कोड",
    by_reviewers="समीक्षक",
    costs="लागत",
    part="भाग",
    item="मद",
    amount="राशि",
    kind="प्रकार",
    estimate="अनुमान",
    limit="सीमा",
    total="कुल",
    budget="बजट",
    left="शेष",
    over="बजट से अधिक",
    estimates_note="अनुमान मॉडल का है: भुगतान से पहले कीमत जाँच लें।",
    limits_note="सीमा कोड ने तय की है ताकि कुल राशि बजट में रहे: यह कीमत नहीं है।",
    mixed_note="राशियाँ कई मुद्राओं ({units}) में हैं, इसलिए जोड़ी नहीं गईं।",
    over_note="कुल राशि बजट से {over} अधिक है।",
    not_done="जो नहीं हुआ",
    draft_note="यहाँ भागों की जगह एक पूरा मसौदा है: वह अनुरोध की ज़्यादा बातें पूरी करता है।",
    morning="सुबह",
    afternoon="दोपहर",
    leg="{} से {} की यात्रा",
    breakfast="नाश्ता",
    lunch="दोपहर का खाना",
    dinner="रात का खाना",
    free_time="खाली समय: {}",
    stages=(
        "तैयारी",
        "पहले कदम",
        "मुख्य काम",
        "जाँच और सुधार",
        "समापन",
    ),
    travel=(
        "{} पहुँचें और आसपास का इलाका जानें",
        "{} की पुरानी गलियों में पैदल घूमें",
        "{} की सबसे प्रसिद्ध जगह देखें",
        "{} का बाज़ार देखें",
        "{} के आसपास की छोटी सैर करें",
        "{} के किसी बाग़ में आराम से बैठें",
        "{} का खाना चखें",
    ),
    work=(
        "जो कुछ चाहिए उसकी सूची बनाएँ",
        "काम और तारीखें आपस में बाँटें",
        "जो कम है उसे मँगाएँ और ख़रीदें",
        "सबसे ज़रूरी काम पहले करें",
        "सबसे पूछें कि काम कहाँ तक पहुँचा",
        "जो पूरा हुआ उसे जाँचें और सुधारें",
        "सब समेटें और बचा हुआ काम लिख लें",
    ),
    skeleton_note="साथ में मिला छोटा मॉडल यह भाषा नहीं लिख सकता। यह ढाँचा कोड ने आपके ही शब्दों से "
    "बनाया है: बड़ा मॉडल पूरी योजना लिखता है।",
    outline_note="मॉडल ने इस हिस्से के लिए कुछ उपयोगी नहीं दिया: यह ढाँचा कोड ने बनाया है।",
    points={
        "days": "हर चरण एक बार और क्रम में है",
        "dates": "तारीखें दिनों से मेल खाती हैं",
        "legs": "हर यात्रा वहीं से शुरू होती है जहाँ पिछली समाप्त हुई",
        "repeats": "कुछ दोहराया नहीं गया",
        "cut": "कोई वाक्य अधूरा नहीं है",
        "remains": "पाठ में केवल योजना है",
        "empty": "पाठ में सामग्री है",
        "language": "पाठ माँगी गई भाषा में है",
        "place": "भाग की जगह का नाम है",
        "share": "भाग बजट के अपने हिस्से में रहता है",
    },
)

URDU = Phrases(
    report="یہ منصوبہ درخواست کو کیسے پورا کرتا ہے",
    met="پورا ہوا",
    not_met="پورا نہیں ہوا",
    not_checked="جانچا نہیں گیا",
    in_plan="منصوبے میں ہے",
    by_code="کوڈ",
    by_reviewers="جائزہ لینے والے",
    costs="اخراجات",
    part="حصہ",
    item="مد",
    amount="رقم",
    kind="قسم",
    estimate="تخمینہ",
    limit="حد",
    total="کل",
    budget="بجٹ",
    left="باقی",
    over="بجٹ سے زیادہ",
    estimates_note="تخمینہ ماڈل کا ہے: ادائیگی سے پہلے قیمت جانچ لیں۔",
    limits_note="حد کوڈ نے مقرر کی ہے تاکہ کل رقم بجٹ میں رہے: یہ قیمت نہیں ہے۔",
    mixed_note="رقمیں کئی کرنسیوں ({units}) میں ہیں، اس لیے جمع نہیں کی گئیں۔",
    over_note="کل رقم بجٹ سے {over} زیادہ ہے۔",
    not_done="جو نہیں ہوا",
    draft_note="یہاں حصوں کی جگہ ایک مکمل مسودہ ہے: وہ درخواست کی زیادہ باتیں پوری کرتا ہے۔",
    morning="صبح",
    afternoon="دوپہر",
    leg="{} سے {} کا سفر",
    breakfast="ناشتہ",
    lunch="دوپہر کا کھانا",
    dinner="رات کا کھانا",
    free_time="فارغ وقت: {}",
    stages=(
        "تیاری",
        "پہلے قدم",
        "اصل کام",
        "جانچ اور درستی",
        "تکمیل",
    ),
    travel=(
        "{} پہنچیں اور آس پاس کا علاقہ جانیں",
        "{} کی پرانی گلیوں میں پیدل گھومیں",
        "{} کی سب سے مشہور جگہ دیکھیں",
        "{} کا بازار دیکھیں",
        "{} کے آس پاس کی مختصر سیر کریں",
        "{} کے کسی باغ میں آرام سے بیٹھیں",
        "{} کا کھانا چکھیں",
    ),
    work=(
        "جو کچھ چاہیے اس کی فہرست بنائیں",
        "کام اور تاریخیں آپس میں بانٹیں",
        "جو کم ہے اسے منگوائیں اور خریدیں",
        "سب سے ضروری کام پہلے کریں",
        "سب سے پوچھیں کہ کام کہاں تک پہنچا",
        "جو مکمل ہوا اسے جانچیں اور درست کریں",
        "سب سمیٹیں اور بچا ہوا کام لکھ لیں",
    ),
    skeleton_note="ساتھ ملنے والا چھوٹا ماڈل یہ زبان نہیں لکھ سکتا۔ یہ خاکہ کوڈ نے آپ ہی کے الفاظ "
    "سے بنایا ہے: بڑا ماڈل پورا منصوبہ لکھتا ہے۔",
    outline_note="ماڈل نے اس حصے کے لیے کوئی قابلِ استعمال متن نہیں دیا: یہ خاکہ کوڈ نے بنایا ہے۔",
    points={
        "days": "ہر مرحلہ ایک بار اور ترتیب سے ہے",
        "dates": "تاریخیں دنوں سے ملتی ہیں",
        "legs": "ہر سفر وہیں سے شروع ہوتا ہے جہاں پچھلا ختم ہوا",
        "repeats": "کچھ دہرایا نہیں گیا",
        "cut": "کوئی جملہ ادھورا نہیں ہے",
        "remains": "متن میں صرف منصوبہ ہے",
        "empty": "متن میں مواد ہے",
        "language": "متن مطلوبہ زبان میں ہے",
        "place": "حصے کی جگہ کا نام ہے",
        "share": "حصہ بجٹ کے اپنے حصے میں رہتا ہے",
    },
)

BENGALI = Phrases(
    report="এই পরিকল্পনা অনুরোধ কীভাবে পূরণ করে",
    met="পূরণ হয়েছে",
    not_met="পূরণ হয়নি",
    not_checked="যাচাই করা হয়নি",
    in_plan="পরিকল্পনায় আছে",
    by_code="কোড",
    by_reviewers="পর্যালোচক",
    costs="খরচ",
    part="অংশ",
    item="বিষয়",
    amount="পরিমাণ",
    kind="ধরন",
    estimate="অনুমান",
    limit="সীমা",
    total="মোট",
    budget="বাজেট",
    left="বাকি",
    over="বাজেটের চেয়ে বেশি",
    estimates_note="অনুমান মডেলের: টাকা দেওয়ার আগে দাম যাচাই করুন।",
    limits_note="সীমা কোড ঠিক করেছে যাতে মোট খরচ বাজেটের মধ্যে থাকে: এটি দাম নয়।",
    mixed_note="পরিমাণগুলো একাধিক মুদ্রায় ({units}), তাই যোগ করা হয়নি।",
    over_note="মোট খরচ বাজেটের চেয়ে {over} বেশি।",
    not_done="যা করা হয়নি",
    draft_note="এখানে অংশগুলোর বদলে একটি সম্পূর্ণ খসড়া আছে: এটি অনুরোধের বেশি কথা রাখে।",
    morning="সকাল",
    afternoon="বিকেল",
    leg="{} থেকে {} যাত্রা",
    breakfast="সকালের নাশতা",
    lunch="দুপুরের খাবার",
    dinner="রাতের খাবার",
    free_time="অবসর সময়: {}",
    stages=(
        "প্রস্তুতি",
        "প্রথম ধাপ",
        "মূল কাজ",
        "যাচাই ও সংশোধন",
        "সমাপ্তি",
    ),
    travel=(
        "{} পৌঁছান এবং আশপাশের এলাকা চিনে নিন",
        "{} শহরের পুরোনো রাস্তায় হেঁটে ঘুরুন",
        "{} শহরের সবচেয়ে পরিচিত জায়গা দেখুন",
        "{} শহরের বাজার দেখুন",
        "{} শহরের কাছাকাছি ছোট ভ্রমণ করুন",
        "{} শহরের কোনো পার্কে একটু বসুন",
        "{} শহরের খাবার চেখে দেখুন",
    ),
    work=(
        "যা যা লাগবে তার তালিকা করুন",
        "কাজ ও তারিখ ভাগ করে নিন",
        "যা নেই তা আনিয়ে নিন বা কিনুন",
        "সবচেয়ে জরুরি কাজ আগে করুন",
        "সবাইকে জিজ্ঞাসা করুন কাজ কত দূর এগোল",
        "যা শেষ হয়েছে তা যাচাই ও সংশোধন করুন",
        "সব গুছিয়ে নিন এবং বাকি কাজ লিখে রাখুন",
    ),
    skeleton_note="সঙ্গে থাকা ছোট মডেলটি এই ভাষা লিখতে পারে না। এই কাঠামোটি কোড আপনার নিজের কথা "
    "থেকে বানিয়েছে: বড় মডেল পুরো পরিকল্পনা লেখে।",
    outline_note="মডেল এই অংশের জন্য ব্যবহারযোগ্য কিছু দেয়নি: এই কাঠামোটি কোড বানিয়েছে।",
    points={
        "days": "প্রতিটি ধাপ একবার এবং ক্রমে আছে",
        "dates": "তারিখ দিনের সঙ্গে মেলে",
        "legs": "প্রতিটি যাত্রা আগেরটির শেষ জায়গা থেকে শুরু হয়",
        "repeats": "কিছুই পুনরাবৃত্তি হয়নি",
        "cut": "কোনো বাক্য অসম্পূর্ণ নয়",
        "remains": "লেখায় শুধু পরিকল্পনা আছে",
        "empty": "লেখায় বিষয়বস্তু আছে",
        "language": "লেখা চাওয়া ভাষায় আছে",
        "place": "অংশের জায়গার নাম আছে",
        "share": "অংশটি বাজেটের নিজের ভাগের মধ্যে থাকে",
    },
)

_PHRASES: Mapping[str, Phrases] = {
    "en": ENGLISH,
    "ms": MALAY,
    "id": INDONESIAN,
    "hi": HINDI,
    "ur": URDU,
    "bn": BENGALI,
}

LANGUAGES = tuple(_PHRASES)
"""Primary tags of the languages in the table."""


def phrases(language: str) -> Phrases:
    """Return the words of a language; English for one that is not in the table.

    Args:
        language: BCP 47 tag; only its first part counts.
    """
    return _PHRASES.get(primary(language), ENGLISH)


_FULL_STOPS = {"hi": "।", "ur": "۔", "bn": "।"}
"""Full stops of languages that do not write a dot."""


def full_stop(language: str) -> str:
    """Return what ends a sentence in a language (BCP 47 tag)."""
    return _FULL_STOPS.get(primary(language), ".")


def primary(language: str) -> str:
    """Return the first part of a language tag, in lower case: `ms` of `ms-MY`."""
    return language.replace("_", "-").split("-")[0].lower()
