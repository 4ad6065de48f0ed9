"""Traces and metrics reach an OTLP/HTTP collector of the lab, and nothing is sent unless one is configured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from surface.test_http import Served

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="the extra otel is not installed")

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"


class Collector:
    """Keeps the spans, the metrics and the headers that were sent to it; also answers as a SearXNG."""

    def __init__(self) -> None:
        self.bodies: dict[str, list[bytes]] = {}
        self.parents: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.bodies.setdefault(self.path, []).append(body)
                self._answer(b"")

            def do_GET(self) -> None:
                outer.parents.append(self.headers.get("traceparent", ""))
                hit = {"url": "https://a.example/", "title": "A", "content": "tortoise", "engine": "x"}
                self._answer(json.dumps({"query": "q", "results": [hit], "unresponsive_engines": []}).encode())

            def _answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.close()


def test_a_call_is_a_span_of_the_caller_s_trace_and_a_measurement(collector: Collector, tmp_path: Path) -> None:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    served = Served(
        tmp_path,
        MCP_WEB_OTLP_ENDPOINT=collector.url,
        MCP_WEB_SEARXNG_URLS=collector.url,
        MCP_WEB_DDGS_ENABLED="false",
        MCP_WEB_LOG="info",
        OTEL_SERVICE_NAME="library",
    )
    params = {"name": "web_search", "arguments": {"query": "tortoise"}, "_meta": {"traceparent": PARENT}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
    status, _, raw = served.ask("POST", "/mcp", json.dumps(body).encode(), **headers)
    assert status == 200
    assert b"a.example" in raw
    for unknown in (body | {"method": "made/up"}, body | {"params": {"name": "made-up"}}):
        served.ask("POST", "/mcp", json.dumps(unknown).encode(), **headers)
    served.stop()
    assert served.process.stderr is not None
    log = served.process.stderr.read().decode()
    assert f'"trace_id": "{TRACE}"' in log

    resources = [
        resource
        for body in collector.bodies["/v1/traces"]
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
    ]
    about = {pair.key: pair.value.string_value for pair in resources[0].resource.attributes}
    assert about["service.name"] == "library", "the standard variable names the service"
    assert about["service.version"]
    spans = [span for resource in resources for scope in resource.scope_spans for span in scope.spans]
    called = next(span for span in spans if span.name == "tools/call web_search")
    assert called.trace_id.hex() == TRACE
    facts = {pair.key: pair.value.string_value for pair in called.attributes}
    assert facts["mcp.method.name"] == "tools/call"
    assert facts["gen_ai.tool.name"] == "web_search"
    steps = [span for span in spans if span.name.startswith("mcp_web.")]
    assert steps
    assert {span.trace_id.hex() for span in steps if span.name == "mcp_web.tool"} == {TRACE}
    assert "tortoise" not in str(spans), "queries do not leave"
    assert any(TRACE in parent for parent in collector.parents), "the configured provider gets the trace"

    names = {
        metric.name
        for body in collector.bodies["/v1/metrics"]
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert "mcp.server.operation.duration" in names
    measured = b"".join(collector.bodies["/v1/metrics"])
    assert b"web_search" in measured
    assert b"made" not in measured, "what does not exist would be a time series of its own"


def test_nothing_is_sent_and_no_exporter_is_loaded_unless_configured() -> None:
    code = (
        "import sys; from mcp_web.telemetry.open import open_telemetry; from mcp_web.telemetry.options import"
        " TelemetryOptions; import mcp_web.server.http; assert open_telemetry(TelemetryOptions()) is None;"
        " sys.exit(any('otlp' in name or 'opentelemetry.sdk' in name for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_step_with_an_invalid_url_fails_with_its_own_error() -> None:
    from mcp_web.errors import InvalidUrl
    from mcp_web.telemetry.open import StepSpans

    with pytest.raises(InvalidUrl), StepSpans().span("tool", {"url": "http://[::1"}):
        raise InvalidUrl("This is not a valid URL.")
