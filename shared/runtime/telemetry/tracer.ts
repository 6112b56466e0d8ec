import { newSpanId, newTraceId } from '../ids.ts'

export interface Span {
  trace_id: string
  span_id: string
  traceparent: string
  /** Links this span to a related trace. */
  link(traceparent: string | null): void
  end(told: SpanEnd): void
}

/** The name and attributes of a span, which never include parameters or persons. */
export interface SpanEnd {
  name: string
  attributes: Readonly<Record<string, string | number>>
  failed: boolean
}

export interface Tracer {
  /** Begins a span below `parent`, a `traceparent` that was received. An invalid `traceparent` is ignored. */
  begin(kind: 'server' | 'client', parent: string | null | undefined): Span
  close(): Promise<void>
}

export function idsOf({ trace_id, span_id }: Pick<Span, 'trace_id' | 'span_id'>): {
  trace_id: string
  span_id: string
} {
  return { trace_id, span_id }
}

/** A position in a distributed trace (W3C Trace Context). */
export interface TracePlace {
  /** The ids of the trace and the span: 32 and 16 hexadecimal digits, neither all zero. */
  trace_id: string
  span_id: string
  sampled: boolean
}

/**
 * Reads a `traceparent` (W3C Trace Context level 1, section 3.2). Returns null if it is invalid; a new trace then
 * begins.
 */
export function readTraceparent(text: string | null | undefined): TracePlace | null {
  const [, version = 'ff', trace_id = '', span_id = '', flags = '', rest = ''] = shape.exec(text ?? '') ?? []
  if (version === 'ff' || (version === '00' && rest !== '')) return null
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return null
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s

export function writeTraceparent({ trace_id, span_id, sampled }: TracePlace): string {
  return `00-${trace_id}-${span_id}-0${sampled ? 1 : 0}`
}

/** Returns a new position below a parent. Without a parent, a new trace begins, which is not sampled. */
export function placeBelow(parent: TracePlace | null): TracePlace {
  const span_id = newSpanId()
  return parent ? { ...parent, span_id } : { trace_id: newTraceId(), span_id, sampled: false }
}
