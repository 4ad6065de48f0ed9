"""The audit log of this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp_web.app import App
from mcp_web.audit.log import AuditLog
from mcp_web.server.options import ServerOptions
from mcp_web.settings import Settings
from mcp_web.store.options import StoreOptions, data_folder
from mcp_web.text.values import FALSE


def audit_folder(settings: Settings) -> Path:
    """The folder of the audit log: the configured one, or `audit` in the data folder."""
    given = settings.of(ServerOptions).audit
    return Path(given).expanduser() if given else data_folder(settings.of(StoreOptions)) / "audit"


async def write_audit(app: App, event: str, **facts: Any) -> None:
    """Add a line with the event and these facts to the audit log, unless the log is switched off."""
    if (log := audit_log(app)) is not None:
        await log.write(event, **facts)


def audit_log(app: App) -> AuditLog | None:
    """The audit log; None if it is switched off."""
    is_off = app.settings.of(ServerOptions).audit.lower() in FALSE
    return None if is_off else AuditLog(audit_folder(app.settings))
