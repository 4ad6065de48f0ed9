"""Bodies decoded under a ceiling."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from backports import zstd
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_web.errors import FetchFailed, FetchTooLarge, UnsupportedContent
from mcp_web.net.body import BodyDecoder

SQUEEZE = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstd.compress,
    "identity": bytes,
    "": bytes,
}


def decode(encoding: str, data: bytes, size: int = 1000, ceiling: int = 1_000_000) -> tuple[bytes, bool]:
    decoder = BodyDecoder(encoding, max_bytes=ceiling, url="https://x.example/")
    decoded = b"".join(decoder.feed(data[at : at + size]) for at in range(0, len(data), size))
    return decoded, decoder.complete


@given(st.sampled_from(sorted(SQUEEZE)), st.binary(max_size=5000), st.integers(1, 4000))
@settings(deadline=None)
def test_what_was_squeezed_comes_back_however_it_is_cut(encoding: str, data: bytes, size: int) -> None:
    assert decode(encoding, SQUEEZE[encoding](data), size) == (data, True)


def test_two_encodings_are_undone_in_turn() -> None:
    assert decode("gzip, br", brotli.compress(gzip.compress(b"hello"))) == (b"hello", True)


def test_a_bomb_between_two_encodings_is_refused() -> None:
    with pytest.raises(FetchTooLarge):
        decode("gzip, gzip", gzip.compress(gzip.compress(b"") * 150_000))


def test_members_and_frames_that_follow_each_other_belong_together() -> None:
    assert decode("gzip", gzip.compress(b"a") + gzip.compress(b"b")) == (b"ab", True)
    assert decode("gzip", gzip.compress(b"a") + gzip.compress(b"b"), size=1) == (b"ab", True)
    assert decode("zstd", zstd.compress(b"a") + zstd.compress(b"b")) == (b"ab", True)


@pytest.mark.parametrize("label", ["none", "UTF-8", "identity, identity, identity"])
def test_a_label_that_means_no_encoding_is_passed_over(label: str) -> None:
    assert decode(label, b"plain") == (b"plain", True)


def test_padding_after_the_end_is_ignored() -> None:
    assert decode("gzip", gzip.compress(b"a") + b"\0" * 100) == (b"a", True)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_an_early_end_is_noticed(encoding: str) -> None:
    text = bytes(range(256)) * 40
    decoded, complete = decode(encoding, SQUEEZE[encoding](text)[:-10])
    assert not complete
    assert text.startswith(decoded)


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_a_bomb_is_refused_after_a_few_pieces(encoding: str) -> None:
    bomb = SQUEEZE[encoding](bytes(50_000_000))
    decoder = BodyDecoder(encoding, max_bytes=5_000_000, url="https://x.example/")
    with pytest.raises(FetchTooLarge):
        b"".join(decoder.feed(bomb[at : at + 65536]) for at in range(0, len(bomb), 65536))


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd", "deflate"])
def test_what_is_not_encoded_is_refused(encoding: str) -> None:
    with pytest.raises(FetchFailed, match="Content-Encoding"):
        decode(encoding, b"<html>plain text, whatever the header says</html>" * 10)


@pytest.mark.parametrize("encoding", ["gzip, gzip, gzip", "compress", "gzip, rot13", "exi"])
def test_unknown_and_piled_up_encodings_are_refused(encoding: str) -> None:
    with pytest.raises(UnsupportedContent):
        BodyDecoder(encoding, max_bytes=10, url="https://x.example/")


def test_a_body_may_be_cut_at_the_ceiling_instead() -> None:
    decoder = BodyDecoder("gzip", max_bytes=1000, url="https://x.example/", cut=True)
    assert decoder.feed(gzip.compress(b"x" * 5000)).startswith(b"x" * 1000)
    assert decoder.full
