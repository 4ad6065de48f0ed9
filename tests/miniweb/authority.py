"""A certificate authority made for the test run; only a client that is told to trust it does."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
import tempfile
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    def __init__(self) -> None:
        self._made = tempfile.TemporaryDirectory(prefix="miniweb-ca-")  # deleted with this object
        self._folder = Path(self._made.name)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "miniweb authority")])
        self._contexts: dict[str, ssl.SSLContext] = {}
        certificate = self._signed(self._name, self._key, authority=True)
        self.bundle = self._folder / "ca.pem"
        self.bundle.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))

    def context(self, host: str) -> ssl.SSLContext:
        """What a server needs to be `host`."""
        if host not in self._contexts:
            key = ec.generate_private_key(ec.SECP256R1())
            name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
            pem = self._folder / f"{len(self._contexts)}.pem"
            pem.write_bytes(
                key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
                + self._signed(name, key, host=host).public_bytes(serialization.Encoding.PEM)
            )
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(pem)
            self._contexts[host] = context
        return self._contexts[host]

    def _signed(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, *, host: str = "", authority: bool = False
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        )
        if host:
            builder = builder.add_extension(x509.SubjectAlternativeName([_general_name(host)]), critical=False)
        return builder.sign(self._key, hashes.SHA256())


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


@cache
def authority() -> Authority:
    return Authority()
