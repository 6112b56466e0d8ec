import { newSpanId, newTraceId } from '../ids.ts'

/** A piece of work in a trace: a request, or one call of an actuator. */
export interface Span {
  trace_id: string
  span_id: string
  /** What is handed on to whatever is called from here. */
  traceparent: string
  /** Say that this work is about what happened there. */
  link(traceparent: string | null): void
  end(told: SpanEnd): void
}

/** What a span tells of its work: names and numbers, never what was asked for or who may. */
export interface SpanEnd {
  name: string
  attributes: Readonly<Record<string, string | number>>
  failed: boolean
}

export interface Tracer {
  /** Begin work below `parent`, a `traceparent` as it came; one that is not valid is as good as none. */
  begin(kind: 'server' | 'client', parent: string | null | undefined): Span
  /** Send what is left, within a bound of time. */
  close(): Promise<void>
}

/** What log lines about the work carry. */
export function idsOf({ trace_id, span_id }: Pick<Span, 'trace_id' | 'span_id'>): {
  trace_id: string
  span_id: string
} {
  return { trace_id, span_id }
}

/** Where a piece of work stands in a distributed trace (W3C Trace Context). */
export interface TracePlace {
  /** 32 and 16 hexadecimal digits, not all of them zero. */
  trace_id: string
  span_id: string
  sampled: boolean
}

/** What a valid `traceparent` says (W3C Trace Context level 1, section 3.2), or null: then nobody's trace is continued. */
export function readTraceparent(text: string | null | undefined): TracePlace | null {
  const [, version = 'ff', trace_id = '', span_id = '', flags = '', rest = ''] = shape.exec(text ?? '') ?? []
  if (version === 'ff' || (version === '00' && rest !== '')) return null
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return null
  return { trace_id, span_id, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s

/** The same as a header: 55 characters. */
export function writeTraceparent({ trace_id, span_id, sampled }: TracePlace): string {
  return `00-${trace_id}-${span_id}-0${sampled ? 1 : 0}`
}

/** The place of new work below a parent; without one it begins a trace, which nobody records. */
export function placeBelow(parent: TracePlace | null): TracePlace {
  const span_id = newSpanId()
  return parent ? { ...parent, span_id } : { trace_id: newTraceId(), span_id, sampled: false }
}
