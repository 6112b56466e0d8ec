import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'

/** Look-up options; `listed` is true if the operator allows the name to be private. */
export type LookUpOptions = LookupOptions & { all: true; listed: boolean }

export type LookUp = (
  hostname: string,
  options: LookUpOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface NameServers {
  servers?: readonly string[]
  /** Milliseconds for one question to one server; each server is asked twice. */
  timeout_ms?: number
}

const timeoutPresetMs = 2_000
const hostsFile = '/etc/hosts'

/**
 * Creates a look-up that needs no thread per name, because the system's has two threads per process and a
 * name with silent servers blocks one for many seconds. The system's look-up remains for names that are
 * listed, dotless or in the hosts file, since only these use search domains.
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

/** Reads the hosts file at each call, as the system does; a missing file counts as empty. */
async function namesOfHosts(): Promise<Set<string>> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '')
  const lines = text.toLowerCase().split('\n')
  return new Set(lines.flatMap(line => line.replace(/#.*/, '').trim().split(/\s+/).slice(1)))
}

function addressesOf(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'fulfilled' ? found.value.map(address => ({ address, family })) : []
}
