import { existsSync } from 'node:fs'

/**
 * The folder with `package.json`, `drizzle` and `dist`, as a URL that ends with a slash. It is found upwards, since a
 * source, what it is compiled to and a bundle of many lie at different depths.
 */
export const productRoot: URL = above(new URL('./', import.meta.url))

function above(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder
  const parent = new URL('../', folder)
  if (parent.href === folder.href) throw new Error(`no package.json above ${import.meta.url}`)
  return above(parent)
}
