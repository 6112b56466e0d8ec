import type { Config } from '../settings/config.ts'
import {
  placeBelow,
  readTraceparent,
  type Span,
  type TracePlace,
  type Tracer,
  writeTraceparent,
} from './tracer.ts'

export interface TracerOptions {
  config: Config
  /** Name of the process, where the configuration gives none. */
  name: string
  /** Told of spans that could not be sent. */
  onLost(reason: string): void
}

/** Spans to a collector where one is configured; else ids alone, and nothing of OpenTelemetry is loaded. */
export async function openTracer({ config, name, onLost }: TracerOptions): Promise<Tracer> {
  const { otlp_endpoint, otlp_traces_endpoint, otel_service_name } = config
  const url = otlp_traces_endpoint ?? (otlp_endpoint && `${otlp_endpoint.replace(/\/$/, '')}/v1/traces`)
  if (!url) return idTracer
  const { exportingTracer } = await import('./trace-export.ts')
  return exportingTracer({ url, serviceName: otel_service_name ?? name, onLost })
}

/** Log lines and headers carry ids, so that what others recorded can be found; nothing is recorded here. */
export const idTracer: Tracer = {
  begin: (_kind, parent) => idSpan(placeBelow(readTraceparent(parent))),
  close: async () => undefined,
}

function idSpan(place: TracePlace): Span {
  const { trace_id, span_id } = place
  return { trace_id, span_id, traceparent: writeTraceparent(place), link: ignore, end: ignore }
}

function ignore(): void {
  return
}
