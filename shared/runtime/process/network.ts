import { ipKeyGenerator } from 'express-rate-limit'

/** What an address is counted by: IPv6 by its /64, which one client has to itself; IPv4 as it is, mapped or not. */
export function networkOf(address: string): string {
  return ipKeyGenerator(address, 64)
}
