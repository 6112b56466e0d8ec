import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Hosts of this machine that an operator let actuators call, beside those of the settings. */
export interface LocalHosts {
  /** Each with its port. */
  names(): readonly string[]
  /** Kept before it is in force. */
  allow(host: string): void
}

const hostsFile = 'local-hosts'

/**
 * In embedded mode they are in a file beside the data, one a line; for a temporary database they go with the process.
 * Null: there is no place of its own, and nothing is allowed so.
 */
export function openLocalHosts(embedded: { directory: string | null } | null): LocalHosts {
  const path = embedded?.directory ? join(resolve(embedded.directory), hostsFile) : null
  let known = path === null ? [] : readHosts(path)
  return {
    names: () => known,
    allow(host) {
      const more = [...new Set([...known, host])].sort()
      if (path !== null) writeHosts(path, more)
      known = more
    },
  }
}

function readHosts(path: string): string[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line !== '')
}

/** Under its name there is a whole file or none, whenever the process ends. */
function writeHosts(path: string, hosts: readonly string[]): void {
  writeFileSync(`${path}.new`, `${hosts.join('\n')}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
