"""Selectors: what is never content, what rarely is, and where content usually stands."""

from __future__ import annotations

# Never content, on no kind of page.
NEVER = (
    "script,style,template,svg,iframe,canvas,object,embed,nav,dialog,select,input,textarea,button,"
    ".headerlink,a.anchor,.copybtn,.sr-only,.visually-hidden,.screen-reader-text,noscript"
)
_CHROME = (
    "cookie",
    "consent",
    "breadcrumb",
    "sidebar",
    "newsletter",
    "subscri",
    "social",
    "share",
    "sharing",
    "related",
    "recommend",
    "advert",
    "promo",
    "popup",
    "modal",
    "navbar",
    "menu",
    "footer",
    "pagination",
    "pager",
    "toolbar",
    "tooltip",
    "signup",
    "login",
    "copyright",
)
# Rarely content: dropped unless they hold a large part of what was chosen.
RARELY = ",".join(
    (
        "footer,aside,[role=navigation],[role=search],[role=dialog],[role=alertdialog],[role=menu],[role=menubar]",
        "[role=tablist],[role=contentinfo],[role=banner],[role=complementary]",
        *(f"[class*={word} i],[id*={word} i]" for word in _CHROME),
    )
)
ROOTS = (
    "main,[role=main]",
    "article",
    "#content,#main,#main-content,#mw-content-text,.markdown-body",
    ".post-content,.entry-content,.article-body,.article-content,.content",
)
