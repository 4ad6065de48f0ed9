"""The audit log of this installation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mcp_web.audit.log import AuditLog
from mcp_web.server.options import ServerOptions
from mcp_web.settings import Settings
from mcp_web.store.options import StoreOptions, data_folder

if TYPE_CHECKING:
    from mcp_web.app import App


def audit_folder(settings: Settings) -> Path:
    given = settings.of(ServerOptions).audit_dir
    return Path(given).expanduser() if given else data_folder(settings.of(StoreOptions)) / "audit"


def audit_log(app: App) -> AuditLog | None:
    """The log, where a team is served and the operator did not switch it off."""
    options = app.settings.of(ServerOptions)
    return AuditLog(audit_folder(app.settings)) if options.audit else None
