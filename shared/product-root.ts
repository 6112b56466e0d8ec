import { existsSync } from 'node:fs'

/**
 * The folder with `package.json`, `drizzle` and `dist`, as a URL with a final slash. It is searched upwards, since
 * sources, compiled files and bundles are at different depths.
 */
export const productRoot: URL = above(new URL('./', import.meta.url))

function above(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const parent = new URL('../', folder)
  if (parent.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`)
  return above(parent)
}
