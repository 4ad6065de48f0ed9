"""Answers as providers really vary them, written for these tests: fields that come and go, other kinds, odd links.

Each entry: provider, category, the body, and what must come of it as (title, url, snippet, published, source).
"""

from __future__ import annotations

from typing import Any

Row = tuple[str, str, str, str | None, str | None]

BRAVE_WEB = {
    "type": "search",
    "query": {"original": "bowlyne knot", "altered": "bowline knot", "more_results_available": True},
    "mixed": {"type": "mixed", "main": [{"type": "web", "index": 1}, {"type": "videos", "all": True}], "side": []},
    "infobox": {"type": "graph", "results": [{"title": "Bowline", "long_desc": "A knot that makes a fixed loop."}]},
    "videos": {"results": [{"title": "Not asked for", "url": "https://video.example/1"}]},
    "summarizer": {"type": "summarizer", "key": '{"query":"bowline"}'},
    "rich": {"type": "rich", "hint": {"vertical": "definitions", "callback_key": "86d06abffc884e9e"}},
    "web": {
        "type": "search",
        "family_friendly": True,
        "results": [
            {
                "title": "The <strong>Bowline</strong> &#8211; king of knots",
                "url": "https://knots.example/bowline?utm_source=brave&id=7",
                "description": "Tie it &quot;one-handed&quot;&hellip;",
                "page_age": "2026-03-04T05:06:07",
                "age": "March 4, 2026",
                "profile": {"name": "Knots Daily", "url": "https://knots.example"},
                "thumbnail": {"src": "https://imgs.example/p", "original": "//knots.example/b.png?w=1&amp;h=2"},
                "extra_snippets": None,
            },
            {"title": "The same", "url": "http://www.knots.example/bowline/?id=7&fbclid=x", "description": "Again"},
            {
                "title": None,
                "url": "https://empty.example/a",
                "description": None,
                "age": "vor 2 Tagen",
                "profile": None,
            },
            {"title": "No address", "description": "lost"},
            {"title": "Script", "url": "javascript:alert(1)"},
            {"title": "Empty", "url": " "},
            "not an object",
        ],
    },
}
BRAVE_NEWS = {
    "type": "news",
    "query": {"original": "q"},
    "results": [
        {
            "title": "Rope recalled",
            "url": "https://news.example/rope",
            "description": "A maker &amp; its ropes",
            "age": "3 hours ago",
            "page_age": "not a date",
            "breaking": True,
            "meta_url": {"hostname": "news.example"},
            "source": "The Harbour",
            "thumbnail": None,
        }
    ],
}
BRAVE_VIDEOS = {
    "type": "videos",
    "query": {},
    "results": [
        {
            "title": "Ten knots",
            "url": "https://tube.example/watch?v=k1",
            "description": "From the harbour",
            "page_age": "2025-12-24T18:00:00",
            "video": {
                "duration": "12:03",
                "views": 1200,
                "creator": "Rope Lab",
                "thumbnail": {"src": "https://t.example/1"},
            },
            "thumbnail": {},
        }
    ],
}
BRAVE_BESIDE = {
    "query": {"original": "q"},
    "web": None,
    "discussions": {
        "results": [
            {
                "title": "Which knot?",
                "url": "https://forum.example/t/1",
                "data": {"forum_name": "Sailing Forum", "num_answers": 3, "top_comment": "Use a bowline."},
            }
        ]
    },
    "faq": {"results": [{"question": "Is it safe?", "answer": "It is.", "title": "", "url": "https://faq.example/1"}]},
    "locations": {"results": [{"id": "1520066f", "title": "Rope shop", "url": "https://shop.example/"}]},
}
GOOGLE_WEB = {
    "kind": "customsearch#search",
    "queries": {"request": [{}], "nextPage": [{"startIndex": 11}]},
    "searchInformation": {"totalResults": "48200", "searchTime": 0.21},
    "promotions": [{"title": "Buy rope", "link": "https://ad.example/"}],
    "items": [
        {
            "title": "Bowline &amp; friends",
            "link": "https://a.example/b",
            "snippet": "Oct 2, 2026 ... Tie\u00a0it \nwith care.",
            "pagemap": {"metatags": [{"og:site_name": "A Site"}], "cse_image": [{"src": "https://a.example/i.jpg"}]},
        },
        {
            "title": "News",
            "link": "https://b.example/",
            "snippet": "vor 3 Tagen \u2014 Neues",
            "pagemap": {"newsarticle": [{"datepublished": "2026-09-08T07:00:00Z"}], "metatags": {"wrong": "kind"}},
        },
        {"title": "A file", "link": "https://c.example/k.pdf", "mime": "application/pdf", "fileFormat": "PDF"},
    ],
}
GOOGLE_IMAGES = {
    "items": [
        {
            "title": "A knot",
            "link": "https://p.example/knot.jpg",
            "snippet": "a knot",
            "image": {"contextLink": "https://p.example/page", "thumbnailLink": "https://tbn.example/k", "width": 4},
        },
        {"title": "Bare", "link": "https://p.example/bare.jpg", "image": None},
    ]
}
SEARXNG_KINDS = {
    "query": "q",
    "number_of_results": 1e400,
    "answers": ["6.28", {"answer": "2 \u03c0", "template": "answer/legacy.html", "engine": "calculator"}],
    "corrections": ["bowline"],
    "suggestions": [],
    "infoboxes": [
        {"infobox": "Bowline", "content": "", "attributes": [{"label": "Kind", "value": "loop"}, {"label": "Image"}]},
        {"infobox": "Empty", "content": None},
    ],
    "unresponsive_engines": [["google", "timeout"], ["bing", "CAPTCHA", True], "qwant", ["yahoo"], None, []],
    "results": [
        {"template": "images.html", "title": "Img", "url": "https://i.example/p", "img_src": "//i.example/f.jpg",
         "resolution": "800 x 600", "source": "i.example", "engine": "pics", "engines": ["pics"], "score": 9.0},
        {"template": "videos.html", "title": "Vid", "url": "https://v.example/", "content": "c", "length": "3:20",
         "author": "Ann", "publishedDate": "2026-01-02T00:00:00", "engine": "tube", "score": 8},
        {"template": "map.html", "title": "Harbour", "url": "https://osm.example/1", "latitude": 53.5, "score": 7,
         "address": {"road": "Pier 4", "locality": "Hamburg", "postcode": None}, "engine": "osm"},
        {"template": "torrent.html", "title": "ISO", "url": "https://t.example/1", "magnetlink": "magnet:?x",
         "seed": 10, "leech": 0, "filesize": "1.2 GB", "engine": "tor", "score": 6},
        {"template": "file.html", "title": "", "filename": "sea.ogg", "url": "https://f.example/s", "abstract": "Waves",
         "size": "3 MB", "author": "Bo", "engine": "commons", "score": 5},
        {"template": "packages.html", "title": "ropes", "package_name": "ropes", "version": "1.2", "maintainer": "Cy",
         "license_name": "MIT", "publishedDate": "2026-05-05 00:00:00+00:00", "url": "https://pkg.example/ropes",
         "content": None, "engine": "pypi", "score": 4},
        {"template": "paper.html", "title": "On knots", "url": "https://arxiv.example/1", "content": "We tie.",
         "authors": ["D. One", "E. Two"], "journal": "Knots", "doi": "10.1/x", "publishedDate": None,
         "date_of_publication": "2025-03-04T00:00:00", "engine": "arxiv", "score": 3},
        {"template": "code.html", "title": "tie.py", "url": "https://code.example/r", "codelines": [[1, "import rope"]],
         "repository": "https://code.example/r.git", "engine": "forge", "score": 2},
        {"template": "keyvalue.html", "title": "kv", "url": None, "kvmap": {"strength": 9, "unit": "kN", "x": None},
         "engine": "local"},
        {"title": "No engine", "url": "https://n.example/", "content": "y", "publishedDate": 1794724438,
         "engines": [None], "score": None},
        {"title": "No page", "url": "", "content": "y"},
        None,
    ],
}  # fmt: skip
SEARXNG_OLD = {
    "query": "q",
    "number_of_results": 1234.0,
    "results": [
        {"title": "Old &amp; gold", "url": "https://old.example/", "content": "It <b>holds</b>", "engine": "ddg",
         "pubdate": "2026-01-02 03:04:05", "publishedDate": None, "positions": [1], "pretty_url": "old.example"},
    ],
    "answers": ["A plain answer"], "corrections": [], "infoboxes": [], "suggestions": ["knots"],
    "unresponsive_engines": [["google", "unexpected crash"]],
}  # fmt: skip
TAVILY = {
    "query": "q",
    "answer": "A bowline.",
    "follow_up_questions": None,
    "images": [{"url": "https://i.example/1", "description": "x"}],
    "results": [
        {"title": "T", "url": "https://t.example/", "content": "First.\n\n# Second ... ...", "score": 0.9,
         "raw_content": None, "published_date": "Tue, 10 Nov 2026 08:00:00 GMT", "favicon": "https://t.example/f.ico"},
        {"title": "", "url": "https://u.example/x", "content": None},
    ],
    "response_time": "1.2",
    "request_id": "r-1",
}  # fmt: skip
EXA = {
    "requestId": "r-2",
    "resolvedSearchType": "neural",
    "results": [
        {"id": "https://e.example/", "url": "https://e.example/", "title": None,
         "publishedDate": "2026-02-03T00:00:00.000Z", "author": "", "highlights": [],
         "highlightScores": [], "summary": "A summary", "image": None, "score": None},
        {"url": "https://f.example/", "title": "Two", "highlights": ["", "They hold\nwell."], "text": "long",
         "author": "Jo"},
        {"url": "https://g.example/", "title": "Three", "text": "Only text", "publishedDate": "2026-02-03",
         "subpages": [{"url": "https://g.example/s"}], "extras": {"links": []}},
    ],
    "costDollars": {"total": 0.005},
}  # fmt: skip
SERPER_WEB = {
    "searchParameters": {"q": "q", "type": "search"},
    "answerBox": {"title": "Bowline", "snippet": "A loop knot.", "snippetHighlighted": ["loop"], "link": "https://a.example"},
    "knowledgeGraph": {"title": "Bowline", "type": "Knot", "description": "King of knots.",
                       "attributes": {"Kind": "loop"}},
    "organic": [
        {"title": "One", "link": "https://o.example/1", "snippet": "s", "date": "hace 2 d\u00edas", "position": 1,
         "sitelinks": [{"title": "Sub", "link": "https://o.example/s"}], "rating": 4.5},
        {"title": "Two", "link": "https://o.example/2", "snippet": None, "attributes": {"Missing": "rope"}},
        {"title": "Inside", "link": "/search?q=x"},
    ],
    "peopleAlsoAsk": [{"question": "Why?", "link": "https://w.example"}],
    "relatedSearches": [{"query": "sheet bend"}],
    "credits": 1,
}  # fmt: skip
SERPER_SCHOLAR = {
    "organic": [
        {"title": "Knots in theory", "link": "https://s.example/", "publicationInfo": "F Three - 2017 - knots.example",
         "snippet": "We show", "year": 2017, "citedBy": 9, "pdfUrl": "https://s.example/k.pdf"},
        {"title": "[BOOK] Ropes", "publicationInfo": "G Four - 1990", "pdfUrl": "https://r.example/b.pdf"},
        {"title": "[CITATION] Lost"},
    ]
}  # fmt: skip
SERPER_NEWS = {
    "news": [
        {"title": "N", "link": "https://n.example/1", "snippet": "s", "date": "\u0432\u0447\u0435\u0440\u0430",
         "source": "Paper", "imageUrl": "data:image/jpeg;base64,xx"},
    ]
}  # fmt: skip
SERPER_IMAGES = {
    "images": [{"title": "I", "imageUrl": "https://i.example/f.jpg", "thumbnailUrl": "https://enc.example/t",
                "source": "Site", "domain": "i.example", "link": "https://i.example/p", "googleUrl": "https://www.google.com/imgres"}]
}  # fmt: skip

ANSWERS: list[tuple[str, str, dict[str, Any], list[Row]]] = [
    ("brave", "general", BRAVE_WEB, [
        ("The Bowline \u2013 king of knots", "https://knots.example/bowline?utm_source=brave&id=7",
         'Tie it "one-handed" \u2026', "2026-03-04T05:06:07+00:00", "Knots Daily"),
        ("empty.example", "https://empty.example/a", "", "2 days", None),
    ]),
    ("brave", "news", BRAVE_NEWS, [
        ("Rope recalled", "https://news.example/rope", "A maker & its ropes", "3 hours", "The Harbour")]),
    ("brave", "videos", BRAVE_VIDEOS, [
        ("Ten knots", "https://tube.example/watch?v=k1", "From the harbour", "2025-12-24T18:00:00+00:00", "Rope Lab")]),
    ("brave", "general", BRAVE_BESIDE, [
        ("Which knot?", "https://forum.example/t/1", "Use a bowline.", None, "Sailing Forum"),
        ("Is it safe?", "https://faq.example/1", "It is.", None, None),
        ("Rope shop", "https://shop.example/", "", None, None),
    ]),
    ("google", "general", GOOGLE_WEB, [
        ("Bowline & friends", "https://a.example/b", "Tie it with care.", "2026-10-02", "A Site"),
        ("News", "https://b.example/", "Neues", "2026-09-08T07:00:00+00:00", None),
        ("A file", "https://c.example/k.pdf", "", None, None),
    ]),
    ("google", "images", GOOGLE_IMAGES, [
        ("A knot", "https://p.example/page", "a knot", None, None),
        ("Bare", "https://p.example/bare.jpg", "", None, None),
    ]),
    ("searxng", "general", SEARXNG_KINDS, [
        ("Img", "https://i.example/p", "resolution: 800 x 600", None, "i.example"),
        ("Vid", "https://v.example/", "c", "2026-01-02T00:00:00+00:00", "Ann"),
        ("Harbour", "https://osm.example/1", "Pier 4, Hamburg", None, None),
        ("ISO", "https://t.example/1", "filesize: 1.2 GB, seed: 10, leech: 0", None, None),
        ("sea.ogg", "https://f.example/s", "Waves, size: 3 MB", None, "Bo"),
        ("ropes", "https://pkg.example/ropes", "version: 1.2, license name: MIT", "2026-05-05T00:00:00+00:00", "Cy"),
        ("On knots", "https://arxiv.example/1", "We tie.", "2025-03-04T00:00:00+00:00", "D. One, E. Two"),
        ("tie.py", "https://code.example/r", "import rope", None, None),
        ("No engine", "https://n.example/", "y", "2026-11-15T06:33:58+00:00", None),
    ]),
    ("searxng", "general", SEARXNG_OLD, [
        ("Old & gold", "https://old.example/", "It holds", "2026-01-02T03:04:05+00:00", None)]),
    ("tavily", "general", TAVILY, [
        ("T", "https://t.example/", "First. # Second \u2026", "2026-11-10T08:00:00+00:00", None),
        ("u.example", "https://u.example/x", "", None, None),
    ]),
    ("exa", "general", EXA, [
        ("e.example", "https://e.example/", "A summary", "2026-02-03T00:00:00+00:00", None),
        ("Two", "https://f.example/", "They hold well.", None, "Jo"),
        ("Three", "https://g.example/", "Only text", "2026-02-03", None),
    ]),
    ("serper", "general", SERPER_WEB, [
        ("One", "https://o.example/1", "s", "2 days", None),
        ("Two", "https://o.example/2", "", None, None),
    ]),
    ("serper", "science", SERPER_SCHOLAR, [
        ("Knots in theory", "https://s.example/", "We show", None, "F Three - 2017 - knots.example"),
        ("[BOOK] Ropes", "https://r.example/b.pdf", "", None, "G Four - 1990"),
    ]),
    ("serper", "news", SERPER_NEWS, [("N", "https://n.example/1", "s", "1 day", "Paper")]),
    ("serper", "images", SERPER_IMAGES, [("I", "https://i.example/p", "", None, "Site")]),
]  # fmt: skip
