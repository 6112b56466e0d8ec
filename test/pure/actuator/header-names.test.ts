import { describe, expect, it } from 'vitest'
import { registeredActuatorSchema } from '../../../shared/contract/configuration/actuator-schema.ts'

const names = [
  'Host',
  'Connection',
  'Content-Length',
  'Transfer-Encoding',
  'Accept-Encoding',
  'Expect',
  'HTTP2-Settings',
  'Keep-Alive',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
  'Proxy-Connection',
  'TE',
  'Trailer',
  'Upgrade',
  'X-Action-Gate-Request',
]
const reference = { env: 'ACTUATOR_SHOP' }
const request = { method: 'GET', path: '/' }

const http = (more: object) => ({
  name: 'shop',
  kind: 'http',
  settings: { base_url: 'https://shop.example', operations: { list: request }, ...more },
})
const mcp = (transport: object) => ({
  name: 'shop',
  kind: 'mcp',
  settings: { transport: { type: 'streamable_http', url: 'https://shop.example', ...transport }, tools: {} },
})

/** Every place where a registration names a header that is sent. */
const places: Readonly<Record<string, (name: string) => object>> = {
  headers: name => http({ headers: { [name]: 'x' } }),
  'headers with a secret': name => http({ headers: { [name]: reference } }),
  'headers of an operation': name => http({ operations: { list: { ...request, headers: { [name]: 'x' } } } }),
  'headers of a look-up': name => http({ lookup: { ...request, headers: { [name]: 'x' }, executed: [200] } }),
  'auth.name': name => http({ auth: { type: 'header', name, value: reference } }),
  idempotency_header: name => http({ idempotency_header: name }),
  not_after_header: name => http({ not_after_header: name }),
  'headers of a server of tools': name => mcp({ headers: { [name]: 'x' } }),
}

const codesOf = (registration: object): unknown[] =>
  (registeredActuatorSchema.safeParse(registration).error?.issues ?? []).map(
    issue => (issue as { params?: { code?: string } }).params?.code,
  )

describe.each(Object.entries(places))('%s', (_, named) => {
  it.each(names.flatMap(name => [name, name.toLowerCase(), name.toUpperCase()]))('never name %s', name => {
    expect(codesOf(named(name))).toEqual(['framing_header'])
  })

  it('may name another header', () => {
    expect(codesOf(named('X-Shop'))).toEqual([])
  })
})

describe('a header that the service makes a value for', () => {
  it.each(['auth.name', 'idempotency_header', 'not_after_header', 'headers of a server of tools'])(
    'is by %s none that says what the body is',
    place => {
      const refused = ['Content-Type', 'Accept', 'traceparent'].map(name =>
        codesOf(places[place]?.(name) ?? {}),
      )
      expect(refused).toEqual(Array(3).fill(['framing_header']))
    },
  )

  it.each<[string, object]>([
    ['the key and the moment', { not_after_header: 'idempotency-key' }],
    ['the key and the proof', { auth: { type: 'header', name: 'IDEMPOTENCY-KEY', value: reference } }],
    [
      'the moment and the proof',
      { not_after_header: 'Authorization', auth: { type: 'bearer', token: reference } },
    ],
    [
      'the key and a signature',
      { idempotency_header: 'Webhook-Signature', auth: { type: 'hmac', key: reference } },
    ],
  ])('is not one for %s', (_, more) => {
    expect(codesOf(http(more))).toEqual(['header_twice'])
  })
})
