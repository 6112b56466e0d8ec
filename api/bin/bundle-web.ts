import { isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

/**
 * Bundles a module, of `api/web` or the client, for browsers, minified: as an ES module, or as a script that sets one global to what the
 * module exports. Throws where something would be left that only Node has.
 */
export async function bundleWeb(path: string, globalName?: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [portable, oneLanguage],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: pathOf(path),
        preserveEntrySignatures: 'strict',
        transform: { inject: { Buffer: [pathOf('shared/canon/portable/portable-buffer'), 'Buffer'] } },
        output: {
          ...(globalName === undefined ? { format: 'es' } : { format: 'iife', name: globalName }),
          comments: { legal: true, annotation: false, jsdoc: false },
        },
      },
    },
  })
  const outputs = [built].flat().flatMap(bundle => ('output' in bundle ? bundle.output : []))
  return outputs.map(output => ('code' in output ? output.code : '')).join('')
}

const replaced = new Map(
  ['digest', 'ed25519', 'utf8'].map(name => [
    pathOf(`shared/canon/${name}`),
    pathOf(`shared/canon/portable/portable-${name}`),
  ]),
)

/** Files that need Node, each with one in `portable/` that exports the same. */
const portable: Plugin = {
  name: 'portable',
  enforce: 'pre',
  resolveId(id, importer) {
    // The package "buffer" has the name of a module of Node.
    if (isBuiltin(id) && id !== 'buffer') throw new Error(`${importer} needs ${id}, which no browser has`)
    if (importer === undefined || !id.startsWith('.')) return null
    return replaced.get(join(dirname(importer), id)) ?? null
  },
}

/** zod names its messages in every language, half of a bundle; English is imported apart from these. */
const oneLanguage: Plugin = {
  name: 'one-language',
  load: id => (/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(id) ? 'export {}' : null),
}

/** A file of ours, a source or compiled as this one is. */
function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}${extname(import.meta.url)}`, import.meta.url))
}
