import { createHash, createHmac } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpRequest } from '../../../shared/actuator/exchange.ts'
import { httpActuator } from '../../../shared/actuator/http/http-actuator.ts'
import { type AwsSigning, signAws } from '../../../shared/actuator/http/sign-aws.ts'
import { httpSettingsSchema } from '../../../shared/contract/configuration/http-actuator-schema.ts'
import { invocationOf, surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import { type Downstream, startDownstream } from '../../support/fixtures/http-downstream.ts'

/** Credentials, moment and signatures of the suite that AWS publishes for Signature Version 4. */
const secret_access_key = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const suite: AwsSigning = {
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key,
  region: 'us-east-1',
  service: 'service',
}
const at = new Date('2015-08-30T12:36:00Z')
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const unreserved = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const request = (method: 'GET' | 'POST', path: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method,
  url: new URL(path, 'https://example.amazonaws.com'),
  headers: {},
  body: null,
  ...more,
})

describe('a signature for AWS', () => {
  it.each<[string, HttpRequest, string]>([
    ['get-vanilla', request('GET', '/'), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'post-vanilla',
      request('POST', '/'),
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'get-vanilla-query-order-key-case',
      request('GET', '/?Param2=value2&Param1=value1'),
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-utf8-query',
      request('GET', '/?\u1234=bar'),
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    [
      'get-unreserved',
      request('GET', `/${unreserved}`),
      '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    ],
    [
      'post-x-www-form-urlencoded',
      request('POST', '/', { headers: form, body: 'Param1=value1' }),
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('is the published one of %s', async (_name, call, signature) => {
    const { headers } = await signAws(call, suite, at)
    expect(headers).toMatchObject({ 'x-amz-date': '20150830T123600Z' })
    expect(headers.authorization).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request')
    expect(headers.authorization?.split('Signature=')[1]).toBe(signature)
  })

  it.each(['service', 's3'])('has the path of %s as its servers take it', async service => {
    const call = request('POST', '/a%20b/c?q=one+two&q=+', { body: '{"a":1}' })
    const { url, headers } = await signAws(call, { ...suite, service }, at)
    expect(url.href).toBe('https://example.amazonaws.com/a%20b/c?q=one%20two&q=%20')
    const path = service === 's3' ? '/a%20b/c' : '/a%2520b/c'
    const canonical = [path, 'q=%20&q=one%20two']
    expect(headers.authorization).toBe(authorization(service, canonical, { body: '{"a":1}', headers }))
  })

  it('says whose temporary credentials it is made with', async () => {
    const { headers } = await signAws(request('GET', '/'), { ...suite, session_token: 'the session' }, at)
    expect(headers['x-amz-security-token']).toBe('the session')
    expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token')
  })
})

/** The same by the words of the documentation of AWS, with nothing of the library. */
function authorization(
  service: string,
  [path, query]: string[],
  { body, headers }: { body: string; headers: Record<string, string> },
): string {
  const hex = (text: string): string => createHash('sha256').update(text).digest('hex')
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
  const sent: Record<string, string> = { ...headers, host: 'example.amazonaws.com' }
  const names = Object.keys(sent)
    .filter(name => name !== 'authorization')
    .sort()
  const lines = names.map(name => `${name}:${sent[name]}\n`).join('')
  const canonical = ['POST', path, query, lines, names.join(';'), hex(body)].join('\n')
  const scope = `20150830/us-east-1/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', '20150830T123600Z', scope, hex(canonical)].join('\n')
  const key = ['20150830', 'us-east-1', service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secret_access_key}`,
  )
  const signature = hmac(key, text).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
}

describe('an actuator that signs for AWS', () => {
  let server: Downstream
  afterEach(() => server.close())

  it('sends what it signed, and shows no secret in what is recorded', async () => {
    server = await startDownstream((seen, response) =>
      response.writeHead(422).end(JSON.stringify({ headers: seen.headers, secret: secret_access_key })),
    )
    const settings = httpSettingsSchema.parse({
      base_url: server.url,
      auth: {
        type: 'aws_sigv4',
        access_key_id: 'AKIDEXAMPLE',
        secret_access_key: { env: 'ACTUATOR_SECRET' },
        session_token: { env: 'ACTUATOR_SESSION' },
        region: 'us-east-1',
        service: 'execute-api',
      },
      operations: { refund: { method: 'POST', path: '/refunds/{parameters.charge}' } },
    })
    const secrets = new Map([
      ['ACTUATOR_SECRET', secret_access_key],
      ['ACTUATOR_SESSION', 'the session of the test'],
    ])
    const call = invocationOf({ operation: 'refund', parameters: { charge: 'ch 1' } })
    const outcome = await httpActuator('aws', settings, surroundings({ secrets })).invoke(call)
    const { url, headers, body } = server.seen[0] ?? { url: '', headers: {}, body: '' }
    expect(url).toBe('/refunds/ch%201')
    expect(headers).toMatchObject({
      'x-amz-security-token': 'the session of the test',
      host: server.url.replace('http://', ''),
    })
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/execute-api\//,
    )
    expect(body).toBe('{"charge":"ch 1"}')
    expect(outcome).toMatchObject({ class: 'failed', code: 'http_422' })
    expect(JSON.stringify(outcome)).not.toContain('the session of the test')
    expect(JSON.stringify(outcome)).not.toContain(secret_access_key)
  })
})
