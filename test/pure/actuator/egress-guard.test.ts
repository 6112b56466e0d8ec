import type { LookupAddress } from 'node:dns'
import { describe, expect, it } from 'vitest'
import { createEgressGuard } from '../../../shared/actuator/egress/egress-guard.ts'
import type { LookUp } from '../../../shared/actuator/egress/look-up-name.ts'
import { isPublicAddress, mayBeNamed } from '../../../shared/actuator/egress/public-address.ts'
import { exchange } from '../../../shared/actuator/exchange.ts'
import { startDownstream } from '../../support/fixtures/http-downstream.ts'

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
    '2600::5efe:10.0.0.1',
    '2600::200:5efe:10.0.0.1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
  ])('refuses %s', address => expect(isPublicAddress(address)).toBe(false))

  it.each(['169.254.169.254', 'fe80::1', 'fd00:ec2::254', '::ffff:169.254.169.254'])(
    'lets no name stand for %s',
    address => expect(mayBeNamed(address)).toBe(false),
  )

  it.each([
    ['NAT64', '64:ff9b::a9fe:a9fe'],
    ['NAT64 of a network for itself', '64:ff9b:1::a9fe:a9fe'],
    ['NAT64 under a prefix that nobody knows', '2a00:1234:64::a9fe:a9fe'],
    ['6to4', '2002:a9fe:a9fe::1'],
    ['the server of Teredo', '2001:0:a9fe:a9fe::1'],
    ['the client of Teredo', '2001:0:4136:e378:8000:63bf:5601:5601'],
    ['an IPv4-compatible address', '::169.254.169.254'],
    ['an IPv4-translated address', '::ffff:0:169.254.169.254'],
    ['ISATAP', 'fd12::5efe:a9fe:1'],
    ['a link of this machine', 'fe80::a9fe:a9fe%eth0'],
    ['Azure', '168.63.129.16'],
    ['Alibaba', '100.100.100.200'],
    ['Oracle', '192.0.0.192'],
    ['Oracle by IPv6', 'fd00:c1::a9fe:a9fe'],
    ['Google by IPv6', 'fd20:ce::254'],
    ['Scaleway by IPv6', 'fd00:42::42'],
    ['Linode by IPv6', 'fd00:a9fe:a9fe::1'],
    ['Equinix Metal', '192.80.8.124'],
  ])('lets no name stand for metadata through %s', (_, address) => {
    expect({ named: mayBeNamed(address), isPublic: isPublicAddress(address) }).toEqual({
      named: false,
      isPublic: false,
    })
  })

  it('lets every name that is at metadata through any carrier be refused', () => {
    const carriers = ['::ffff:', '64:ff9b::', '64:ff9b:1::', '::', '::ffff:0:']
    const metadata = ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192']
    const admitted = carriers.flatMap(prefix =>
      metadata.map(address => prefix + address).filter(address => mayBeNamed(address)),
    )
    expect(admitted).toEqual([])
  })

  it.each(['64:ff9b::10.0.0.1', '2002:a00:1::1', '2001:0:a00:1::', 'fd12::5efe:10.0.0.1'])(
    'lets a name stand for %s, which carries such an address',
    address => expect(mayBeNamed(address)).toBe(true),
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
