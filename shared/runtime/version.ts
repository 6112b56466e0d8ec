import { createRequire } from 'node:module'

/** Version of the service, as its package says. */
export const version: string = readVersion()

function readVersion(): string {
  const require = createRequire(import.meta.url)
  const path = import.meta.url.includes('/dist/shared/') ? '../../../package.json' : '../../package.json'
  return (require(path) as { version: string }).version
}
