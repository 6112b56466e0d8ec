import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { createEgressGuard } from '../../../shared/actuator/egress/egress-guard.ts'
import type { LookUp } from '../../../shared/actuator/egress/look-up-name.ts'
import { isPublicAddress, mayBeNamed } from '../../../shared/actuator/egress/public-address.ts'
import { exchange } from '../../../shared/actuator/exchange.ts'
import { startDownstream } from '../../support/http-downstream.ts'

describe('public addresses', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '192.169.0.1', '2606:4700:4700::1111', '2a00:1450::1'])(
    'admits %s',
    address => expect(isPublicAddress(address)).toBe(true),
  )

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
  ])('refuses %s', address => expect(isPublicAddress(address)).toBe(false))

  it.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'lets no name stand for %s',
    address => expect(mayBeNamed(address)).toBe(false),
  )

  it.each(['127.0.0.1', '10.0.0.1', '::1', '::ffff:10.0.0.1', 'fd12::1'])(
    'lets a name stand for %s',
    address => expect(mayBeNamed(address)).toBe(true),
  )
})

describe('a URL', () => {
  const guard = createEgressGuard(['crm.internal', 'localhost:8080', 'metadata.internal'])
  const check = (url: string) => () => guard.check(new URL(url))

  it.each([
    'http://example.com/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'http://localhost:8081/',
    'http://crm.internal.example.com/',
  ])('refuses %s', url => expect(check(url)).toThrow(/may (not|only) be called/))

  it.each([
    'https://example.com/',
    'http://crm.internal/',
    'http://CRM.internal.:9/',
    'http://localhost:8080/',
  ])('leaves %s to what it resolves to', url => expect(check(url)).not.toThrow())
})

describe('a connection', () => {
  const answers = (...rounds: string[][]): LookUp => {
    let round = 0
    return (_hostname, _options, callback) => {
      const addresses = rounds[Math.min(round++, rounds.length - 1)] ?? []
      callback(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }
  }
  const call = (url: string, resolver: LookUp, allowed: string[] = []) =>
    exchange(
      { method: 'GET', url: new URL(url), headers: {}, body: null },
      {
        guard: createEgressGuard(allowed, resolver),
        timeout_ms: 2_000,
        max_response_bytes: 1_000,
        signal: new AbortController().signal,
      },
    )

  it.each([
    ['a private address', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
    ['IPv6 that stands for IPv4', ['::ffff:127.0.0.1']],
    ['one of two', ['93.184.216.34', '127.0.0.1']],
  ])('is refused where the name resolves to %s', async (_name, addresses) => {
    expect(await call('https://example.com/', answers(addresses))).toMatchObject({
      kind: 'refused',
      code: 'egress_refused',
    })
  })

  it('is made to the very address that was checked: a second answer is not asked for', async () => {
    const downstream = await startDownstream((_seen, response) => response.end('{}'))
    try {
      const rebinding = answers(['127.0.0.1'], ['169.254.169.254'])
      const url = `http://rebind.internal:${downstream.port}/`
      expect(await call(url, rebinding, ['rebind.internal'])).toMatchObject({ kind: 'answered' })
      expect(await call(url, answers(['169.254.169.254']), ['rebind.internal'])).toMatchObject({
        kind: 'refused',
      })
      expect(downstream.seen).toHaveLength(1)
    } finally {
      await downstream.close()
    }
  })
})
