"""The options of extraction."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class ExtractOptions:
    ocr: str = option(
        "eng",
        "Languages in which Tesseract, where it is installed, reads scanned PDF pages and pictures, such as eng+deu; "
        "`off` reads none.",
        env="MCP_WEB_OCR",
    )
    site_configs: str = option(
        "",
        "Folder with your own site configs (*.toml), for sites that are read badly; they win over the packaged ones.",
        env="MCP_WEB_SITE_CONFIGS",
        contracts={"mcp-web": "site_configs"},
    )
