"""Malay."""

from __future__ import annotations

from benchmarks.quality.wording.record import Ban, Count, Demand, Family, Frame, Wording

_TRIP = Family(
    openings=(
        "Tolong rancang percutian {length} ke {subject} untuk kami sekeluarga, bersama seorang anak "
        "berumur enam tahun.",
        "Kami suami isteri mahu melancong di {subject} selama {length} dengan anak kecil enam tahun.",
    ),
    subjects=(),
    starts=("Kami bertolak pada {date}.", "Hari pertama ialah {date}."),
    counts=(
        Count(
            ask="Masukkan {n} lawatan muzium.",
            nouns="muzium|lawatan muzium",
            done="Sepanjang percutian ada {n} lawatan muzium.",
            low=2,
            high=3,
            each=True,
        ),
    ),
    musts=(
        Demand(
            ask="Satu petang mesti di pantai atau kolam renang.",
            words="pantai|kolam|berenang|mandi laut",
            done="Petang ini di pantai, bawa tuala dan topi.",
        ),
        Demand(
            ask="Nyatakan kereta api mana yang perlu ditempah.",
            words="kereta api|tren & tempah|ditempah|menempah|tempahan",
            done="Tiket kereta api jarak jauh perlu ditempah dua minggu awal.",
        ),
        Demand(
            ask="Sediakan waktu rehat tanpa berjalan-jalan.",
            words="rehat|berehat",
            done="Separuh hari ini untuk rehat di bilik hotel.",
        ),
    ),
    bans=(
        Ban(
            ask="Jangan guna bas malam.",
            words="bas malam|bas ekspres malam",
            broken="Kita naik bas malam supaya jimat satu bilik hotel.",
        ),
        Ban(
            ask="Kami tidak mahu menyewa kereta.",
            words="kereta sewa|sewa kereta|menyewa kereta",
            broken="Di stesen kita ambil kereta sewa lalu memandu ke bukit.",
        ),
    ),
    always=(
        Demand(
            ask="",
            words="anak|kanak-kanak|keluarga|taman permainan",
            done="Untuk anak ada taman permainan berdekatan.",
        ),
    ),
)

_EVENT = Family(
    openings=(
        "Bantu saya menganjurkan {subject}; masa persediaan ialah {length}.",
        "Saya pengerusi {subject}. Sediakan rancangan {length} sampai hari majlis.",
    ),
    subjects=(
        "gotong-royong kampung",
        "pertandingan badminton sekolah",
        "majlis sambutan hari guru",
        "kenduri kesyukuran di surau",
    ),
    starts=("Persediaan bermula pada {date}.", "Minggu pertama bermula {date}."),
    counts=(
        Count(
            ask="Ada {n} hadiah untuk dimenangi.",
            nouns="hadiah",
            done="Beli {n} hadiah dan balut dengan kemas.",
            low=3,
            high=6,
        ),
        Count(
            ask="Saya dibantu {n} orang sukarelawan.",
            nouns="orang sukarelawan|sukarelawan|pembantu|ahli jawatankuasa|orang pembantu",
            done="Kumpulan {n} sukarelawan mendapat tugas masing-masing.",
            low=5,
            high=12,
        ),
    ),
    musts=(
        Demand(
            ask="Mesti ada pasukan pertolongan cemas.",
            words="pertolongan cemas|kecemasan|paramedik",
            done="Pasukan pertolongan cemas bersiap di pintu masuk.",
        ),
        Demand(
            ask="Fikirkan juga kalau hujan turun.",
            words="hujan|cuaca buruk",
            done="Jika hujan, semua acara berpindah ke dewan sebelah.",
        ),
        Demand(
            ask="Jiran tetangga perlu diberitahu.",
            words="jiran",
            done="Setiap jiran menerima surat tentang waktu acara.",
        ),
    ),
    bans=(
        Ban(
            ask="Tiada mercun atau bunga api.",
            words="mercun|bunga api",
            broken="Malam itu ditutup dengan bunga api di padang.",
        ),
        Ban(
            ask="Jangan guna pinggan plastik.",
            words="pinggan plastik|cawan plastik|sudu plastik|polistirena",
            broken="Makanan dihidang dalam pinggan plastik yang murah.",
        ),
    ),
)

_MOVE = Family(
    openings=(
        "Kami sekeluarga berpindah rumah dari {start} ke {end}. Aturkan semuanya dalam {length}.",
        "Rancang perpindahan rumah kami dari {start} ke {end} selama {length}.",
    ),
    subjects=(),
    starts=("Kami boleh mula pada {date}.", "Kerja bermula {date}."),
    counts=(
        Count(
            ask="Ada {n} buah bilik untuk dikemas.",
            nouns="buah bilik|bilik",
            done="Sebanyak {n} bilik dikemas satu demi satu.",
            low=3,
            high=6,
        ),
        Count(
            ask="{n} orang kawan akan menolong.",
            nouns="orang kawan|kawan|rakan",
            done="Pada hari itu {n} kawan mengangkat kotak.",
            low=3,
            high=8,
        ),
    ),
    musts=(
        Demand(
            ask="Kucing kami mesti selamat dalam perjalanan.",
            words="kucing",
            done="Kucing dibawa dalam sangkar yang selesa.",
        ),
        Demand(
            ask="Jangan lupa tukar alamat di semua tempat.",
            words="alamat",
            done="Beritahu alamat baharu kepada bank dan sekolah.",
        ),
        Demand(
            ask="Rumah lama perlu diserahkan dalam keadaan bersih.",
            words="serah|menyerahkan|diserahkan|penyerahan|bersih|membersihkan|dibersihkan",
            done="Bersihkan rumah lama dan serahkan kunci kepada tuan rumah.",
        ),
    ),
    bans=(
        Ban(
            ask="Kami tidak mahu menyewa gudang.",
            words="gudang|stor sewa",
            broken="Dua sofa disimpan di gudang sampai tahun depan.",
        ),
        Ban(
            ask="Almari lama tidak dibawa.",
            words="bawa almari lama|angkat almari lama|angkut almari lama",
            broken="Empat orang angkat almari lama ke dalam lori.",
        ),
    ),
)

_TRAINING = Family(
    openings=(
        "Buatkan jadual latihan {length} untuk {subject}.",
        "Saya mahu bersedia bagi {subject} dalam masa {length}. Tulis jadual latihan saya.",
    ),
    subjects=(
        "larian 10 km pertama saya",
        "separuh maraton",
        "kayuhan basikal 100 km",
        "mendaki Gunung Kinabalu",
    ),
    starts=("Saya mula pada {date}.", "Minggu pertama bermula {date}."),
    counts=(
        Count(
            ask="Saya boleh berlatih {n} hari seminggu.",
            nouns="hari seminggu|hari dalam seminggu|kali seminggu|sesi|hari latihan|hari setiap "
            "minggu|kali dalam seminggu",
            done="Ada {n} sesi di dalamnya, tidak dua yang berat berturut-turut.",
            low=3,
            high=5,
        ),
    ),
    musts=(
        Demand(
            ask="Hari Jumaat saya mesti berehat.",
            words="jumaat & rehat|berehat",
            done="Jumaat ialah hari rehat.",
        ),
        Demand(
            ask="Masukkan senaman untuk lutut yang sakit.",
            words="lutut",
            done="Sepuluh minit senaman menguatkan lutut.",
        ),
        Demand(
            ask="Perlu ada satu ujian seperti hari sebenar.",
            words="ujian|percubaan|simulasi",
            done="Sabtu ada ujian seperti hari sebenar, dengan kasut yang sama.",
        ),
    ),
    bans=(
        Ban(
            ask="Saya tiada gim.",
            words="gim|treadmill",
            broken="Selasa pergi ke gim selama satu jam.",
        ),
        Ban(
            ask="Saya tidak ambil makanan tambahan.",
            words="serbuk protein|makanan tambahan|suplemen",
            broken="Minum serbuk protein selepas setiap sesi.",
        ),
    ),
)

_STUDY = Family(
    openings=(
        "Peperiksaan {subject} tinggal {length} lagi. Buatkan jadual belajar.",
        "Susun jadual ulang kaji {length} untuk {subject}.",
    ),
    subjects=("SPM Matematik", "SPM Sejarah", "ujian memandu bahagian teori", "MUET"),
    starts=("Saya mula belajar pada {date}.", "Hari pertama ialah {date}."),
    counts=(
        Count(
            ask="Saya mahu buat {n} peperiksaan percubaan.",
            nouns="peperiksaan percubaan|ujian percubaan|kertas percubaan|percubaan",
            done="Ada {n} peperiksaan percubaan dengan jam di meja.",
            low=2,
            high=4,
            each=True,
        ),
        Count(
            ask="Buku teks ada {n} bab.",
            nouns="bab",
            done="Kesemua {n} bab dibahagi sama rata.",
            low=6,
            high=12,
        ),
    ),
    musts=(
        Demand(
            ask="Beri masa untuk membetulkan kesilapan.",
            words="silap|kesilapan|salah|kesalahan|lemah",
            done="Satu malam untuk meneliti setiap kesilapan dalam buku nota.",
        ),
        Demand(
            ask="Petang Ahad untuk keluarga saya.",
            words="ahad & keluarga|lapang|bebas|cuti|rehat",
            done="Petang Ahad dikhaskan untuk keluarga.",
        ),
        Demand(
            ask="Gunakan kad imbasan kerana saya cepat ingat dengannya.",
            words="kad imbas|kad imbasan|kad nota|kad ingatan",
            done="Tulis tiga puluh kad imbasan dan bawa ke mana-mana.",
        ),
    ),
    bans=(
        Ban(
            ask="Saya tidak mampu membayar tuisyen.",
            words="tuisyen|guru peribadi|tutor",
            broken="Hadiri kelas tuisyen setiap malam Selasa.",
        ),
        Ban(
            ask="Jangan belajar lewat malam.",
            words="lewat malam|tengah malam|berjaga malam",
            broken="Baca semula rumus hingga tengah malam.",
        ),
    ),
)

_LAUNCH = Family(
    openings=(
        "Kami mahu melancarkan {subject} dalam {length}. Tolong rancang.",
        "Sediakan rancangan pelancaran {length} bagi {subject}.",
    ),
    subjects=(
        "kedai dalam talian untuk kerepek pisang",
        "aplikasi perpustakaan kampung",
        "podcast mingguan tentang kebun",
        "kafe kecil di pekan",
    ),
    starts=("Kerja bermula pada {date}.", "Minggu pertama bermula {date}."),
    counts=(
        Count(
            ask="Pasukan kami {n} orang.",
            nouns="orang|ahli|anggota",
            done="Pasukan {n} orang bermesyuarat setiap Isnin.",
            low=3,
            high=8,
        ),
        Count(
            ask="Sebanyak {n} pelanggan perlu mencuba dahulu.",
            nouns="pelanggan|orang pelanggan|penguji",
            done="Jemput {n} pelanggan percubaan dan catat pendapat mereka.",
            low=5,
            high=12,
        ),
    ),
    musts=(
        Demand(
            ask="Peguam mesti menyemak perlindungan data.",
            words="peguam|perlindungan data|data peribadi|privasi",
            done="Peguam menyemak perlindungan data dan menandatanganinya.",
        ),
        Demand(
            ask="Tentukan apa yang dibuat jika hari pelancaran gagal.",
            words="gagal|pelan b|sandaran|rancangan b|kontingensi|ditangguh",
            done="Jika gagal, kita tangguh seminggu dan beritahu semua.",
        ),
        Demand(
            ask="Hantar berita kepada akhbar tempatan.",
            words="akhbar|surat khabar|media|wartawan",
            done="Sepucuk surat dengan dua gambar dihantar kepada akhbar.",
        ),
    ),
    bans=(
        Ban(
            ask="Tiada iklan berbayar.",
            words="iklan berbayar|google ads|facebook ads",
            broken="Satu pertiga wang untuk iklan berbayar.",
        ),
        Ban(
            ask="Jangan buat pinjaman bank.",
            words="pinjaman bank|pinjaman|hutang bank",
            broken="Mohon pinjaman bank untuk peralatan.",
        ),
    ),
)

_MEALS = Family(
    openings=(
        "Buatkan menu makanan {length} untuk {subject}.",
        "Rancang hidangan {length}; kami {subject}.",
    ),
    subjects=(
        "sekeluarga dengan anak kecil",
        "pelajar serumah",
        "suami isteri yang pulang lewat",
        "datuk dan nenek",
    ),
    starts=("Menu bermula pada {date}.", "Hari pertama ialah {date}."),
    counts=(
        Count(
            ask="Kami {n} orang di meja makan.",
            nouns="orang|hidangan|pinggan",
            done="Setiap masakan cukup untuk {n} orang.",
            low=2,
            high=6,
        ),
    ),
    musts=(
        Demand(
            ask="Sertakan senarai barang dapur.",
            words="senarai beli|senarai belian|senarai barang|barang dapur|membeli|=beli",
            done="Senarai barang dapur: beras, tempe, lobak, bawang dan pisang.",
        ),
        Demand(
            ask="Sarapan mesti ada setiap hari.",
            words="sarapan",
            done="Sarapan ialah bubur dengan pisang.",
        ),
        Demand(
            ask="Nyatakan masakan yang boleh disediakan malam sebelumnya.",
            words="malam sebelum|awal|sehari sebelum|lebih awal",
            done="Kuah boleh dimasak malam sebelumnya.",
        ),
    ),
    bans=(
        Ban(
            ask="Tanpa daging dan ayam.",
            words="daging|ayam|lembu|kambing|sosej",
            broken="Makan malam ialah ayam goreng dengan nasi.",
        ),
        Ban(
            ask="Seorang daripada kami alah kepada kacang.",
            words="kacang tanah|kacang|gajus|badam",
            broken="Tabur gado-gado dengan kacang tanah.",
        ),
    ),
)

_RENOVATION = Family(
    openings=(
        "Rancang pengubahsuaian {subject} dalam {length}.",
        "Kami mengubah suai {subject} sendiri. Tulis rancangan {length}.",
    ),
    subjects=("dapur rumah", "bilik air rumah sewa", "beranda lama", "bilik tidur anak"),
    starts=("Kerja bermula pada {date}.", "Kami mula {date}."),
    counts=(
        Count(
            ask="Dapatkan {n} sebut harga dahulu.",
            nouns="sebut harga|sebutharga|tawaran",
            done="Minta {n} sebut harga dan bandingkan.",
            low=2,
            high=4,
        ),
        Count(
            ask="Ada {n} tingkap untuk dicat.",
            nouns="tingkap|buah tingkap",
            done="Kesemua {n} tingkap digosok lalu dicat.",
            low=2,
            high=5,
        ),
    ),
    musts=(
        Demand(
            ask="Juruelektrik mesti memeriksa pendawaian.",
            words="juruelektrik|juru elektrik|pendawai",
            done="Juruelektrik memeriksa pendawaian dan menulis laporan.",
        ),
        Demand(
            ask="Minta kebenaran tuan rumah.",
            words="kebenaran|izin|tuan rumah",
            done="Tuan rumah memberi kebenaran bertulis.",
        ),
        Demand(
            ask="Sampah binaan perlu dibuang dengan betul.",
            words="sampah|sisa|buang|membuang|dibuang|pelupusan",
            done="Sampah binaan dihantar ke pusat kitar semula.",
        ),
    ),
    bans=(
        Ban(
            ask="Jangan pasang karpet.",
            words="karpet|permaidani",
            broken="Lantai ditutup dengan karpet kelabu.",
        ),
        Ban(
            ask="Dinding tidak boleh dirobohkan.",
            words="robohkan dinding|merobohkan dinding|pecahkan dinding|memecahkan dinding",
            broken="Kemudian kita robohkan dinding ke ruang tamu.",
        ),
    ),
)

WORDING = Wording(
    code="ms",
    name="Malay",
    families={
        "trip": _TRIP,
        "event": _EVENT,
        "move": _MOVE,
        "training": _TRAINING,
        "study": _STUDY,
        "launch": _LAUNCH,
        "meals": _MEALS,
        "renovation": _RENOVATION,
    },
    days="{n} hari",
    weeks="{n} minggu",
    lengthy_days="{n} hari",
    lengthy_weeks="{n} minggu",
    each_day=("Aturkan hari demi hari.", "Setiap hari mesti ada rancangannya."),
    each_week=("Susun minggu demi minggu.", "Setiap minggu mesti ada langkahnya."),
    from_to=(
        "Mula di {start} dan tamat di {end}.",
        "Perjalanan bermula di {start} dan berakhir di {end}.",
    ),
    visits=("Kami mesti singgah di {places}.", "Pastikan ada {places}."),
    least=("Sekurang-kurangnya {n} bandar berlainan.", "Lawati {n} bandar atau lebih."),
    budget=("Bajet kami {money}.", "Belanja tidak boleh melebihi {money}."),
    costs=("Senaraikan semua kos dan jumlahkan.", "Tunjukkan senarai kos dengan jumlahnya."),
    answer=("Tulis dalam bahasa Melayu.", "Jawab dalam bahasa Melayu."),
    joined=" dan ",
    money={"MYR": ("RM{amount}", "{amount} ringgit")},
    currencies=("MYR",),
    frame=Frame(
        day="Hari {n}",
        week="Minggu {n}",
        date="{day} {month}",
        months=(
            "Januari",
            "Februari",
            "Mac",
            "April",
            "Mei",
            "Jun",
            "Julai",
            "Ogos",
            "September",
            "Oktober",
            "November",
            "Disember",
        ),
        leg="Pagi ini kita naik kereta api dari {a} ke {b}.",
        stay="Hari ini kita berada di {place}.",
        ends="Percutian ini tamat di {place}.",
        route="Lori bertolak dari {a} ke {b}.",
        first=(
            "Tulis siapa membuat apa",
            "Telefon semua yang ada tugas",
            "Selesaikan perkara yang tertunggak",
            "Bandingkan kemajuan dengan rancangan",
            "Pesan barang yang masih kurang",
            "Cuba langkah yang paling sukar",
            "Kemas tempat kerja dan ambil gambar",
        ),
        second=(
            "catat pada waktu petang apa yang belum siap",
            "hantar pesanan ringkas kepada semua",
            "simpan kertas dalam satu fail",
            "tinggalkan sejam untuk kejutan",
            "tanda dalam kalendar yang sudah siap",
            "berbincang sambil minum teh",
        ),
        sights=(
            "Berjalan kaki di kawasan lama",
            "Naik menara awal pagi",
            "Duduk di taman yang besar",
            "Lihat perahu di pelabuhan",
            "Singgah di pasar tertutup",
            "Lawati taman istana",
            "Naik trem sampai hentian akhir",
        ),
        evenings=(
            "makan mi dekat stesen",
            "tulis poskad di tepi tingkap",
            "dengar muzik di dataran",
            "main kad dan tidur awal",
            "tengok matahari terbenam dari jambatan",
            "rasa kuih tempatan",
        ),
        costs="Kos",
        item="Perkara",
        amount="Amaun",
        items=("Pengangkutan", "Makanan", "Bahan", "Yuran", "Barang kecil", "Wang simpanan"),
        total="Jumlah",
        intro="Rancangan ini disusun langkah demi langkah.",
        numbers=(
            "satu",
            "dua",
            "tiga",
            "empat",
            "lima",
            "enam",
            "tujuh",
            "lapan",
            "sembilan",
            "sepuluh",
            "sebelas",
            "dua belas",
        ),
    ),
)
