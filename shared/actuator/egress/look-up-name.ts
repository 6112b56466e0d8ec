import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** Look-up options. `listed` is true if the operator allows the name to have private addresses. */
export type LookUpOptions = LookupOptions & { all: true; listed: boolean }

export type LookUp = (
  hostname: string,
  options: LookUpOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface NameServers {
  servers?: readonly string[]
  /** Milliseconds to wait for one answer of one server; each server is asked twice. */
  timeout_ms?: number
}

const timeoutPresetMs = 2_000
const hostsFile = '/etc/hosts'

/**
 * Creates a look-up that occupies no thread. The system's look-up has two threads per process, and a name
 * with silent servers would block one for many seconds. Names that are listed, have no dot or are in the
 * hosts file still use the system's look-up.
 */
export function createLookUp({ servers, timeout_ms = timeoutPresetMs }: NameServers = {}): LookUp {
  const ask = async (hostname: string): Promise<LookupAddress[]> => {
    const resolver = new Resolver({ timeout: timeout_ms, tries: 2 })
    if (servers) resolver.setServers(servers)
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [...addressesOf(four, 4), ...addressesOf(six, 6)]
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason
    return addresses
  }
  return (hostname, options, callback) => {
    isOfSystem(hostname, options)
      .then(ofSystem => {
        if (ofSystem) return lookup(hostname, options, callback)
        return ask(hostname).then(addresses => callback(null, addresses))
      })
      .catch(error => callback(error, []))
  }
}

async function isOfSystem(hostname: string, { listed }: LookUpOptions): Promise<boolean> {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return listed || !name.includes('.') || (await namesOfHosts()).has(name)
}

/** Reads the hosts file anew at each call, so that a change counts at once. A missing file counts as empty. */
async function namesOfHosts(): Promise<Set<string>> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '')
  const lines = text.toLowerCase().split('\n')
  return new Set(lines.flatMap(line => line.replace(/#.*/, '').trim().split(/\s+/).slice(1)))
}

function addressesOf(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'fulfilled' ? found.value.map(address => ({ address, family })) : []
}
