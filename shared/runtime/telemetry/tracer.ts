import { placeBelow, readTraceparent, type TracePlace, writeTraceparent } from './traceparent.ts'

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

/** What log lines about the work carry. */
export function idsOf({ trace_id, span_id }: Pick<Span, 'trace_id' | 'span_id'>): {
  trace_id: string
  span_id: string
} {
  return { trace_id, span_id }
}
