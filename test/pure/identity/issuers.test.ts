import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { issuerSchema } from '../../../shared/contract/configuration/issuer-schema.ts'
import { createIssuers, type Issuers } from '../../../shared/identity/issuers.ts'
import { type HostileIssuer, sendJson, startHostileIssuer } from '../../support/servers/hostile-issuer.ts'

const attempt = {
  redirect_uri: 'http://127.0.0.1:8080/app/signed-in/example',
  state: 'S'.repeat(43),
  nonce: 'n'.repeat(64),
  code_verifier: 'v'.repeat(64),
}
const nowS = () => Math.floor(Date.now() / 1_000)
const secret = 'secret of the client'
let issuer: HostileIssuer
let aheadMs: number

beforeEach(async () => {
  aheadMs = 0
  issuer = await startHostileIssuer(() => attempt.nonce)
})
afterEach(() => issuer.close())

function issuersOf(traits: object = {}, answerMsMax = 10_000): Issuers {
  const setting = issuerSchema.parse({ title: 'Example', issuer: issuer.url, client_id: 'gate', ...traits })
  const settings = new Map([['example', setting]])
  return createIssuers({ settings, readSecret: () => secret, now: () => Date.now() + aheadMs, answerMsMax })
}

const cameBack = (more: object = {}) =>
  String(new URLSearchParams({ code: 'c', state: attempt.state, iss: issuer.url, ...more }))
const redeem = (issuers = issuersOf(), parameters = cameBack()) =>
  issuers.redeem('example', attempt, parameters)
const refused = { ok: false, error: { reason: 'refused' } }
const unavailable = { ok: false, error: { reason: 'unavailable' } }
const metadata = '/.well-known/openid-configuration'

describe('an identity', () => {
  it('is what the issuer signed', async () => {
    issuer.claims = { email: 'ann@example.org', email_verified: true, acr: 'high' }
    expect(await redeem()).toEqual({
      ok: true,
      value: {
        issuer: issuer.url,
        subject: 'ann',
        label: 'ann@example.org',
        acr: 'high',
        auth_time: expect.any(Number),
        ends: null,
        groups: [],
        sid: null,
      },
    })
  })

  it.each([
    [
      'an address that is not proved',
      { email: 'boss@example.org', email_verified: false, name: 'Ann' },
      'Ann',
    ],
    [
      'an address that hides something',
      { email: 'ann\u202e@example.org', email_verified: true, preferred_username: 'ann1' },
      'ann1',
    ],
    ['an address of which the issuer says nothing', { email: 'boss@example.org', name: 'Ann' }, 'Ann'],
    [
      'names that are addresses',
      { preferred_username: 'boss@example.org', name: 'boss\uff20example.org' },
      'ann',
    ],
    ['a long name', { name: 'x'.repeat(300) }, 'ann'],
    ['nothing', {}, 'ann'],
  ])('is called after the next best of %s', async (_, claims, label) => {
    issuer.claims = claims
    expect(await redeem()).toMatchObject({ ok: true, value: { label } })
  })

  it('ends when the issuer says', async () => {
    const session_expiry = nowS() + 120
    issuer.claims = { session_expiry }
    expect(await redeem()).toMatchObject({ ok: true, value: { ends: session_expiry * 1_000 } })
    issuer.claims = { session_expiry: nowS() - 1 }
    expect(await redeem()).toMatchObject(refused)
  })

  it('may come from a clock that is a minute apart', async () => {
    issuer.claims = { iat: nowS() + 50, auth_time: nowS() + 50, nbf: nowS() + 50 }
    expect((await redeem()).ok).toBe(true)
    issuer.claims = { iat: nowS() - 350, exp: nowS() - 50 }
    expect((await redeem()).ok).toBe(true)
  })

  it('holds with a new key at once, and with the old one no more', async () => {
    const issuers = issuersOf()
    expect((await redeem(issuers)).ok).toBe(true)
    issuer.rotate()
    expect((await redeem(issuers)).ok).toBe(true)
    expect(issuer.asked(metadata), 'metadata is kept').toBe(1)
    issuer.signWithAnother()
    expect(await redeem(issuers)).toMatchObject(refused)
  })
})

describe('a forged token', () => {
  it.each<[string, () => object]>([
    ['of another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['for another client', () => ({ aud: 'somebody-else' })],
    ['for several clients, none of which it names', () => ({ aud: ['gate', 'other'], azp: 'other' })],
    ['that has expired', () => ({ exp: nowS() - 120 })],
    ['that is not good yet', () => ({ nbf: nowS() + 600 })],
    ['of another attempt', () => ({ nonce: 'other' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a subject that hides something', () => ({ sub: 'ann\u200b' })],
    ['with a long subject', () => ({ sub: 'x'.repeat(256) })],
    ['that does not say when', () => ({ auth_time: undefined })],
    ['of an old log-in', () => ({ auth_time: nowS() - 50_000 })],
    ['of a log-in in the future', () => ({ auth_time: nowS() + 600 })],
    ['that was made an hour ahead', () => ({ iat: nowS() + 3_600, exp: nowS() + 7_200 })],
  ])('%s is refused', async (_, claims) => {
    issuer.claims = claims()
    expect(await redeem()).toMatchObject(refused)
  })

  it('with a signature of another key is refused', async () => {
    issuer.signWithAnother()
    expect(await redeem()).toMatchObject(refused)
  })

  it.each(['none', 'HS256', 'ES256'])('with the algorithm %s is refused', async alg => {
    issuer.header = { alg }
    issuer.signature = alg === 'none' ? '' : createHmac('sha256', secret).update('x').digest('base64url')
    expect(await redeem()).toMatchObject(refused)
  })

  it('of a weaker log-in than was asked for is refused', async () => {
    issuer.claims = { acr: 'low' }
    expect(await redeem(issuersOf({ acr_values: ['high'] }))).toMatchObject(refused)
    issuer.claims = { acr: 'high' }
    expect((await redeem(issuersOf({ acr_values: ['high'] }))).ok).toBe(true)
  })

  it('without auth_time holds where the setting does not ask for it', async () => {
    issuer.claims = { auth_time: undefined }
    expect(await redeem(issuersOf({ max_age_s: null }))).toMatchObject({
      ok: true,
      value: { auth_time: null },
    })
  })
})

describe('a way back', () => {
  it.each<[string, object]>([
    ['from another issuer (a mix-up)', { iss: 'https://elsewhere.example' }],
    ['with another state', { state: 'T'.repeat(43) }],
    ['with an error', { error: 'access_denied' }],
  ])('%s is refused before the code is redeemed', async (_, more) => {
    expect(await redeem(issuersOf(), cameBack(more))).toMatchObject(refused)
    expect(issuer.asked('/token')).toBe(0)
  })

  it('without the issuer is refused where the issuer always says it', async () => {
    const parameters = String(new URLSearchParams({ code: 'c', state: attempt.state }))
    expect(await redeem(issuersOf(), parameters)).toMatchObject(refused)
    expect(issuer.asked('/token')).toBe(0)
  })
})

describe('an answer', () => {
  const paths = [metadata, '/token', '/jwks']
  const ways: [string, (response: ServerResponse) => void, object][] = [
    ['that never ends', () => undefined, unavailable],
    ['that is huge', response => sendJson(response, { padding: 'x'.repeat(300_000) }), unavailable],
    ['of a failure', response => response.writeHead(500).end(), unavailable],
    ['that is cut off', response => response.destroy(), unavailable],
    ['that is no JSON', response => response.end('<html>'), refused],
    ['that leads elsewhere', response => response.writeHead(302, { location: '/elsewhere' }).end(), refused],
  ]
  it.each(paths.flatMap(path => ways.map(way => [...way, path] as const)))(
    '%s is given up (%#)',
    async (_, answer, expected, path) => {
      issuer.answers.set(path, answer)
      expect(await redeem(issuersOf({}, 1_000))).toMatchObject(expected)
      expect(issuer.asked('/elsewhere')).toBe(0)
    },
  )

  it('that failed is asked for again', async () => {
    const issuers = issuersOf()
    issuer.answers.set(metadata, response => response.writeHead(503).end())
    expect(await redeem(issuers)).toMatchObject(unavailable)
    issuer.answers.delete(metadata)
    expect((await redeem(issuers)).ok).toBe(true)
  })

  it('about the issuer is asked for again after five minutes', async () => {
    const issuers = issuersOf({ max_age_s: null })
    await redeem(issuers)
    aheadMs = 299_000
    await redeem(issuers)
    expect(issuer.asked(metadata)).toBe(1)
    aheadMs = 301_000
    await redeem(issuers)
    expect(issuer.asked(metadata)).toBe(2)
  })

  it('that names another issuer is refused', async () => {
    issuer.metadata = { issuer: `${issuer.url}/` }
    expect(await redeem()).toMatchObject(refused)
  })
})

describe('a browser', () => {
  it.each(['javascript:alert(1)//', 'http://elsewhere.example/authorize', 'data:text/html,x'])(
    'is not sent to %s',
    async authorization_endpoint => {
      issuer.metadata = { authorization_endpoint }
      expect(await issuersOf().authorizationUrl('example', attempt)).toMatchObject(refused)
    },
  )

  it.each(['javascript:alert(1)//', 'http://elsewhere.example/end'])(
    'is not sent to %s when it leaves',
    async end_session_endpoint => {
      issuer.metadata = { end_session_endpoint }
      expect(await issuersOf().endSessionUrl('example', 'http://127.0.0.1/')).toBe(null)
    },
  )
})

describe('a setting', () => {
  it.each([
    'http://issuer.example',
    'https://issuer.example?x=1',
    'https://user@issuer.example',
    'https://issuer.example#x',
    'ftp://127.0.0.1',
    'nonsense',
  ])('of %s is refused', address => {
    const setting = { title: 'Example', issuer: address, client_id: 'gate' }
    expect(issuerSchema.safeParse(setting).success).toBe(false)
  })

  const at = 'org_k7mq2r4xw6yz3abc'
  it.each<[string, object]>([
    ['to the role of owners', { groups_claim: 'groups', groups: { everybody: `${at}/owner` } }],
    ['to another role', { groups_claim: 'groups', groups: { staff: `${at}/policy-author` } }],
    ['to no organization', { groups_claim: 'groups', groups: { staff: 'payments-leads' } }],
    ['to every organization', { groups_claim: 'groups', groups: { staff: '*/payments-leads' } }],
    ['of the issuer, which is everybody’s', { groups_claim: 'iss', groups: { x: `${at}/leads` } }],
    ['of the audience, which is everybody’s', { groups_claim: 'aud', groups: { gate: `${at}/leads` } }],
    ['of no claim', { groups: { staff: `${at}/leads` } }],
  ])('that maps groups %s is refused', (_what, traits) => {
    const setting = { title: 'Example', issuer: 'https://issuer.example', client_id: 'gate', ...traits }
    expect(issuerSchema.safeParse(setting).success).toBe(false)
  })

  it('maps values of a claim to groups of organizations', () => {
    const groups = { 'cn=leads': `${at}/payments-leads` }
    const setting = {
      title: 'Example',
      issuer: 'https://issuer.example',
      client_id: 'gate',
      groups_claim: 'https://example.org/groups',
      groups,
    }
    expect(issuerSchema.parse(setting)).toMatchObject({ groups, sign_up: true })
  })
})
