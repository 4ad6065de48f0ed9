"""TLS for clients, with the operating system's certificate store and the operator's certificate authority."""

from __future__ import annotations

import ssl
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import anyio
from anyio.abc import ByteStream

from mcp_web.errors import ConfigError, FetchFailed

# Certificate stores of Linux distributions, for an OpenSSL that was built for another one.
_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/cert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@lru_cache(maxsize=4)
def tls_context(ca_bundle: str | None, protocols: tuple[str, ...]) -> ssl.SSLContext:
    """A TLS context that verifies certificates, for clients; raises ConfigError if `ca_bundle` cannot be read.

    `ca_bundle`: a PEM file with further authorities; `protocols`: offered by ALPN, or `http/1.1` if empty.
    """
    context = _system_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(list(protocols or ("http/1.1",)))
    if ca_bundle:
        try:
            context.load_verify_locations(cafile=ca_bundle)
        except (OSError, ssl.SSLError) as error:
            raise ConfigError(
                f"MCP_WEB_CA_BUNDLE names {ca_bundle!r}, which cannot be read as PEM certificates: {error}."
            ) from error
    return context


def _system_context() -> ssl.SSLContext:
    """A TLS context with the certificate authorities of the operating system, or of certifi if it has none."""
    if sys.platform in ("darwin", "win32"):
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Here truststore would read the store again for every connection (50 to 140 ms); OpenSSL reads it once.
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if paths.cafile is None and not context.get_ca_certs():
        found = next((path for path in _BUNDLES if Path(path).is_file()), None)
        if found:
            context.load_verify_locations(cafile=found)
        elif paths.capath is None:
            with suppress(ImportError):  # a machine without a store, such as a slim container
                import certifi

                context.load_verify_locations(cafile=certifi.where())
    return context


async def wrap_tls(stream: ByteStream, host: str, ca_bundle: str | None, protocols: tuple[str, ...] = ()) -> ByteStream:
    """Start TLS on a stream; returns the encrypted stream. The certificate is verified for the name `host`.

    `protocols` are offered to the server in this order; without any, HTTP/1.1. Raises FetchFailed if the handshake
    fails, and ConfigError if `ca_bundle` cannot be read; the stream is then closed.
    """
    from anyio.streams.tls import TLSStream

    try:
        # In a thread: reading all certificates, when first used, takes a tenth of a second.
        context = await anyio.to_thread.run_sync(tls_context, ca_bundle, protocols)
        return await TLSStream.wrap(stream, hostname=host, ssl_context=context, standard_compatible=False)
    except BaseException as error:
        await anyio.aclose_forcefully(stream)
        if isinstance(error, ssl.SSLError | anyio.BrokenResourceError | anyio.EndOfStream):
            raise _handshake_failed(host, error) from error
        raise


def _handshake_failed(host: str, error: Exception) -> FetchFailed:
    if isinstance(error, ssl.SSLCertVerificationError):
        return FetchFailed(
            f"The certificate of {host} cannot be trusted: {error.verify_message.rstrip('.')}.",
            suggestion="Use another source; the operator can add a private authority with MCP_WEB_CA_BUNDLE.",
            retryable=False,
            reason="tls",
        )
    reason = getattr(error, "reason", None) or "the server closed the connection during the handshake"
    return FetchFailed(
        f"No secure connection to {host}: {str(reason).lower().replace('_', ' ')}.",
        suggestion="Try the same URL with http://, or search for another source.",
        reason="tls",
    )
