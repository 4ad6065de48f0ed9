"""Sets up the tracer and meter of the process, for the spans of `trace.step` and of the MCP SDK."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anyio import to_thread

from mcp_web import __version__, trace
from mcp_web.errors import ConfigError
from mcp_web.telemetry.options import TelemetryOptions
from mcp_web.text.urls import host_of

if TYPE_CHECKING:
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace import TracerProvider

METRICS_EVERY = 30.0  # seconds
_SEND_SECONDS = 10.0
# The attributes of a span; a URL is reduced to its host, and queries are never passed to `trace`.
_ATTRIBUTES = ("tool", "status", "bytes", "cache", "redirects", "error_code", "provider")


class Telemetry:
    """The tracer and meter providers of this process."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider) -> None:
        self._tracers = tracers
        self._meters = meters

    async def close(self) -> None:
        """Flush pending spans and metrics, and stop."""
        trace.observe_steps(None)
        await to_thread.run_sync(self._shut_down)

    def _shut_down(self) -> None:
        self._tracers.shutdown()
        self._meters.shutdown(timeout_millis=_SEND_SECONDS * 1000)


def open_telemetry(options: TelemetryOptions) -> Telemetry | None:
    """Start sending to the configured collector; None if none is configured.

    Raises ConfigError if OpenTelemetry is not installed or a header is invalid.
    """
    if not options.otlp_endpoint:
        return None
    try:
        from opentelemetry import metrics
        from opentelemetry import trace as tracing
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigError(
            "MCP_WEB_OTLP_ENDPOINT is set, but OpenTelemetry is not installed.",
            suggestion="Install it with: pip install 'mcp-web[otel]'.",
        ) from error
    base, headers = options.otlp_endpoint.rstrip("/"), _headers(options.otlp_headers)
    own = Resource.create({"service.name": "mcp-web", "service.version": __version__})
    resource = own.merge(OTELResourceDetector().detect())  # OTEL_SERVICE_NAME and the like
    tracers = TracerProvider(resource=resource)
    span_exporter = OTLPSpanExporter(endpoint=f"{base}/v1/traces", headers=headers, timeout=_SEND_SECONDS)
    tracers.add_span_processor(BatchSpanProcessor(span_exporter))
    metric_exporter = OTLPMetricExporter(endpoint=f"{base}/v1/metrics", headers=headers, timeout=_SEND_SECONDS)
    reader = PeriodicExportingMetricReader(metric_exporter, export_interval_millis=METRICS_EVERY * 1000)
    meters = MeterProvider(metric_readers=[reader], resource=resource)
    tracing.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    trace.observe_steps(StepSpans())
    return Telemetry(tracers, meters)


class StepSpans:
    """Records the steps that `trace.step` times as spans of OpenTelemetry."""

    @contextmanager
    def span(self, name: str, facts: Mapping[str, Any]) -> Iterator[None]:
        """Context manager: records a span around a step; `facts` become its attributes and are read at its end."""
        from opentelemetry import trace as tracing

        tracer = tracing.get_tracer("mcp-web", __version__)
        with tracer.start_as_current_span(f"mcp_web.{name}", record_exception=False) as span:
            try:
                yield
            finally:
                span.set_attributes(_attributes(facts))

    def trace_id(self) -> str:
        """The id of the current trace, as 32 hex digits; empty outside a trace."""
        from opentelemetry import trace as tracing

        context = tracing.get_current_span().get_span_context()
        return format(context.trace_id, "032x") if context.is_valid else ""

    def headers(self) -> dict[str, str]:
        """The headers that propagate the trace context, such as `traceparent`."""
        from opentelemetry.propagate import inject

        sent: dict[str, str] = {}
        inject(sent)
        return sent


def _attributes(facts: Mapping[str, Any]) -> dict[str, str | int | float | bool]:
    """The facts of a step that may be exported (`_ATTRIBUTES`), and the host of its URL, as attributes of a span."""
    found = {
        f"mcp_web.{name}": facts[name] for name in _ATTRIBUTES if isinstance(facts.get(name), str | int | float | bool)
    }
    host = host_of(str(facts.get("url") or ""))
    return found | ({"server.address": host} if host else {})


def _headers(pairs: tuple[str, ...]) -> dict[str, str]:
    """Headers from `NAME=VALUE` pairs; raises ConfigError for one without `=`."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ConfigError("MCP_WEB_OTLP_HEADERS has an item without '='; write NAME=VALUE.")
        found[name.strip()] = value.strip()
    return found
