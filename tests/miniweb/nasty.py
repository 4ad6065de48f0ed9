"""A catalogue of what servers on the real web do, by accident or on purpose. Each is a behaviour for `site.behave`."""

from __future__ import annotations

import gzip
import zlib
from functools import cache

from miniweb.server import Behaviour, Request, Wire

TEXT = b"<p>Real text that a reader would like to see, although its server misbehaves.</p>" * 20
NASTY: dict[str, Behaviour] = {}
MEGABYTE = 1 << 20


def nasty(behaviour: Behaviour) -> Behaviour:
    NASTY[behaviour.__name__] = behaviour  # type: ignore[attr-defined]
    return behaviour


def head(*lines: str, status: str = "200 OK", kind: str = "text/html") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", f"Content-Type: {kind}", *lines, "", ""]).encode("latin-1")


# ── time


@nasty
async def never_answers(request: Request, wire: Wire) -> None:
    await wire.wait(60)


@nasty
async def slow_head(request: Request, wire: Wire) -> None:
    for byte in head() * 100:
        await wire.send(bytes([byte]))
        await wire.wait(0.05)


@nasty
async def drip(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: 100000"))
    while True:
        await wire.send(b"x")
        await wire.wait(0.05)


@nasty
async def stall(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: 100000") + TEXT)
    await wire.wait(60)


# ── size


@nasty
async def endless_body(request: Request, wire: Wire) -> None:
    await wire.send(head())
    while True:
        await wire.send(b"<p>more</p>" * 6000)


@nasty
async def endless_chunks(request: Request, wire: Wire) -> None:
    await wire.send(head("Transfer-Encoding: chunked"))
    while True:
        await wire.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")


@nasty
async def endless_chunk_extension(request: Request, wire: Wire) -> None:
    await wire.send(head("Transfer-Encoding: chunked") + b"5;")
    while True:
        await wire.send(b"a=b;" * 16384)


@nasty
async def endless_headers(request: Request, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\n")
    while True:
        await wire.send(b"X-More: and more\r\n" * 1000)


@nasty
async def huge_header(request: Request, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\nX-Big: " + b"A" * (8 * MEGABYTE) + b"\r\n\r\n")


@nasty
async def endless_interim(request: Request, wire: Wire) -> None:
    while True:
        await wire.send(b"HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n")


@nasty
async def announced_too_large(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: 99999999999999999999") + TEXT)


@nasty
async def event_stream(request: Request, wire: Wire) -> None:
    await wire.send(head(kind="text/event-stream"))
    while True:
        await wire.send(b"data: x\n\n")
        await wire.wait(0.05)


# ── compression


@cache
def _gzip_zeros(megabytes: int) -> bytes:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([squeeze.compress(bytes(MEGABYTE)) for _ in range(megabytes)]) + squeeze.flush()


@cache
def _brotli_zeros(megabytes: int) -> bytes:
    import brotli

    squeeze = brotli.Compressor(quality=5, lgwin=24)
    return b"".join([squeeze.process(bytes(MEGABYTE)) for _ in range(megabytes)]) + bytes(squeeze.finish())


@cache
def _zstd_zeros(megabytes: int) -> bytes:
    from backports import zstd

    squeeze = zstd.ZstdCompressor(level=3)
    return b"".join([squeeze.compress(bytes(MEGABYTE)) for _ in range(megabytes)]) + squeeze.flush()


def prepare() -> None:
    """Make the bombs beforehand: squeezing them takes seconds, in which a server would answer nobody."""
    for squeeze, megabytes in ((_gzip_zeros, 128), (_brotli_zeros, 256), (_zstd_zeros, 256)):
        squeeze(megabytes)


async def _encoded(wire: Wire, encoding: str, body: bytes) -> None:
    await wire.send(head(f"Content-Encoding: {encoding}", f"Content-Length: {len(body)}") + body)


@nasty
async def gzip_bomb(request: Request, wire: Wire) -> None:
    await _encoded(wire, "gzip", _gzip_zeros(128))


@nasty
async def brotli_bomb(request: Request, wire: Wire) -> None:
    await _encoded(wire, "br", _brotli_zeros(256))


@nasty
async def zstd_bomb(request: Request, wire: Wire) -> None:
    await _encoded(wire, "zstd", _zstd_zeros(256))


@nasty
async def bomb_in_a_bomb(request: Request, wire: Wire) -> None:
    await _encoded(wire, "gzip, gzip", gzip.compress(_gzip_zeros(128)))


@nasty
async def many_encodings(request: Request, wire: Wire) -> None:
    await _encoded(wire, ", ".join(["gzip"] * 500), gzip.compress(TEXT))


@nasty
async def unknown_encoding(request: Request, wire: Wire) -> None:
    await _encoded(wire, "compress", TEXT)


@nasty
async def plain_called_gzip(request: Request, wire: Wire) -> None:
    await _encoded(wire, "gzip", TEXT)


@nasty
async def broken_gzip_checksum(request: Request, wire: Wire) -> None:
    body = bytearray(gzip.compress(TEXT))
    body[-6] ^= 0xFF
    await _encoded(wire, "gzip", bytes(body))


@nasty
async def cut_gzip(request: Request, wire: Wire) -> None:
    await _encoded(wire, "gzip", gzip.compress(TEXT)[:-12])


@nasty
async def raw_deflate(request: Request, wire: Wire) -> None:
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    await _encoded(wire, "deflate", squeeze.compress(TEXT) + squeeze.flush())


# ── lies and breaks


@nasty
async def hangs_up(request: Request, wire: Wire) -> None:
    return


@nasty
async def resets(request: Request, wire: Wire) -> None:
    wire.reset()


@nasty
async def drops_in_the_body(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: 100000") + TEXT)


@nasty
async def drops_in_a_chunk(request: Request, wire: Wire) -> None:
    await wire.send(head("Transfer-Encoding: chunked") + b"%x\r\n" % len(TEXT) + TEXT + b"\r\n")


@nasty
async def length_too_short(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: 5") + b"hello and HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")


@nasty
async def length_negative(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: -1") + TEXT)


@nasty
async def two_lengths(request: Request, wire: Wire) -> None:
    await wire.send(head("Content-Length: 5", "Content-Length: 6") + b"hello!")


@nasty
async def broken_chunk(request: Request, wire: Wire) -> None:
    await wire.send(head("Transfer-Encoding: chunked") + b"ZZZ\r\nhello\r\n0\r\n\r\n")


@nasty
async def no_http_at_all(request: Request, wire: Wire) -> None:
    await wire.send(b"<html>no head</html>")


@nasty
async def garbage(request: Request, wire: Wire) -> None:
    await wire.send(bytes(range(256)) * 20)


@nasty
async def null_in_header(request: Request, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\nX\x00Y: z\r\nContent-Length: 2\r\n\r\nok")


@nasty
async def odd_status(request: Request, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 999 \xff\xfe\r\nContent-Length: 0\r\n\r\n")


@nasty
async def charset_lie(request: Request, wire: Wire) -> None:
    body = "日本語テキスト".encode("euc-jp") * 50
    await wire.send(head(f"Content-Length: {len(body)}", kind="text/html; charset=utf-8") + body)


@nasty
async def charset_is_a_codec(request: Request, wire: Wire) -> None:
    body = zlib.compress(b"x" * 100_000)
    await wire.send(head(f"Content-Length: {len(body)}", kind="text/html; charset=zlib_codec") + body)


# ── redirects


async def _redirect(wire: Wire, location: bytes, rest: bytes = b"Content-Length: 0\r\n\r\n") -> None:
    await wire.send(b"HTTP/1.1 302 Found\r\nLocation: " + location + b"\r\n" + rest)


@nasty
async def redirect_to_itself(request: Request, wire: Wire) -> None:
    await _redirect(wire, request.target.encode())


@nasty
async def redirect_forever(request: Request, wire: Wire) -> None:
    count = int(request.query.get("n", ["0"])[0]) + 1
    await _redirect(wire, f"{request.path}?n={count}".encode())


@nasty
async def redirect_nowhere(request: Request, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nhi")


@nasty
async def redirect_to_nonsense(request: Request, wire: Wire) -> None:
    await _redirect(wire, b"http://[::1")


@nasty
async def redirect_far_too_long(request: Request, wire: Wire) -> None:
    await _redirect(wire, b"/" + b"a" * 60_000)


@nasty
async def redirect_with_endless_body(request: Request, wire: Wire) -> None:
    await _redirect(wire, b"/endless_body", b"\r\n")
    while True:
        await wire.send(b"x" * 65536)


@nasty
async def busy_forever(request: Request, wire: Wire) -> None:
    await wire.send(head("Retry-After: 99999999999", "Content-Length: 0", status="429 Too Many"))


@nasty
async def busy_until_nonsense(request: Request, wire: Wire) -> None:
    await wire.send(head("Retry-After: Thu, 99 Foo 2099 99:99:99 GMT", "Content-Length: 0", status="503 Busy"))
