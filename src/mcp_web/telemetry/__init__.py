"""OpenTelemetry: traces and metrics, sent only to an endpoint that the operator names."""
