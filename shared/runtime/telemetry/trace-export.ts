import {
  type Context,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { withTimeout } from '../deadline.ts'
import { readTraceparent, type Span, type TracePlace, type Tracer, writeTraceparent } from './tracer.ts'

export interface Exporting {
  url: string
  serviceName: string
  onLost(reason: string): void
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const
const flushMsMax = 3_000

/**
 * Creates a tracer that sends spans to a collector in batches. `OTEL_` variables set sampling, batches and
 * headers.
 */
export function exportingTracer({ url, serviceName, onLost }: Exporting): Tracer {
  const provider = new BasicTracerProvider({
    resource: detectResources({ detectors: [envDetector] }).merge(
      resourceFromAttributes({ 'service.name': serviceName }),
    ),
    spanProcessors: [new BatchSpanProcessor(tellingOfLoss(new OTLPTraceExporter({ url }), onLost))],
  })
  const tracer = provider.getTracer('action-gate')
  return {
    begin(kind, parent) {
      const span = tracer.startSpan(kind, { kind: kinds[kind] }, below(readTraceparent(parent)))
      return asSpan(span)
    },
    close: () => endWithin(provider.shutdown(), flushMsMax, onLost),
  }
}

function asSpan(span: OpenTelemetrySpan): Span {
  const { traceId: trace_id, spanId: span_id, traceFlags } = span.spanContext()
  const sampled = (traceFlags & TraceFlags.SAMPLED) !== 0
  return {
    trace_id,
    span_id,
    traceparent: writeTraceparent({ trace_id, span_id, sampled }),
    link(traceparent) {
      const place = readTraceparent(traceparent)
      if (place) span.addLink({ context: contextOf(place) })
    },
    end({ name, attributes, failed }) {
      span.updateName(name)
      span.setAttributes(attributes)
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

function below(parent: TracePlace | null): Context {
  return parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT
}

function contextOf({ trace_id, span_id, sampled }: TracePlace): SpanContext {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return { traceId: trace_id, spanId: span_id, traceFlags, isRemote: true }
}

/** Reports lost spans, because the exporter does not report them. */
function tellingOfLoss(exporter: OTLPTraceExporter, onLost: Exporting['onLost']): OTLPTraceExporter {
  const send = exporter.export.bind(exporter)
  exporter.export = (spans, done) =>
    send(spans, result => {
      if (result.error) onLost(`${spans.length} spans: ${result.error.message}`)
      done(result)
    })
  return exporter
}

async function endWithin(ending: Promise<void>, ms: number, onLost: Exporting['onLost']): Promise<void> {
  const ended = ending.catch((error: unknown) => onLost(String(error)))
  await withTimeout(ended, ms, () => onLost('the collector took too long at the end'))
}
