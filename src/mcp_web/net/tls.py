"""TLS as a client: the operating system's certificate store, and the operator's own authority beside it."""

from __future__ import annotations

import ssl
from functools import lru_cache

import anyio
from anyio.abc import ByteStream

from mcp_web.errors import ConfigError, FetchFailed


@lru_cache(maxsize=4)
def tls_context(ca_bundle: str | None = None) -> ssl.SSLContext:
    """A verifying context; building one reads the whole store, so it is made once."""
    import truststore

    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    if ca_bundle:
        try:
            context.load_verify_locations(cafile=ca_bundle)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"MCP_WEB_CA_BUNDLE names {ca_bundle!r}, which cannot be read as PEM certificates: {error}."
            ) from error
    return context


async def wrap_tls(stream: ByteStream, host: str, context: ssl.SSLContext) -> ByteStream:
    """Speak TLS over a stream; name and certificate are those of the host, whatever address was dialled."""
    from anyio.streams.tls import TLSStream

    try:
        return await TLSStream.wrap(stream, hostname=host, ssl_context=context, standard_compatible=False)
    except BaseException:
        await anyio.aclose_forcefully(stream)
        raise


def handshake_failed(host: str, error: Exception) -> FetchFailed:
    """The sentence for a connection that could not be secured."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return FetchFailed(
            f"The certificate of {host} cannot be trusted: {error.verify_message.rstrip('.')}.",
            suggestion="Use another source; the operator can add a private authority with MCP_WEB_CA_BUNDLE.",
            retryable=False,
            reason="tls",
        )
    reason = getattr(error, "reason", None) or "the other end hung up during the handshake"
    return FetchFailed(
        f"No secure connection to {host}: {str(reason).lower().replace('_', ' ')}.",
        suggestion="Try the same URL with http://, or search for another source.",
        reason="tls",
    )
