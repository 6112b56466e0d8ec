import { gunzipSync } from 'node:zlib'
import { startDownstream } from './http-downstream.ts'
import { fieldsOf, type ProtoFields } from './read-protobuf.ts'

/** A span as a collector was sent it. */
export interface ReceivedSpan {
  service: string
  trace_id: string
  span_id: string
  parent_id: string
  name: string
  attributes: Record<string, string>
  links: { trace_id: string; span_id: string }[]
}

/** A collector of OTLP over HTTP that keeps spans. */
export interface OtlpReceiver {
  url: string
  spans: ReceivedSpan[]
  close(): Promise<void>
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const server = await startDownstream((_seen, response, _request, body) => {
    spans.push(...readSpans(body))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  return { url: server.url, spans, close: server.close }
}

/** ExportTraceServiceRequest of opentelemetry-proto 1.x: the fields that tests look at. */
function readSpans(body: Buffer): ReceivedSpan[] {
  const bytes = body[0] === 0x1f ? gunzipSync(body) : body
  return messages(fieldsOf(bytes), 1).flatMap(resourceSpans => {
    const resource = messages(resourceSpans, 1).flatMap(found => messages(found, 1))
    const service = attributesOf(resource)['service.name'] ?? ''
    return messages(resourceSpans, 2)
      .flatMap(scopeSpans => messages(scopeSpans, 2))
      .map(span => readSpan(service, span))
  })
}

function readSpan(service: string, span: ProtoFields): ReceivedSpan {
  return {
    service,
    trace_id: bytes(span, 1).toString('hex'),
    span_id: bytes(span, 2).toString('hex'),
    parent_id: bytes(span, 4).toString('hex'),
    name: bytes(span, 5).toString(),
    attributes: attributesOf(messages(span, 9)),
    links: messages(span, 13).map(link => ({
      trace_id: bytes(link, 1).toString('hex'),
      span_id: bytes(link, 2).toString('hex'),
    })),
  }
}

function attributesOf(keyValues: readonly ProtoFields[]): Record<string, string> {
  const entries = keyValues.map(keyValue => {
    const [value] = messages(keyValue, 2)
    const text = value?.get(1)?.[0] ?? value?.get(3)?.[0] ?? ''
    return [bytes(keyValue, 1).toString(), text.toString()]
  })
  return Object.fromEntries(entries)
}

function messages(fields: ProtoFields, number: number): ProtoFields[] {
  return (fields.get(number) ?? []).map(value => fieldsOf(value as Buffer))
}

function bytes(fields: ProtoFields, number: number): Buffer {
  return (fields.get(number)?.[0] ?? Buffer.alloc(0)) as Buffer
}
