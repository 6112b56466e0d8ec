import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export interface LocalHosts {
  names(): readonly string[]
  /** Stores the host before the host is allowed, so that a failed write allows nothing. */
  allow(host: string): void
}

const hostsFile = 'local-hosts'

/** Keeps the hosts in a file beside the data, one per line. A temporary database keeps them in memory only. */
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

/** Writes to a temporary name and then renames, so that a crash never leaves half a file. */
function writeHosts(path: string, hosts: readonly string[]): void {
  writeFileSync(`${path}.new`, `${hosts.join('\n')}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
