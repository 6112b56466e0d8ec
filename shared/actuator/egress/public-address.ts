import { BlockList, isIPv6 } from 'node:net'

/** IPv4 that is not of the public internet: IANA's special-purpose registry. */
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

/** Parts of the global unicast range 2000::/3 that are not public, or that carry IPv4 in them. */
const special6: readonly [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const refused4 = listOf(special4, 'ipv4')
const refused6 = listOf(special6, 'ipv6')
const global6 = listOf([['2000::', 3]], 'ipv6')

/** Link-local and metadata addresses, which no name may stand for. */
const neverAllowed4 = listOf([['169.254.0.0', 16]], 'ipv4')
const neverAllowed6 = listOf(
  [
    ['fe80::', 10],
    ['fd00:ec2::', 32],
  ],
  'ipv6',
)

/** Whether an address belongs to the public internet; IPv6 that stands for IPv4 never does. */
export function isPublicAddress(address: string): boolean {
  if (!isIPv6(address)) return !refused4.check(address, 'ipv4')
  return global6.check(address, 'ipv6') && !refused6.check(address, 'ipv6')
}

/** Whether an address may be meant by a name that is allowed to be private: anything but link-local and metadata. */
export function mayBeNamed(address: string): boolean {
  if (!isIPv6(address)) return !neverAllowed4.check(address, 'ipv4')
  const mapped = mappedIPv4(address)
  return mapped === null ? !neverAllowed6.check(address, 'ipv6') : mayBeNamed(mapped)
}

/** The IPv4 address in `::ffff:0:0/96`, or null. */
function mappedIPv4(address: string): string | null {
  const [, high, low] =
    /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? []
  if (high === undefined || low === undefined) return null
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map(shift => (bits >>> shift) & 255).join('.')
}

function listOf(networks: readonly [string, number][], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family)
  return list
}
