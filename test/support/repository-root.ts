import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout, found from the sources as well as from their compiled form in `dist`. */
export const repositoryRoot = findUpwards(dirname(fileURLToPath(import.meta.url)))

function findUpwards(directory: string): string {
  if (['package.json', 'shared'].every(name => existsSync(join(directory, name)))) return directory
  const parent = dirname(directory)
  if (parent === directory) throw new Error(`no package.json beside shared/ above ${import.meta.url}`)
  return findUpwards(parent)
}
