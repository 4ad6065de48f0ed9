#!/usr/bin/env python3
"""hostile.py - generators of hostile inputs for a web fetcher: HTML bodies, other bodies, and whole HTTP behaviours.
  python hostile.py list                 names
  python hostile.py html NAME > file     one HTML body
  python hostile.py serve [PORT]         chaos server on 127.0.0.1 (every behaviour at /NAME, every body at /html/NAME)
Sizes are module-level so that tests can scale them."""

from __future__ import annotations

import asyncio
import gzip
import io
import os
import random
import struct
import sys
import zlib

N = int(os.environ.get("HOSTILE_N", "100000"))
P = b"<p>Real article text that an extractor should still find, with enough words to be content.</p>" * 5


def doc(body, head=b""):
    return b"<!doctype html><html><head><title>t</title>" + head + b"</head><body>" + body + b"</body></html>"


HTML = {}


def html(f):
    HTML[f.__name__] = f
    return f


@html
def nested_div(n=N):
    return doc(b"<div>" * n + P + b"</div>" * n)


@html
def nested_div_unclosed(n=N):
    return doc(b"<div>" * n + P)


@html
def nested_b(n=N):
    return doc(b"<b>" * n + P)  # formatting elements, Noah's Ark clause


@html
def nested_a(n=N):
    return doc(b"<a href=x>" * n + P)  # adoption agency on every tag


@html
def a_div_alternating(n=N):
    return doc(b"<a><div>" * (n // 2) + P)


@html
def b_p_alternating(n=N):
    return doc(b"<b><p>" * (n // 2) + P)  # active-formatting reconstruction: quadratic in some parsers


@html
def font_attrs(n=N // 10):
    return doc(
        b"".join(b"<font color=%d><p>" % i for i in range(n)) + P
    )  # distinct attrs defeat Noah's Ark: quadratic tree growth


@html
def nested_table(n=N // 10):
    return doc(b"<table><tr><td>" * n + P)


@html
def foster_parent(n=N):
    return doc(b"<table>" + b"<b>x" * n + P)


@html
def nested_ul(n=N):
    return doc(b"<ul><li>" * (n // 2) + P)


@html
def nested_blockquote(n=N):
    return doc(b"<blockquote>" * n + P)


@html
def nested_span_inline(n=N):
    return doc(b"<span>" * n + P + b"</span>" * n)


@html
def nested_svg(n=N):
    return doc(b"<svg><g>" + b"<g>" * n + b"</g></svg>" + P)


@html
def nested_template(n=N // 10):
    return doc(b"<template>" * n + P)


@html
def nested_select(n=N):
    return doc(b"<select><option>x" * (n // 2) + P)


@html
def nested_form(n=N):
    return doc(b"<form><div>" * (n // 2) + P)


@html
def end_tag_flood(n=N * 5):
    return doc(b"</p>" * n + P)  # each </p> creates an empty p


@html
def br_end_flood(n=N * 5):
    return doc(b"</br>" * n + P)


@html
def many_siblings(n=N * 10):
    return doc(b"<p>x</p>" * n)


@html
def many_links(n=N * 2):
    return doc(b"".join(b'<a href="/p/%d?q=%d">link %d</a> ' % (i, i, i) for i in range(n)) + P)


@html
def many_attrs(n=N):
    return doc(b"<div " + b" ".join(b"a%d=1" % i for i in range(n)) + b">" + P + b"</div>")


@html
def dup_attrs(n=N):
    return doc(b"<div " + b"a=1 " * n + b">" + P + b"</div>")


@html
def huge_attr(n=N * 300):
    return doc(b'<div title="' + b"A" * n + b'">' + P + b"</div>")


@html
def huge_tagname(n=N * 50):
    return doc(b"<" + b"x" * n + b">" + P)


@html
def huge_text(n=N * 500):
    return doc(b"<p>" + b"word " * (n // 5) + b"</p>")


@html
def no_space_text(n=N * 100):
    return doc(b"<p>" + b"A" * n + b"</p>" + P)


@html
def whitespace_flood(n=N * 100):
    return doc(b"<p>" + b" \t\n" * (n // 3) + b"x</p>" + P)


@html
def amp_flood(n=N * 20):
    return doc(b"<p>" + b"&amp" * n + b"</p>" + P)


@html
def bad_entity_flood(n=N * 20):
    return doc(b"<p>" + b"&#x" * n + b"&notit;" * 1000 + b"</p>" + P)


@html
def lt_flood(n=N * 20):
    return doc(b"<p>" + b"<" * n + b"</p>" + P)


@html
def comment_flood(n=N * 5):
    return doc(b"<!--x-->" * n + P)


@html
def unclosed_comment(n=N * 50):
    return doc(P + b"<!--" + b"-" * n)


@html
def comment_dash_bomb(n=N * 20):
    return doc(b"<!" + b"-" * n + b">" + P)


@html
def unclosed_script(n=N * 50):
    return doc(P + b"<script>" + b"</scrip" * (n // 7))


@html
def pi_flood(n=N * 5):
    return doc(b"<?x" * n + P)


@html
def doctype_flood(n=N * 3):
    return doc(b"<!DOCTYPE html>" * n + P)


@html
def title_textarea_plaintext(n=N):
    return doc(P + b"<plaintext>" + b"<div>" * n)


@html
def nul_bytes(n=N * 10):
    return doc(b"<p>" + b"a\0b" * (n // 3) + b"</p>" + P)


@html
def invalid_utf8(n=N * 10):
    return doc(
        b"<p>" + bytes(random.Random(1).randrange(128, 256) for _ in range(min(n, 2_000_000))) + b"</p>" + P,
        b'<meta charset="utf-8">',
    )


@html
def wrong_charset_meta():
    return doc("<p>Привет, мир — naïve façade 日本語</p>".encode() * 20, b'<meta charset="utf-16le">')


@html
def utf16_no_bom():
    return doc(P.replace(b"Real", b"Real")).decode().encode("utf-16le")


@html
def utf7():
    return (
        b"<html><head><meta charset=utf-7></head><body>+ADw-script+AD4-alert(1)+ADw-/script+AD4-"
        + P
        + b"</body></html>"
    )


@html
def two_charsets():
    return doc(
        "<p>caf\u00e9</p>".encode("latin1") + "<p>caf\u00e9</p>".encode("utf8") + P,
        b"<meta charset=iso-8859-1><meta charset=utf-8>",
    )


@html
def random_bytes(n=5_000_000):
    return random.Random(2).randbytes(n)


@html
def png_as_html():
    return b"\x89PNG\r\n\x1a\n" + random.Random(3).randbytes(500_000)


@html
def elf_as_html():
    return open(sys.executable, "rb").read(8_000_000)


@html
def zip_as_html():
    import zipfile

    b = io.BytesIO()
    z = zipfile.ZipFile(b, "w")
    z.writestr("a.html", P * 1000)
    z.close()
    return b.getvalue()


@html
def big_100mb():
    return doc((P + b"\n") * (100_000_000 // (len(P) + 1)))


@html
def big_10mb():
    return doc((P + b"\n") * (10_000_000 // (len(P) + 1)))


@html
def billion_laughs():
    return (
        b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "aaaaaaaaaa">'
        + b"".join(b'<!ENTITY %c "%s">' % (98 + i, (b"&%c;" % (97 + i)) * 10) for i in range(10))
        + b']><html xmlns="http://www.w3.org/1999/xhtml"><body><p>&k;</p>'
        + P
        + b"</body></html>"
    )


@html
def xxe():
    return (
        b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html xmlns="http://www.w3.org/1999/xhtml"><body><p>&x;</p>'
        + P
        + b"</body></html>"
    )


@html
def jsonld_deep(n=N):
    return doc(P, b'<script type="application/ld+json">' + b"[" * n + b"]" * n + b"</script>")


@html
def jsonld_huge(n=N):
    return doc(
        P, b'<script type="application/ld+json">{"@type":"Article","articleBody":"' + b"A" * (n * 100) + b'"}</script>'
    )


@html
def style_flood(n=N):
    return doc(b'<p style="' + b"color:red;" * n + b'">x</p>' + P)


@html
def class_flood(n=N):
    return doc(b'<p class="' + b"comment-sidebar " * n + b'">x</p>' + P)  # readability/trafilatura regexes run on class


@html
def class_redos(n=N):
    return doc((b'<div class="' + b"a" * 200 + b'!" id="' + b"-" * 200 + b'">x</div>') * (n // 100) + P)


@html
def date_redos(n=N):
    return doc(b"<p>" + b"2024-01-" * n + b"</p>" + P, b'<meta name="date" content="' + b"2024-" * (n // 10) + b'">')


@html
def url_redos(n=N):
    return doc(b'<a href="http://' + b"a." * n + b'">x</a>' + P)


@html
def meta_flood(n=N):
    return doc(P, b'<meta property="og:title" content="x">' * n)


@html
def md_metachar_flood(n=N):
    return doc(b"<p>" + b"*_`[](" * n + b"</p>" + P)


@html
def huge_table(n=N):
    return doc(b"<table>" + b"<tr><td>a</td><td>b</td><td>c</td></tr>" * n + b"</table>" + P)


@html
def wide_table_colspan(n=1000):
    return doc(b"<table>" + b"<tr><td colspan=100000000 rowspan=100000000>x</td></tr>" * n + b"</table>" + P)


@html
def ordered_list_bigstart():
    return doc(b'<ol start="99999999999999999999">' + b"<li>x" * 1000 + b"</ol>" + P)


@html
def pre_code_flood(n=N):
    return doc(b"<pre><code>" + b"```\n~~~\n" * n + b"</code></pre>" + P)


# ---------------------------------------------------------------- compression bombs
def gzip_bomb(size=10 << 30, chunk=1 << 20):
    """yields compressed chunks; size = inflated bytes. 10 GiB inflates from ~10 MiB"""
    c = zlib.compressobj(9, zlib.DEFLATED, 31)
    z = b"\0" * chunk
    for _ in range(size // chunk):
        b = c.compress(z)
        if b:
            yield b
    yield c.flush()


def brotli_bomb(size=1 << 30):
    import brotli

    c = brotli.Compressor(quality=5, lgwin=24)
    out = []
    z = b"\0" * (1 << 20)
    for _ in range(size >> 20):
        out.append(c.process(z))
    out.append(c.finish())
    return b"".join(out)


def zstd_bomb(size=1 << 30):
    import zstandard

    c = zstandard.ZstdCompressor(level=3).compressobj()
    out = []
    z = b"\0" * (1 << 20)
    for _ in range(size >> 20):
        out.append(c.compress(z))
    out.append(c.flush())
    return b"".join(out)


def nested_gzip(levels=5, size=100 << 20):
    b = b"\0" * size
    for _ in range(levels):
        b = gzip.compress(b, 9)
    return b


# ---------------------------------------------------------------- HTTP behaviours: async handler(reader, writer, path)
BEH = {}


def beh(f):
    BEH[f.__name__] = f
    return f


OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def _w(w, b):
    w.write(b)
    await w.drain()


@beh
async def ok(r, w, p):
    await _w(w, OK + b"Content-Length: 2\r\n\r\nok")


@beh
async def hang_accept(r, w, p):
    await asyncio.sleep(3600)


@beh
async def close_at_once(r, w, p):
    pass


@beh
async def rst(r, w, p):
    import socket

    s = w.get_extra_info("socket")
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@beh
async def slow_header(r, w, p):
    for b in OK * 1000:
        await _w(w, bytes([b]))
        await asyncio.sleep(1)


@beh
async def slow_body(r, w, p):
    await _w(w, OK + b"Content-Length: 100000\r\n\r\n")
    while True:
        await _w(w, b"x")
        await asyncio.sleep(1)


@beh
async def infinite_body(r, w, p):
    await _w(w, OK + b"\r\n")
    while True:
        await _w(w, b"<p>x</p>" * 8192)


@beh
async def infinite_chunked(r, w, p):
    await _w(w, OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        await _w(w, b"10000\r\n" + b"x" * 65536 + b"\r\n")


@beh
async def infinite_sse(r, w, p):
    await _w(w, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
    while True:
        await _w(w, b"data: x\n\n")
        await asyncio.sleep(1)


@beh
async def multipart_replace(r, w, p):
    await _w(w, b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n")
    while True:
        await _w(w, b"--b\r\nContent-Type: text/html\r\n\r\n<p>x\r\n")
        await asyncio.sleep(0.2)


@beh
async def endless_headers(r, w, p):
    await _w(w, OK)
    i = 0
    while True:
        i += 1
        await _w(w, b"X-%d: y\r\n" % i)


@beh
async def huge_header(r, w, p):
    await _w(w, OK + b"X-Big: ")
    for _ in range(2000):
        await _w(w, b"A" * 65536)
    await _w(w, b"\r\n\r\n")


@beh
async def many_headers(r, w, p):
    await _w(w, OK + b"".join(b"X-%d: y\r\n" % i for i in range(100000)) + b"Content-Length: 2\r\n\r\nok")


@beh
async def cookie_flood(r, w, p):
    await _w(
        w,
        OK + b"".join(b"Set-Cookie: c%d=%s\r\n" % (i, b"v" * 40) for i in range(1000)) + b"Content-Length: 2\r\n\r\nok",
    )


@beh
async def endless_1xx(r, w, p):
    while True:
        await _w(w, b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n")


@beh
async def cl_too_long(r, w, p):
    await _w(w, OK + b"Content-Length: 1000\r\n\r\nshort")


@beh
async def cl_too_short(r, w, p):
    await _w(w, OK + b"Content-Length: 5\r\n\r\nhello EXTRA BYTES HTTP/1.1 200 OK\r\n\r\n")


@beh
async def cl_negative(r, w, p):
    await _w(w, OK + b"Content-Length: -1\r\n\r\nhello")


@beh
async def cl_huge(r, w, p):
    await _w(w, OK + b"Content-Length: 99999999999999999999\r\n\r\nhello")


@beh
async def cl_duplicate(r, w, p):
    await _w(w, OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")


@beh
async def cl_and_te(r, w, p):
    await _w(w, OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")


@beh
async def bad_chunk(r, w, p):
    await _w(w, OK + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\nhello\r\n0\r\n\r\n")


@beh
async def chunk_ext_flood(r, w, p):
    await _w(w, OK + b"Transfer-Encoding: chunked\r\n\r\n5;")
    while True:
        await _w(w, b"a=b;" * 16384)


@beh
async def truncated_chunked(r, w, p):
    await _w(w, OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")


@beh
async def bad_status(r, w, p):
    await _w(w, b"HTTP/1.1 999 \xff\xfe\r\nContent-Length: 0\r\n\r\n")


@beh
async def http09(r, w, p):
    await _w(w, b"<html>no headers at all</html>")


@beh
async def garbage(r, w, p):
    await _w(w, random.Random(1).randbytes(5000))


@beh
async def tls_on_plain(r, w, p):
    await _w(w, bytes.fromhex("15030100020232"))


@beh
async def redirect_self(r, w, p):
    await _w(w, b"HTTP/1.1 302 F\r\nLocation: /redirect_self\r\nContent-Length: 0\r\n\r\n")


@beh
async def redirect_counter(r, w, p):
    n = int(p.rpartition("=")[2] or 0) if "=" in p else 0
    await _w(w, b"HTTP/1.1 302 F\r\nLocation: /redirect_counter?n=%d\r\nContent-Length: 0\r\n\r\n" % (n + 1))


@beh
async def redirect_no_location(r, w, p):
    await _w(w, b"HTTP/1.1 302 F\r\nContent-Length: 2\r\n\r\nhi")


@beh
async def redirect_bad_location(r, w, p):
    await _w(w, b"HTTP/1.1 302 F\r\nLocation: http://[::1\r\nContent-Length: 0\r\n\r\n")


@beh
async def redirect_bytes_location(r, w, p):
    await _w(w, b"HTTP/1.1 302 F\r\nLocation: /\xe9\xff\xf0 x\r\nContent-Length: 0\r\n\r\n")


@beh
async def redirect_long_location(r, w, p):
    await _w(w, b"HTTP/1.1 302 F\r\nLocation: /" + b"a" * 60000 + b"\r\nContent-Length: 0\r\n\r\n")


@beh
async def redirect_with_infinite_body(r, w, p):
    await _w(w, b"HTTP/1.1 302 F\r\nLocation: /ok\r\n\r\n")
    while True:
        await _w(w, b"x" * 65536)


@beh
async def retry_after_forever(r, w, p):
    await _w(w, b"HTTP/1.1 429 T\r\nRetry-After: 99999999999\r\nContent-Length: 0\r\n\r\n")


@beh
async def retry_after_junk(r, w, p):
    await _w(w, b"HTTP/1.1 503 T\r\nRetry-After: Thu, 99 Foo 2099 99:99:99 GMT\r\nContent-Length: 0\r\n\r\n")


@beh
async def gzip_10g(r, w, p):
    await _w(w, OK + b"Content-Encoding: gzip\r\n\r\n")
    for b in gzip_bomb():
        await _w(w, b)
        await asyncio.sleep(0)


_bb = {}


@beh
async def brotli_1g(r, w, p):
    if "b" not in _bb:
        _bb["b"] = brotli_bomb()
    await _w(w, OK + b"Content-Encoding: br\r\nContent-Length: %d\r\n\r\n" % len(_bb["b"]) + _bb["b"])


@beh
async def zstd_1g(r, w, p):
    if "z" not in _bb:
        _bb["z"] = zstd_bomb()
    await _w(w, OK + b"Content-Encoding: zstd\r\nContent-Length: %d\r\n\r\n" % len(_bb["z"]) + _bb["z"])


@beh
async def gzip_nested(r, w, p):
    b = nested_gzip()
    await _w(w, OK + b"Content-Encoding: gzip, gzip, gzip, gzip, gzip\r\nContent-Length: %d\r\n\r\n" % len(b) + b)


@beh
async def gzip_many_encodings(r, w, p):
    b = gzip.compress(b"hi")
    await _w(
        w, OK + b"Content-Encoding: " + b", ".join([b"gzip"] * 1000) + b"\r\nContent-Length: %d\r\n\r\n" % len(b) + b
    )


@beh
async def gzip_truncated(r, w, p):
    b = gzip.compress(P * 100)[:-20]
    await _w(w, OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(b) + b)


@beh
async def gzip_bad_crc(r, w, p):
    b = bytearray(gzip.compress(P * 100))
    b[-5] ^= 255
    await _w(w, OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(b) + bytes(b))


@beh
async def gzip_claimed_plain(r, w, p):
    await _w(w, OK + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(P) + P)


@beh
async def deflate_raw(r, w, p):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    b = c.compress(P) + c.flush()
    await _w(w, OK + b"Content-Encoding: deflate\r\nContent-Length: %d\r\n\r\n" % len(b) + b)


@beh
async def unknown_encoding(r, w, p):
    await _w(w, OK + b"Content-Encoding: compress, x-foo\r\nContent-Length: 2\r\n\r\nok")


@beh
async def charset_lie(r, w, p):
    b = "日本語テキスト".encode("euc-jp") * 50
    await _w(w, b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(b) + b)


@beh
async def charset_unknown(r, w, p):
    await _w(w, b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x-nope\r\nContent-Length: 2\r\n\r\nok")


@beh
async def charset_codec_attack(r, w, p):
    b = gzip.compress(b"x" * 10**7)
    await _w(
        w, b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=zlib_codec\r\nContent-Length: %d\r\n\r\n" % len(b) + b
    )


@beh
async def no_content_type(r, w, p):
    await _w(w, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(P) + P)


@beh
async def status_204_body(r, w, p):
    await _w(w, b"HTTP/1.1 204 N\r\nContent-Length: 5\r\n\r\nhello")


@beh
async def status_304(r, w, p):
    await _w(w, b"HTTP/1.1 304 N\r\n\r\n")


@beh
async def status_206(r, w, p):
    await _w(w, b"HTTP/1.1 206 P\r\nContent-Range: bytes 0-1/100\r\nContent-Length: 2\r\n\r\nok")


@beh
async def robots_500kb_plus(r, w, p):
    b = b"User-agent: *\nDisallow: /x\n" * 40000 + b"Disallow: /late\n"
    await _w(w, b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(b) + b)


@beh
async def disconnect_mid_body(r, w, p):
    await _w(w, OK + b"Content-Length: 100000\r\n\r\n" + b"x" * 500)


@beh
async def header_injection(r, w, p):
    await _w(w, OK + b"X-A: b\r\n X-Folded: c\r\nX\x00Y: d\r\nContent-Length: 2\r\n\r\nok")


async def serve(port=0, host="127.0.0.1"):
    async def h(r, w):
        try:
            head = await asyncio.wait_for(r.readuntil(b"\r\n\r\n"), 10)
            p = head.split(b" ")[1].decode("latin1")
            name = p.strip("/").split("?")[0]
            if name.startswith("html/"):
                b = HTML[name[5:]]()
                await _w(w, OK + b"Content-Length: %d\r\n\r\n" % len(b) + b)
            else:
                await BEH[name](r, w, p)
        except (TimeoutError, ConnectionError, KeyError, asyncio.IncompleteReadError):
            pass
        finally:
            w.close()

    return await asyncio.start_server(h, host, port)


if __name__ == "__main__":
    a = sys.argv[1:] or ["list"]
    if a[0] == "list":
        print("HTML:", *HTML, sep="\n  ")
        print("HTTP:", *BEH, sep="\n  ")
        print(len(HTML), "bodies,", len(BEH), "behaviours")
    elif a[0] == "html":
        sys.stdout.buffer.write(HTML[a[1]]())
    elif a[0] == "serve":

        async def m():
            s = await serve(int(a[1]) if len(a) > 1 else 8999)
            print("listening", s.sockets[0].getsockname())
            await s.serve_forever()

        asyncio.run(m())
