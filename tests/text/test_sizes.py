"""Tokens and words in every script. Counts are those of the o200k tokenizer."""

from __future__ import annotations

import pytest

from mcp_web.text.sizes import count_words, estimate_tokens

LIBRARY = {
    "en": (
        "The city library opens at nine o'clock and closes late in the evening. Readers can bor"
        "row ten books at once, and anyone who returns them late pays a small fee for every day.",
        37,
    ),
    "de": (
        "Die Stadtbibliothek öffnet um neun Uhr und schließt erst spät am Abend. Leser können zehn Büche"
        "r auf einmal ausleihen, und wer sie zu spät zurückgibt, zahlt für jeden Tag eine kleine Gebühr.",
        46,
    ),
    "ru": (
        "Городская библиотека открывается в девять часов и закрывается поздно вечером. Читатели могут в"
        "зять десять книг сразу, а тот, кто возвращает их поздно, платит небольшой сбор за каждый день.",
        46,
    ),
    "el": (
        "Η δημοτική βιβλιοθήκη ανοίγει στις εννέα και κλείνει αργά το βράδυ. Οι αναγνώστες μπορούν να δα"
        "νειστούν δέκα βιβλία μαζί, και όποιος τα επιστρέφει αργά πληρώνει ένα μικρό ποσό για κάθε ημέρα.",
        71,
    ),
    "ar": (
        "تفتح مكتبة المدينة في الساعة التاسعة وتغلق في وقت متأخر من المساء. يمكن للقر"
        "اء استعارة عشرة كتب دفعة واحدة، ومن يعيدها متأخرا يدفع رسوما صغيرة عن كل يوم.",
        50,
    ),
    "hi": (
        "शहर का पुस्तकालय सुबह नौ बजे खुलता है और शाम को देर से बंद होता है। पाठक एक बार में दस क"
        "िताबें ले सकते हैं, और जो उन्हें देर से लौटाता है वह हर दिन के लिए एक छोटा शुल्क देता है।",
        52,
    ),
    "th": (
        "ห้องสมุดประจำเมืองเปิดเวลาเก้าโมงเช้าและปิดในช่วงค่ำ ผู้อ่านสามารถยืมหนังสือได้"
        "ครั้งละสิบเล่ม และผู้ที่คืนหนังสือช้าต้องจ่ายค่าธรรมเนียมเล็กน้อยสำหรับแต่ละวัน",
        65,
    ),
    "zh": (
        "市立图书馆早上九点开门，晚上很晚才关门。读者一次可以借十本书，逾期归还的人每天都要支付一小笔费用。",
        43,
    ),
    "ja": (
        "市立図書館は九時に開館し、夜遅くに閉館します。読者は一度に十冊の本を"
        "借りることができ、返却が遅れた人は一日ごとに少額の料金を支払います。",
        63,
    ),
    "ko": (
        "시립 도서관은 아홉 시에 문을 열고 저녁 늦게 문을 닫습니다. 독자는 한 번에 열"
        " 권의 책을 빌릴 수 있으며, 늦게 반납하는 사람은 하루마다 적은 요금을 냅니다.",
        59,
    ),
    "he": (
        "הספרייה העירונית נפתחת בשעה תשע ונסגרת מאוחר בערב. הקוראים יכולים לשאו"
        "ל עשרה ספרים בבת אחת, ומי שמחזיר אותם באיחור משלם סכום קטן עבור כל יום.",
        53,
    ),
    "tr": (
        "Şehir kütüphanesi saat dokuzda açılır ve akşam geç saatte kapanır. Okuyucular aynı anda on"
        " kitap ödünç alabilir ve onları geç geri getiren herkes her gün için küçük bir ücret öder.",
        51,
    ),
}


@pytest.mark.parametrize("language", LIBRARY)
def test_tokens_are_estimated_within_a_third_in_every_script(language: str) -> None:
    text, tokens = LIBRARY[language]
    assert tokens / 1.34 <= estimate_tokens(text) <= tokens * 1.34


@pytest.mark.parametrize("language", ["zh", "ja", "th", "ko", "de", "ru"])
def test_a_text_has_about_as_many_words_in_every_language(language: str) -> None:
    english = count_words(LIBRARY["en"][0])
    assert 0.6 * english <= count_words(LIBRARY[language][0]) <= 1.5 * english


def test_addresses_behind_links_cost_no_words() -> None:
    assert count_words("[a page](https://example.org/" + "x" * 500 + ")") == 2
