"""The natural language of a document that does not declare one.

It is shown to people and used in filters, so only what is certain is returned. `text/languages.py` instead returns the
nearest language with a stemmer and stop words: Russian for Bulgarian, Czech for Slovak, and none for Slovenian.
"""

from __future__ import annotations

_READ_CHARS = 4000
_LEAST_LETTERS = 150
_LEAST_CONFIDENCE = 0.9

# ISO 639-3, as the detector returns it, → the two letters that web pages use.
# fmt: off
_SHORT = {
    "eng": "en", "deu": "de", "fra": "fr", "spa": "es", "por": "pt", "ita": "it", "nld": "nl", "pol": "pl", "rus": "ru",
    "ukr": "uk", "bel": "be", "bul": "bg", "srp": "sr", "hrv": "hr", "ces": "cs", "slk": "sk", "slv": "sl", "ron": "ro",
    "hun": "hu", "fin": "fi", "est": "et", "lav": "lv", "lit": "lt", "swe": "sv", "dan": "da", "nob": "nb", "nno": "nn",
    "ell": "el", "tur": "tr", "azj": "az", "kaz": "kk", "uzn": "uz", "arb": "ar", "ara": "ar", "pes": "fa", "fas": "fa",
    "urd": "ur", "heb": "he", "ydd": "yi", "hin": "hi", "mar": "mr", "nep": "ne", "ben": "bn", "guj": "gu", "pan": "pa",
    "tam": "ta", "tel": "te", "kan": "kn", "mal": "ml", "sin": "si", "tha": "th", "khm": "km", "mya": "my", "vie": "vi",
    "ind": "id", "zlm": "ms", "tgl": "tl", "jav": "jv", "cmn": "zh", "jpn": "ja", "kor": "ko", "kat": "ka", "hye": "hy",
    "amh": "am", "afr": "af", "cat": "ca", "epo": "eo", "lat": "la", "mkd": "mk", "zul": "zu", "sna": "sn", "yor": "yo",
    "ibo": "ig", "hau": "ha", "som": "so", "tuk": "tk", "tir": "ti", "uig": "ug", "aka": "ak",
}
# fmt: on


def detect_language(text: str) -> str | None:
    """The language of a text as a code such as "en"; None if the text is too short or the detector is not certain."""
    from turbohtml import detect

    sample = text[:_READ_CHARS]
    letters = sum(map(str.isalpha, sample))
    # A text of ideographs needs fewer characters.
    if letters < (_LEAST_LETTERS if sample.isascii() else _LEAST_LETTERS // 3):
        return None
    found = detect.detect_language(sample, detect.LanguageDetection(threshold=_LEAST_CONFIDENCE)).language
    return _SHORT.get(found) if found else None
