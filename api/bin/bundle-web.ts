import { isBuiltin } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

/**
 * Bundles and minifies a module of `api/web` or the client for browsers, as an ES module or as a script that sets
 * one global to its exports. Throws if a module of Node would remain.
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

/** Replaces files that need Node by those in `portable/` with the same exports. */
const portable: Plugin = {
  name: 'portable',
  enforce: 'pre',
  resolveId(id, importer) {
    // The package "buffer" shares its name with a module of Node.
    if (isBuiltin(id) && id !== 'buffer') throw new Error(`${importer} needs ${id}, which no browser has`)
    if (importer === undefined || !id.startsWith('.')) return null
    return replaced.get(join(dirname(importer), id)) ?? null
  },
}

/** Drops zod's translations, since they are half of a bundle and English is imported separately. */
const oneLanguage: Plugin = {
  name: 'one-language',
  load: id => (/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(id) ? 'export {}' : null),
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}${extname(import.meta.url)}`, import.meta.url))
}
