"""One page in many languages: the same parts stay and go, whatever script the words are in."""

from __future__ import annotations

import pytest

from mcp_web.extract.html.engine import read_html
from mcp_web.extract.options import ExtractOptions
from mcp_web.model.page import Document, ExtractRequest, Fetched

# Language: direction, title, sentences of the text, links around it.
PAGES: dict[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        "ltr",
        "The old bridge is rebuilt",
        (
            "The council agreed on Tuesday to rebuild the old bridge over the river, after a debate of three hours.",
            "Engineers had warned for years that the western pillar, built in 1911, was losing its hold.",
            "Work begins in September, and until it ends a ferry crosses every ten minutes.",
        ),
        ("World", "Sport", "Culture", "Weather"),
    ),
    "de": (
        "ltr",
        "Die alte Brücke wird neu gebaut",
        (
            "Der Stadtrat beschloss am Dienstag nach drei Stunden Debatte, die alte Brücke über den Fluss zu bauen.",
            "Ingenieure hatten seit Jahren gewarnt, dass der westliche Pfeiler von 1911 seinen Halt verliert.",
            "Die Arbeiten beginnen im September, und bis zu ihrem Ende fährt alle zehn Minuten eine Fähre.",
        ),
        ("Welt", "Sport", "Kultur", "Wetter"),
    ),
    "ru": (
        "ltr",
        "Старый мост построят заново",
        (
            "Во вторник после трёхчасовых прений городской совет решил заново построить старый мост через реку.",
            "Инженеры годами предупреждали, что западная опора, построенная в 1911 году, теряет устойчивость.",
            "Работы начнутся в сентябре, а до их окончания каждые десять минут будет ходить паром.",
        ),
        ("Мир", "Спорт", "Культура", "Погода"),
    ),
    "zh": (
        "ltr",
        "老桥将重建",
        (
            "经过三个小时的辩论，市议会周二决定重建河上的老桥，并要求在年底前公布全部费用。",
            "工程师多年来一直警告说，建于一九一一年的西侧桥墩正在失去支撑，每年都在下沉。",
            "工程将于九月开始，在完工之前，渡船每十分钟开行一班，乘客不需要另外买票。",
        ),
        ("国际", "体育", "文化", "天气"),
    ),
    "ja": (
        "ltr",
        "古い橋が架け替えられる",
        (
            "市議会は火曜日、三時間にわたる議論の末、川にかかる古い橋を架け替えることを決めました。",
            "技術者たちは、一九一一年に造られた西側の橋脚が支えを失いつつあると、長年警告してきました。",
            "工事は九月に始まり、終わるまでの間は、十分ごとに渡し船が運航されることになっています。",
        ),
        ("国際", "スポーツ", "文化", "天気"),
    ),
    "ar": (
        "rtl",
        "إعادة بناء الجسر القديم",
        (
            "قرر مجلس المدينة يوم الثلاثاء، بعد نقاش دام ثلاث ساعات، إعادة بناء الجسر القديم فوق النهر.",
            "وكان المهندسون قد حذروا منذ سنوات من أن الدعامة الغربية التي بنيت عام 1911 تفقد ثباتها.",
            "يبدأ العمل في سبتمبر، وحتى انتهائه تعبر عبارة النهر كل عشر دقائق من الصباح إلى المساء.",
        ),
        ("العالم", "الرياضة", "الثقافة", "الطقس"),
    ),
    "he": (
        "rtl",
        "הגשר הישן ייבנה מחדש",
        (
            "מועצת העיר החליטה ביום שלישי, לאחר דיון של שלוש שעות, לבנות מחדש את הגשר הישן מעל הנהר.",
            "מהנדסים הזהירו במשך שנים כי העמוד המערבי, שנבנה בשנת 1911, מאבד את אחיזתו בקרקע.",
            "העבודות יתחילו בספטמבר, ועד לסיומן תחצה מעבורת את הנהר כל עשר דקות מהבוקר עד הערב.",
        ),
        ("עולם", "ספורט", "תרבות", "מזג אוויר"),
    ),
    "th": (
        "ltr",
        "สะพานเก่าจะถูกสร้างใหม่",
        (
            "สภาเมืองมีมติเมื่อวันอังคารหลังการอภิปรายนานสามชั่วโมงให้สร้างสะพานเก่าข้ามแม่น้ำขึ้นใหม่ทั้งหมด",
            "วิศวกรเตือนมาหลายปีแล้วว่าเสาด้านตะวันตกซึ่งสร้างในปี 1911 กำลังทรุดตัวลงทุกปีและต้องซ่อมแซม",
            "งานก่อสร้างจะเริ่มในเดือนกันยายน และระหว่างนั้นจะมีเรือข้ามฟากทุกสิบนาทีตั้งแต่เช้าจนถึงค่ำ",
        ),
        ("โลก", "กีฬา", "วัฒนธรรม", "อากาศ"),
    ),
}  # fmt: skip


def page_in(language: str) -> str:
    direction, title, sentences, links = PAGES[language]
    text = "".join(f"<p>{sentence}</p>" for sentence in (*sentences, *reversed(sentences)))
    menu = "".join(f'<li><a href="/{at}">{name}</a></li>' for at, name in enumerate(links))
    teasers = "".join(f'<li><a href="/t{at}"><h4>{name}: {title}</h4></a></li>' for at, name in enumerate(links))
    return f"""<!doctype html><html lang="{language}" dir="{direction}"><head><meta charset="utf-8">
        <title>{title}</title></head><body><div class="top"><ul class="menu">{menu}</ul></div><div class="page">
        <div class="article-body"><h1>{title}</h1>{text}</div><div class="sidebar"><ul>{teasers}</ul></div></div>
        <div class="footer"><ul>{menu}</ul></div></body></html>"""


def read(html: str) -> Document:
    url = "https://news.example.org/2026/a"
    page = Fetched(url, url, 200, (), html.encode(), "text/html", None, 0.0)
    return read_html(page, ExtractRequest(), ExtractOptions())


@pytest.mark.parametrize("language", PAGES)
def test_text_of_every_language_is_kept_and_what_stands_around_it_goes(language: str) -> None:
    _, title, sentences, links = PAGES[language]
    document = read(page_in(language))
    assert document.title == title
    assert all(document.markdown.count(sentence) == 2 for sentence in sentences)
    assert not any(f"[{link}" in document.markdown for link in links)


def test_reading_aids_of_ruby_text_stand_in_brackets_behind_it() -> None:
    sentence = "<ruby>市議会<rp>(</rp><rt>しぎかい</rt><rp>)</rp></ruby>は橋を架け替えることを決めました。"
    html = page_in("ja").replace("<p>", f"<p>{sentence}", 1)
    assert "市議会(しぎかい)は橋を" in read(html).markdown.replace("（", "(").replace("）", ")")


def _structure(language: str, words: tuple[str, ...]) -> str:
    title, sentence, name, first, second = words
    return (
        f"<!doctype html><html lang={language} dir=rtl><meta charset=utf-8><title>{title}</title><body>"
        f"<main><h1>{title}</h1><p>{sentence} <b>{name}</b> <bdo dir=ltr>H2O</bdo> <bdi>ISO</bdi> "
        f"<a href=/a>{first}</a>.</p><p>{sentence}</p><p>{sentence}</p><ol><li>{first}</li><li>{second}</li></ol>"
        f"<table><tr><th>{first}</th><th>{name}</th></tr><tr><td>12</td><td>{second}</td></tr></table></main>"
    )


# Title, sentence, and three words of its subject.
RIGHT_TO_LEFT = {
    "ar": (
        "الماء في المدينة",
        "تصل المياه إلى المدينة عبر قناة قديمة، طولها أربعون كيلومترا، بنيت قبل ألف عام.",
        "قناة",
        "النبع",
        "السد",
    ),
    "he": (
        "המים בעיר",
        "המים מגיעים אל העיר בתעלה עתיקה, שאורכה ארבעים קילומטרים, ונבנתה לפני אלף שנים.",
        "תעלה",
        "מעיין",
        "סכר",
    ),
}


@pytest.mark.parametrize("language", RIGHT_TO_LEFT)
def test_right_to_left_page_keeps_its_words_in_reading_order(language: str) -> None:
    title, sentence, name, first, second = words = RIGHT_TO_LEFT[language]
    assert read(_structure(language, words)).markdown.split("\n\n") == [
        f"# {title}",
        f"{sentence} **{name}** H2O ISO [{first}](https://news.example.org/a).",
        sentence,
        sentence,
        f"1. {first}\n2. {second}",
        f"| {first} | {name} |\n| --- | --- |\n| 12 | {second} |",
    ]
