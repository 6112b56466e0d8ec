import { BlockList, isIPv6 } from 'node:net'

/** IPv4 ranges outside the public internet, from IANA's special-purpose registry. */
const special4: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** IPv6 ranges within 2000::/3 that are not public or that carry IPv4 addresses. */
const special6: readonly [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const refused4 = listOf(special4, 'ipv4')
const refused6 = listOf(special6, 'ipv6')
const global6 = listOf([['2000::', 3]], 'ipv6')

/** The link-local range. No name may resolve to it, because most clouds serve metadata there. */
const linkLocal4 = listOf([['169.254.0.0', 16]], 'ipv4')

/** Addresses at which clouds serve credentials or configuration; some are in public ranges. */
const metadata4 = listOf(
  [
    ['169.254.0.23', 32], // Tencent
    ['169.254.42.42', 32], // Scaleway
    ['169.254.169.0', 24], // AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack and others
    ['169.254.170.0', 24], // AWS: credentials of containers
    ['100.100.100.200', 32], // Alibaba
    ['168.63.129.16', 32], // Azure
    ['192.0.0.192', 32], // Oracle
    ['192.80.8.124', 32], // Equinix Metal
  ],
  'ipv4',
)

const never6 = listOf(
  [
    ['fe80::', 10],
    ['fd00:ec2::', 32], // AWS
    ['fd20:ce::', 32], // Google
    ['fd00:42::', 32], // Scaleway
    ['fd00:c1::', 32], // Oracle
    ['fd00:a9fe:a9fe::', 48], // Linode
  ],
  'ipv6',
)

/** Returns true for an address of the public internet; an IPv6 address that carries IPv4 is never one. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !refused4.check(address, 'ipv4') && mayBeNamed(address)
  const plain = withoutZone(address)
  if (carriedIn(groupsOf(plain)).length > 0) return false
  return global6.check(plain, 'ipv6') && !refused6.check(plain, 'ipv6') && mayBeNamed(plain)
}

/**
 * Returns true if a name that the operator allows may resolve to this address. Link-local and cloud metadata
 * addresses are refused, even if an IPv6 address carries them.
 */
export function mayBeNamed(address: string): boolean {
  if (!isIPv6(address)) return !linkLocal4.check(address, 'ipv4') && !metadata4.check(address, 'ipv4')
  const plain = withoutZone(address)
  if (never6.check(plain, 'ipv6')) return false
  const groups = groupsOf(plain)
  if (carriedIn(groups).some(carried => !mayBeNamed(carried))) return false
  // A network may have a NAT64 prefix of its own, so the last 32 bits are always checked as an IPv4 address.
  return !metadata4.check(ipv4Of(groups, 6), 'ipv4')
}

const carriers: readonly { list: BlockList; at: number; inverted?: true }[] = [
  { list: listOf([['::', 96]], 'ipv6'), at: 6 },
  { list: listOf([['::ffff:0:0', 96]], 'ipv6'), at: 6 },
  { list: listOf([['::ffff:0:0:0', 96]], 'ipv6'), at: 6 },
  { list: listOf([['64:ff9b::', 96]], 'ipv6'), at: 6 },
  { list: listOf([['64:ff9b:1::', 48]], 'ipv6'), at: 6 },
  { list: listOf([['2002::', 16]], 'ipv6'), at: 1 },
  // A Teredo address carries the server's IPv4 address and, with inverted bits, the client's.
  { list: listOf([['2001::', 32]], 'ipv6'), at: 2 },
  { list: listOf([['2001::', 32]], 'ipv6'), at: 6, inverted: true },
]

/** Returns the IPv4 addresses that an IPv6 address carries by mapping, NAT64, 6to4, Teredo or ISATAP. */
function carriedIn(groups: readonly number[]): string[] {
  const text = groups.map(group => group.toString(16)).join(':')
  const inverted = groups.map(group => group ^ 0xffff)
  const carried = carriers
    .filter(({ list }) => list.check(text, 'ipv6'))
    .map(carrier => ipv4Of(carrier.inverted ? inverted : groups, carrier.at))
  const isIsatap = groups[5] === 0x5efe && ((groups[4] ?? 0) & 0xfdff) === 0
  return isIsatap ? [...carried, ipv4Of(groups, 6)] : carried
}

function ipv4Of(groups: readonly number[], at: number): string {
  const [high = 0, low = 0] = groups.slice(at, at + 2)
  return [high >>> 8, high & 255, low >>> 8, low & 255].join('.')
}

function groupsOf(address: string): number[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right] = canonical.split('::')
  const numbers = (text: string) =>
    text.split(':').flatMap(group => (group === '' ? [] : [parseInt(group, 16)]))
  const [head, tail] = [numbers(left), numbers(right ?? '')]
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

/** Removes the zone, such as `%eth0` in `fe80::1%eth0`, which names a network interface of this machine. */
function withoutZone(address: string): string {
  return address.replace(/%.*$/, '')
}

function listOf(networks: readonly [string, number][], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}
