"""Decodes bodies piece by piece up to a size limit, so that a decompression bomb is refused before it inflates.

HTTP libraries decode whole chunks, and 800 bytes of brotli can hold a gigabyte of zeros. Every decoder here returns
a bounded piece at a time, and the limit counts decoded bytes.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from functools import partial

from mcp_web.errors import FetchFailed, FetchTooLarge, UnsupportedContent

ACCEPTED = "gzip, deflate, br, zstd"
MAX_ENCODINGS = 2
_NOT_ENCODINGS = frozenset({"", "identity", "none", "utf-8", "utf8", "binary"})  # what servers write for "not encoded"
_PIECE = 256 * 1024  # bytes that a decoder returns at once
# Text is rarely compressed by more than 50 and never by 300; below a megabyte the ratio is not checked.
_MAX_RATIO = 300
_RATIO_FROM = 1024 * 1024
_ZSTD_WINDOW_LOG = 23  # 8 MiB, the most RFC 9659 lets a server ask for


# A decoder of one content encoding: `feed` returns the decoded bytes for the next encoded ones, in pieces of limited
# size; `ended` is whether the end of the encoded data was reached.
class _Zlib:
    """Decodes gzip, of one or more members, and deflate, in the zlib format or raw."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inflate = zlib.decompressobj(wbits)
        self._begun = False
        self.ended = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self.ended:
                if self._wbits != 31 or not data.startswith(b"\x1f\x8b"[: len(data)]):
                    return  # padding after the end, as browsers ignore it
                self._inflate, self.ended = zlib.decompressobj(self._wbits), False
            yield self._step(data)
            self.ended = self._inflate.eof
            data = self._inflate.unused_data if self.ended else self._inflate.unconsumed_tail

    def _step(self, data: bytes) -> bytes:
        """The next decoded piece, of limited size; a body declared as zlib may also be raw deflate."""
        try:
            piece = self._inflate.decompress(data, _PIECE)
        except zlib.error:
            # Many servers send raw deflate where the standard requires zlib's format.
            if self._begun or self._wbits != zlib.MAX_WBITS:
                raise
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            piece = self._inflate.decompress(data, _PIECE)
        self._begun = True
        return piece


class _Brotli:
    def __init__(self) -> None:
        import brotli  # type: ignore[import-untyped]  # ships no types

        self._inflate = brotli.Decompressor()

    @property
    def ended(self) -> bool:
        return bool(self._inflate.is_finished())

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            yield self._inflate.process(data, output_buffer_limit=_PIECE)
            data = b""
            if self._inflate.is_finished() or self._inflate.can_accept_more_data():
                return


class _Zstd:
    def __init__(self) -> None:
        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd

        options: dict[int, int] = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW_LOG}
        self._new = partial(zstd.ZstdDecompressor, options=options)
        self._inflate = self._new()

    @property
    def ended(self) -> bool:
        return self._inflate.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data or not (self._inflate.needs_input or self._inflate.eof):
            if self._inflate.eof:
                self._inflate = self._new()
            yield self._inflate.decompress(data, _PIECE)
            data = self._inflate.unused_data if self._inflate.eof else b""


_DECODERS: dict[str, Callable[[], _Zlib | _Brotli | _Zstd]] = {
    "gzip": partial(_Zlib, 31),
    "x-gzip": partial(_Zlib, 31),
    "deflate": partial(_Zlib, zlib.MAX_WBITS),
    "br": _Brotli,
    "zstd": _Zstd,
}


class BodyDecoder:
    """Decodes the content encodings of one body, piece by piece.

    A body of more than `max_bytes` raises FetchTooLarge; with `cut`, decoding stops there instead, and `full` is set.
    A compression bomb always raises FetchTooLarge; unknown encodings, or more than two, raise UnsupportedContent.
    """

    def __init__(self, content_encoding: str, *, max_bytes: int, url: str, cut: bool = False) -> None:
        names = [name for part in content_encoding.split(",") if (name := part.strip().lower()) not in _NOT_ENCODINGS]
        self._url = url
        self._max = max_bytes
        self._cut = cut
        self.full = False
        self._raw = 0  # bytes
        self._decoded = 0
        self._between = 0  # bytes that one decoder passed on to the next
        if len(names) > MAX_ENCODINGS:
            raise UnsupportedContent(f"{url} is wrapped in {len(names)} content encodings.", url=url)
        self._decoders: list[_Zlib | _Brotli | _Zstd] = []
        for name in reversed(names):
            if name not in _DECODERS:
                shown = name if name.isalnum() and len(name) < 20 else "with a strange name"
                raise UnsupportedContent(f"{url} is sent in an unknown encoding ({shown}).", url=url)
            self._decoders.append(_DECODERS[name]())

    def feed(self, data: bytes) -> bytes:
        """The decoded bytes for the next received ones; empty while a decoder needs more.

        Raises FetchTooLarge beyond the limits, and FetchFailed(reason="encoding") for bytes that cannot be decoded.
        """
        self._raw += len(data)
        if self._raw > self._max and not self._cut:
            raise too_large(self._url, self._max)
        decoded = bytearray()
        try:
            for piece in self._decode(data, 0):
                self._count(len(piece))
                decoded += piece
                if self._decoded >= self._max and self._cut:
                    self.full = True
                    return bytes(decoded)
        except Exception as error:
            if isinstance(error, FetchTooLarge):
                raise
            # zlib, brotli and zstd each have their own exception and no common one.
            raise FetchFailed(
                f"The body of {self._url} is not what its Content-Encoding says.", url=self._url, reason="encoding"
            ) from error
        return bytes(decoded)

    def _decode(self, data: bytes, at: int) -> Iterator[bytes]:
        """Yield the decoded pieces of `data`, passed through all decoders from index `at` on."""
        if at == len(self._decoders):
            yield data
            return
        for piece in self._decoders[at].feed(data):
            if at + 1 < len(self._decoders):
                # Hardly larger than what it decodes to; a bomb of empty gzip members decodes to nothing in the end.
                self._between += len(piece)
                if self._between > 2 * self._max:
                    raise too_large(self._url, self._max)
            if piece:
                yield from self._decode(piece, at + 1)

    def _count(self, size: int) -> None:
        """Count decoded bytes; raises FetchTooLarge beyond the limit, or for more than 300 times the received bytes."""
        self._decoded += size
        if self._decoded > self._max and not self._cut:
            raise too_large(self._url, self._max)
        if self._decoders and self._decoded > _RATIO_FROM and self._decoded > self._raw * _MAX_RATIO:
            raise FetchTooLarge(
                f"{self._url} inflates more than {_MAX_RATIO} times while it is decoded: a compression bomb.",
                suggestion="Use another source.",
                url=self._url,
            )

    @property
    def complete(self) -> bool:
        """Whether every decoder reached its end; an empty body and one without encodings count as complete."""
        return self._raw == 0 or all(layer.ended for layer in self._decoders)


def too_large(url: str, max_bytes: int, size: int | None = None) -> FetchTooLarge:
    """The error for a body above the limit; `size` is the number of bytes that the server announced, if known."""
    measured = f"has {size:,} bytes" if size else "is larger than allowed"
    return FetchTooLarge(f"{url} {measured}; the ceiling is {max_bytes:,} bytes.", url=url, max_bytes=max_bytes)
