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
  name: string
  onLost(reason: string): void
}

/**
 * Opens a tracer that exports spans if a collector is configured. Otherwise it makes only ids, without
 * OpenTelemetry.
 */
export async function openTracer({ config, name, onLost }: TracerOptions): Promise<Tracer> {
  const { otlp_endpoint, otlp_traces_endpoint, otel_service_name } = config
  const url = otlp_traces_endpoint ?? (otlp_endpoint && `${otlp_endpoint.replace(/\/$/, '')}/v1/traces`)
  if (!url) return idTracer
  const { exportingTracer } = await import('./trace-export.ts')
  return exportingTracer({ url, serviceName: otel_service_name ?? name, onLost })
}

/**
 * A tracer that makes ids but records no spans. Log lines and headers still match the records of other systems.
 */
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
