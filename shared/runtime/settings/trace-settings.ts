import { httpUrl, name, row, type Setting } from './setting.ts'

/** Where spans go; the names are OpenTelemetry's own. */
export const traceSettings = {
  otlp_endpoint: row(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    undefined,
    httpUrl,
    'OpenTelemetry collector (OTLP over HTTP) that spans are sent to, below `/v1/traces`; unset: none are recorded. Other `OTEL_` variables of the exporter, the sampler and the batches count too.',
  ),
  otlp_traces_endpoint: row(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    undefined,
    httpUrl,
    'The same as a whole address.',
  ),
  otel_service_name: row(
    'OTEL_SERVICE_NAME',
    undefined,
    name,
    'Name of the process in traces; default `action-gate-api` or `action-gate-worker`.',
  ),
} as const satisfies Record<string, Setting>
