import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** A file of a package that the tests take, wherever it is installed. */
export function packageFile(name: string, path: string): string {
  const { resolve } = createRequire(import.meta.url)
  const folder = resolve
    .paths(name)
    ?.map(place => join(place, name))
    .find(place => existsSync(join(place, path)))
  if (folder === undefined) throw new Error(`${name} is not installed: run "npm test" once`)
  return join(folder, path)
}
