"""Adds the operator's certificate authority to Chromium.

Chromium on Linux reads additional authorities only from an NSS database in its home folder, which the `certutil` of the
distribution writes (Debian: libnss3-tools). Without that program the browser trusts only its default authorities.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from mcp_web import trace

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.S)
_SECONDS = 20.0
_MOST = 50


def add_trust(home: Path, ca_bundle: str) -> None:
    """Let a browser with this home folder trust the certificate authorities of a PEM file; a failure is only logged."""
    certutil = shutil.which("certutil")
    if certutil is None:
        trace.log("error", "browser_trust", error="certutil is not installed; the browser ignores MCP_WEB_CA_BUNDLE")
        return
    database = home / ".pki" / "nssdb"
    database.mkdir(parents=True)
    try:
        certificates = _PEM.findall(Path(ca_bundle).read_text("ascii", "replace"))[:_MOST]
        _run(certutil, "-N", "--empty-password", "-d", f"sql:{database}")
        for number, pem in enumerate(certificates):
            _run(certutil, "-A", "-d", f"sql:{database}", "-n", f"ca{number}", "-t", "C,,", "-a", given=pem)
    except (OSError, subprocess.SubprocessError) as error:
        trace.log("error", "browser_trust", error=f"{type(error).__name__}: {error}")


def _run(*command: str, given: str = "") -> None:
    subprocess.run(command, input=given, capture_output=True, text=True, timeout=_SECONDS, check=True)  # noqa: S603
