"""Options of OpenTelemetry: where traces and metrics are sent."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_web.model.option import option


@dataclass(frozen=True, slots=True)
class TelemetryOptions:
    otlp_endpoint: str = option(
        "",
        "An OTLP/HTTP collector that receives traces and metrics, such as http://127.0.0.1:4318; empty sends nothing.",
        env=("MCP_WEB_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    )
    otlp_headers: tuple[str, ...] = option(
        (), "Headers for the collector, such as its key, as NAME=VALUE.", env="MCP_WEB_OTLP_HEADERS", secret=True
    )
