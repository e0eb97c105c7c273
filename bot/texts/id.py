"""The bot's texts in Indonesian, for speakers of Malay too."""

# ruff: noqa: E501  # one text on one line is what a translator can compare

from __future__ import annotations

from bot.texts.catalogue import Text

TEXTS = {
    Text.SECONDS: "{seconds} dtk",
    Text.MINUTES: "{minutes} mnt",
    Text.HOURS: "{hours} jam",
    Text.OPEN: "⏳ menunggu",
    Text.PROPOSALS: "💭 menunggu usulan",
    Text.FREE: "⏳ menunggu pelaksana (executor)",
    Text.VOTING: "🗳️ pemungutan suara dibuka",
    Text.EXECUTING: "🔨 sedang dikerjakan",
    Text.ASSEMBLING: "🧩 sedang disatukan",
    Text.DONE: "✅ selesai",
    Text.PARTIAL: "🟡 selesai sebagian",
    Text.FAILED: "❌ gagal",
    Text.CANCELLED: "🚫 dibatalkan",
    Text.WAITS_PROPOSALS: "menunggu usulan",
    Text.WAITS_QUORUM: "menunggu {quorum} persetujuan untuk satu pembagian",
    Text.WAITS_PARTS: "menunggu bagian yang mendahuluinya",
    Text.WAITS_EXECUTOR: "menunggu pelaksana (executor)",
    Text.ENDED_DEADLINE: "batas waktu terlewati",
    Text.ENDED_ALL_FAILED: "semua bagiannya gagal",
    Text.ENDED_WITHOUT: "tanpa yang kurang dari {parts}",
    Text.ENDED_SILENT: "yang mengerjakannya tidak terdengar lagi",
    Text.START: "🗺️ **{goal}**\nIkuti, beri suara, dan baca rencananya di utas di bawah.",
    Text.START_ENDED: "🗺️ **{goal}**\n{state} · rencananya ada di utas di bawah.",
    Text.START_ENDED_EMPTY: "🗺️ **{goal}**\n{state}: {reason}.",
    Text.THREAD_NAME: "🗺️ {goal}",
    Text.LIVE_TITLE: "### 🗺️ {goal}",
    Text.LIVE_BAR: "{bar} {done} dari {total} bagian selesai",
    Text.LIVE_STATE: "**{state}**: {reason}",
    Text.LIVE_WORK: "**{state}**",
    Text.LIVE_ENDED: "**{state}** dalam {took}",
    Text.LIVE_ENDED_REASON: "**{state}** dalam {took}: {reason}",
    Text.LIVE_TIMES: "-# diminta {asked} · paling lambat berakhir {deadline} · {peers}",
    Text.LIVE_PEERS_ONE: "1 rekan lain di sini",
    Text.LIVE_PEERS: "{count} rekan lain di sini",
    Text.LIVE_HIDDEN: "-# … dan {count} bagian lagi, lihat plan.md di akhir",
    Text.LIVE_FOLDED: "({count} bagian di dalamnya)",
    Text.PART_BY: "{state} oleh {who}",
    Text.PART_PERCENT: "{state}, {percent} %, oleh {who}",
    Text.PART_TRY: "percobaan {attempt}",
    Text.SPLIT_TITLE: "### 🗳️ Pembagian {lens}",
    Text.SPLIT_TITLE_OF: "### 🗳️ Pembagian “{title}” {lens}",
    Text.SPLIT_LENS: "menurut {lens}",
    Text.SPLIT_TASK: "Kerjakan sekaligus, tanpa dibagi",
    Text.SPLIT_WHO: "-# diusulkan oleh {who}{rationale}",
    Text.SPLIT_REFINED: "-# versi yang diperbaiki dari pembagian sebelumnya",
    Text.SPLIT_ROUND: "-# dalam pemungutan suara baru: pembagian lain diminta",
    Text.SPLIT_MORE: "-# … dan {count} bagian lagi",
    Text.SPLIT_RATED: "⭐ {score} dari {scorers} · persetujuan: {approvals}, perlu: {quorum}",
    Text.SPLIT_UNRATED: "⭐ belum dinilai · persetujuan: {approvals}, perlu: {quorum}",
    Text.SPLIT_SCORERS_ONE: "1 penilai",
    Text.SPLIT_SCORERS: "{count} penilai",
    Text.SPLIT_PEOPLE: "orang: 👍 {up} 👎 {down}",
    Text.SPLIT_VOTE: "-# Beri suara 👍 atau 👎, dengan reaksi atau tombol; sekali lagi menariknya.",
    Text.SPLIT_VOTE_ADVISORY: "-# Beri suara 👍 atau 👎: suara orang ditampilkan, penilai memutuskan.",
    Text.SPLIT_VOTE_OFF: "-# Penilai yang memutuskan di sini; suara orang dimatikan.",
    Text.SPLIT_VOTE_ROLES: "-# Yang boleh memberi suara di sini: {roles}.",
    Text.SPLIT_WINDOW: "-# Waktu memberi suara: diputuskan paling cepat {when}.",
    Text.SPLIT_WON: "✅ **Diterima**: {reason}.",
    Text.SPLIT_LOST: "▫️ **Tidak dipilih**: {reason}.",
    Text.SPLIT_SET_ASIDE: "🔁 **Dikesampingkan**: {reason}.",
    Text.WON_QUORUM: "yang pertama mendapat {quorum} persetujuan ({votes})",
    Text.WON_WINDOW: "persetujuan terbanyak saat waktu memberi suara habis ({votes})",
    Text.WON_BEST: "tidak ada yang mendapat {quorum} persetujuan pada waktunya; ini dinilai terbaik ({score})",
    Text.WON_TASK: "tidak ada yang mendapat {quorum} persetujuan pada waktunya; dikerjakan sekaligus",
    Text.WON_FAILED: "tidak ada yang mendapat {quorum} persetujuan pada waktunya",
    Text.LOST_OTHER: "yang lain diterima (di sini {votes})",
    Text.LOST_LOW: "dinilai {score}; diminta {least}",
    Text.VOTES: "{scorers} dari penilai, {people} dari orang",
    Text.ASIDE: "yang meminta ingin pembagian lain",
    Text.ASIDE_REASON: "yang meminta ingin pembagian lain: {reason}",
    Text.RESULT: "### {sign} {number} {title}",
    Text.RESULT_MORE: "-# … dipersingkat; lengkapnya datang bersama rencana",
    Text.HELP_TITLE: "⚠️ **Rencana ini menunggu bantuan.**",
    Text.HELP_ROLE: "- Tidak ada **{role}** yang bisa bekerja di sini. Jalankan satu: `swarm peer {role}{swarm}`",
    Text.HELP_TROUBLE: "- {who} tidak bisa bekerja: {trouble}",
    Text.HELP_NOTICE: "- kata {who}: {text}",
    Text.HELP_GOES_ON: "Rencana berlanjut sendiri begitu itu berubah.",
    Text.HELP_OVER: "✅ Semua yang diperlukan sudah ada; rencana berlanjut.",
    Text.HELP_NOTICES: "📣 **Kata para rekan**",
    Text.FALLEN: (
        "🧵 Utas rencana ini dikunci atau dihapus, jadi saya lanjutkan di sini, yang terpenting saja. "
        "Yang mengelola utas dapat membukanya."
    ),
    Text.END_DONE: "✅ **Rencana siap.**",
    Text.END_PARTIAL: "🟡 **Rencana siap sejauh yang tercapai**: {reason}.",
    Text.END_FAILED: "❌ **Tidak ada rencana**: {reason}.",
    Text.END_CANCELLED: "🚫 **Rencana dibatalkan**: {reason}. Yang sudah selesai ada di bawah.",
    Text.END_CANCELLED_EMPTY: "🚫 **Rencana dibatalkan**: {reason}.",
    Text.END_DRAFT: "*Draf ini ditulis model kecil: periksa sebelum Anda mengandalkannya.*",
    Text.END_MORE: "-# Selebihnya ada di plan.md terlampir.",
    Text.LOST: "Kawanan telah melupakan rencana ini: tidak ada lagi yang mengingatnya.",
    Text.NO_DMS: "Mintalah di server: pemilik bot ini tidak membuka pesan langsung.",
    Text.ASK_IN_CHANNEL: "Mintalah di kanal: tiap rencana punya utas sendiri, dan utas tak punya utas.",
    Text.SWARM_DOWN: (
        "Sambungan bot ke kawanan putus: {reason}. Akan tersambung lagi sendiri; minta lagi dalam "
        "satu menit."
    ),
    Text.SWARM_STARTING: "Bot sedang bergabung dengan kawanan. Minta lagi dalam beberapa detik.",
    Text.MISSING_PERMISSIONS: (
        "Saya tidak bisa melakukannya di sini. Izin yang kurang: {permissions}. Pengelola server dapat "
        "mengizinkannya di pengaturan kanal, di bawah Permissions."
    ),
    Text.TOO_SOON: "⏱️ Satu per satu ya: Anda bisa meminta lagi {when}.",
    Text.TOO_MANY_YOURS: (
        "⏱️ {count} rencana Anda sedang berjalan, sebanyak yang boleh per orang. Anda bisa meminta lagi "
        "setelah salah satunya berakhir, paling lambat {when}."
    ),
    Text.TOO_MANY_HERE: (
        "⏱️ {count} rencana sedang berjalan di sini, sebanyak yang boleh di server ini. Minta lagi "
        "setelah salah satunya berakhir, paling lambat {when}."
    ),
    Text.TOO_MANY_TODAY: "⏱️ Anda meminta {count} rencana dalam sehari. Anda bisa meminta lagi {when}.",
    Text.GOAL_EMPTY: "Katakan apa yang direncanakan: sebut saya dengan satu kalimat, atau pakai `/{plan}`.",
    Text.GOAL_REFUSED: "Itu tidak bisa direncanakan: {reason}",
    Text.MODAL_TITLE: "Apa yang akan direncanakan?",
    Text.MODAL_GOAL: "Tujuannya, sepanjang yang Anda mau",
    Text.MODAL_HINT: "Untuk siapa, kapan, anggaran berapa, apa yang terpenting …",
    Text.NO_PLAN_HERE: "Tidak ada rencana di sini. Jalankan di utas rencana, atau sebut rencananya.",
    Text.UNKNOWN_PLAN: "Saya tidak mengenal rencana “{plan}” di sini. `/status` menampilkan daftarnya.",
    Text.STATUS_NONE: "Belum ada yang meminta rencana di sini. Mulai dengan `/rencana`.",
    Text.STATUS_TITLE: "**Rencana di sini, yang terbaru dulu**",
    Text.STATUS_LINE: "- {state} · {goal} · {where} · `{id}`",
    Text.STATUS_UNKNOWN: "❔ tidak dikenal kawanan",
    Text.STATUS_NO_THREAD: "belum ada utas",
    Text.WRITER_TROUBLE: "⚠️ Saya sedang tidak bisa menulis di utasnya. {reason}",
    Text.CHAT_LACKS: "Di sana saya tidak punya {permissions}: pengelola server dapat mengizinkannya.",
    Text.CANCELLED_NOW: "Rencana dibatalkan. Yang sudah selesai tetap di utasnya.",
    Text.PLAN_OVER: "Rencana ini sudah berakhir: {state}.",
    Text.NOT_YOURS: "Hanya yang meminta rencana, atau yang boleh mengelola pesan di sini.",
    Text.CANCEL_SURE: "Hentikan rencana ini? Yang sudah selesai tetap disimpan.",
    Text.CANCEL_REASON: "dibatalkan oleh yang meminta",
    Text.CANCEL_REASON_MODERATOR: "dibatalkan oleh moderator",
    Text.REPLANNED: "🔁 Pembagian lain untuk “{part}” diminta; suara dipungut lagi di utas.",
    Text.REPLAN_UNDECIDED: "“{part}” belum diputuskan: beri suara untuk pembagian yang ada sekarang.",
    Text.REPLAN_SETTLED: "“{part}” sudah selesai; yang selesai tetap.",
    Text.REPLAN_NO_VOTE: "“{part}” adalah tugas yang tidak dibagi.",
    Text.REPLAN_USED_UP: "Suara untuk “{part}” sudah dipungut ulang {count} kali, itu batasnya.",
    Text.REPLAN_TITLE: "Pembagian lain",
    Text.REPLAN_WISH: "Apa yang harus berbeda? (boleh kosong)",
    Text.VOTE_COUNTED: "Suara Anda dihitung: {sign}. Tekan lagi untuk menariknya.",
    Text.VOTE_TAKEN_BACK: "Suara Anda ditarik.",
    Text.VOTE_BY_REACTION: "Suara Anda {sign} sudah dihitung lewat reaksi: hapus reaksi untuk menariknya.",
    Text.VOTE_OVER: "Pemungutan suara ini sudah selesai.",
    Text.VOTE_ADVISORY: "Suara ditampilkan; penilai memutuskan.",
    Text.VOTE_NOT_ALLOWED: "Yang boleh memberi suara di sini: {roles}.",
    Text.VOTE_LATER: "Saya belum mengenal pesan ini. Coba lagi dalam beberapa detik.",
    Text.OLD_BUTTON: "Tombol ini dari versi lama saya. Perintah melakukan hal yang sama: `/bantuan`.",
    Text.CRITIQUES: "**Kata para penilai**",
    Text.CRITIQUE: "- ⭐ {score} **{who}**{approves}: {critique}",
    Text.CRITIQUE_NONE: "tanpa catatan",
    Text.CRITIQUE_APPROVES: " ✅",
    Text.CRITIQUES_NONE: "Belum ada penilai yang menilai pembagian ini.",
    Text.PEERS_TITLE: "**Rekan kawanan “{swarm}”**",
    Text.PEERS_NONE: "Tidak ada rekan lain. Jalankan: `swarm up` di mesin dekat bot.",
    Text.PEERS_LINE: "- **{name}** · {role}{model}{load}{foreign}{trouble}",
    Text.PEERS_ME: "- **{name}** · bot ini",
    Text.PEERS_MODEL: " · {model}",
    Text.PEERS_LOAD: " · {load} sedang dikerjakan",
    Text.PEERS_TROUBLE: " · ⚠️ {trouble}",
    Text.PEERS_FOREIGN: " · 🚷 tidak diberi peran oleh pemilik kawanan, tidak dihitung",
    Text.PEERS_DOWN: "⚠️ Sambungan bot ke kawanan putus: {reason}",
    Text.PEERS_RESTARTS: "-# Sambungan ke kawanan dimulai ulang {count} kali; terakhir: {reason}",
    Text.WHY_NO_PART: "Tidak ada bagian “{part}”. Nomornya seperti di pohon, misalnya 2 atau 2.1.",
    Text.PICTURE: "🖼️ Pohonnya saat ini.",
    Text.PICTURE_ALT: "Pohon rencana: {done} dari {total} bagian selesai.",
    Text.PICTURE_FAILED: "Gambar tidak dapat dibuat. `/ekspor` memuat pohonnya sebagai teks.",
    Text.EXPORTED: "📦 Rencana sebagai Markdown, JSON untuk program, dan gambar.",
    Text.FAULT: (
        "Ada yang salah di dalam bot dan sudah dicatat di log-nya. Coba lagi; bila tetap begitu, beri "
        "tahu yang menjalankan bot."
    ),
    Text.HELP: (
        "**Saya menyusun rencana bersama kawanan model bahasa tanpa pemimpin.**\n"
        "- `/rencana` dan tujuan, atau sebut saya dengan tujuan: saya membuka utas. Beberapa model "
        "mengusulkan cara membaginya, yang lain menilai, dan **Anda memberi suara dengan 👍 dan 👎**. "
        "Pemenangnya dikerjakan, dan rencananya tiba di utas sebagai pesan, berkas, dan gambar.\n"
        "- `/rencana` tanpa tujuan membuka formulir untuk tujuan panjang. Pilihan: seberapa dalam, "
        "seberapa teliti pemungutan suaranya, sampai kapan.\n"
        "- `/status`: rencana di sini, atau di utas keadaan rencananya.\n"
        "- `/mengapa`: siapa mengusulkan, memberi suara, mengerjakan. `/gambar`: pohonnya. `/ekspor`: "
        "berkas.\n"
        "- `/ulang`: pembagian lain untuk satu bagian, suara dipungut lagi. `/batal`: berhenti; yang "
        "selesai disimpan.\n"
        "- `/rekan`: siapa yang ikut sekarang. `/privasi`: apa yang disimpan tentang Anda.\n"
        "-# Suara meninggalkan server ini hanya sebagai hash berkunci. Model bisa salah: periksa."
    ),
    Text.PRIVACY: (
        "**Apa yang disimpan tentang Anda**\n"
        "- *Teks tujuan Anda* sampai ke setiap rekan kawanan dan modelnya. Jangan tulis rahasia. Teks "
        "itu dilupakan sekitar 7 hari setelah rencana berakhir.\n"
        "- *Siapa Anda* keluar dari bot ini hanya sebagai hash berkunci, berbeda di tiap server: rekan "
        "tidak tahu suara atau tujuan milik siapa. Nama dan id Anda tidak ada di catatan mana pun.\n"
        "- *Jurnal bot* menyimpan pesan mana milik rencana mana, hash yang meminta, dan suara lewat "
        "tombol sebagai hash. Tidak ada pesan Anda yang disimpan atau dicatat di log.\n"
        "- `/lupakan` menarik suara Anda di rencana yang berjalan dan menghapus hash Anda dari jurnal. "
        "Yang sudah ditandatangani dan diteruskan tidak bisa ditarik; itu pergi bersama rencananya."
    ),
    Text.FORGOTTEN: (
        "Selesai: {votes} suara ditarik, {goals} rencana tidak lagi terkait dengan Anda. Rencana yang "
        "berjalan dilanjutkan; kini hanya pengelola pesan yang dapat membatalkannya."
    ),
    Text.BUTTON_FOR: "Setuju",
    Text.BUTTON_AGAINST: "Tidak setuju",
    Text.BUTTON_WHY: "Mengapa",
    Text.BUTTON_SAID: "Kata penilai",
    Text.BUTTON_PICTURE: "Gambar",
    Text.BUTTON_EXPORT: "Berkas",
    Text.BUTTON_REPLAN: "Pembagian lain",
    Text.BUTTON_CANCEL: "Hentikan",
    Text.BUTTON_SURE: "Ya, hentikan",
    Text.NAME_PLAN: "rencana",
    Text.NAME_STATUS: "status",
    Text.NAME_WHY: "mengapa",
    Text.NAME_PICTURE: "gambar",
    Text.NAME_EXPORT: "ekspor",
    Text.NAME_REPLAN: "ulang",
    Text.NAME_CANCEL: "batal",
    Text.NAME_PEERS: "rekan",
    Text.NAME_HELP: "bantuan",
    Text.NAME_PRIVACY: "privasi",
    Text.NAME_FORGET: "lupakan",
    Text.CMD_PLAN: "Minta rencana kepada kawanan",
    Text.CMD_PLAN_GOAL: "Apa yang direncanakan? Kosongkan untuk formulir yang lebih lega",
    Text.CMD_PLAN_DEPTH: "Berapa kali bagian boleh dibagi lagi",
    Text.CMD_PLAN_CARE: "Seberapa teliti pemungutan suaranya",
    Text.CMD_PLAN_DEADLINE: "Paling lambat kapan berakhir, dengan yang ada",
    Text.CMD_PLAN_LANGUAGE: "Bahasa jawabannya; kalau tidak, bahasa tujuannya",
    Text.CMD_STATUS: "Keadaan rencana di sini",
    Text.CMD_CANCEL: "Hentikan rencana",
    Text.CMD_WHICH: "Id rencana dari daftar status; tidak perlu di utasnya",
    Text.CMD_PEERS: "Siapa yang ikut dalam kawanan sekarang",
    Text.CMD_WHY: "Siapa mengusulkan, memberi suara, dan mengerjakan apa",
    Text.CMD_PART: "Nomor bagian di pohon, misalnya 2 atau 2.1",
    Text.CMD_PICTURE: "Gambar pohon rencana",
    Text.CMD_PICTURE_DARK: "Untuk layar gelap",
    Text.CMD_EXPORT: "Rencana sebagai Markdown, JSON, dan gambar",
    Text.CMD_REPLAN: "Minta pembagian lain untuk satu bagian, suara dipungut lagi",
    Text.CMD_REPLAN_REASON: "Apa yang harus berbeda",
    Text.CMD_HELP: "Apa yang dilakukan bot ini",
    Text.CMD_PRIVACY: "Apa yang disimpan tentang Anda, di mana, berapa lama",
    Text.CMD_FORGET: "Tarik suara Anda dan hapus yang disimpan tentang Anda",
    Text.CARE_QUICK: "cepat: penilai langsung memutuskan",
    Text.CARE_NORMAL: "biasa: ada waktu memberi suara",
    Text.CARE_CAREFUL: "teliti: lebih lama, lebih banyak persetujuan",
}
"""What each text is in Indonesian."""
