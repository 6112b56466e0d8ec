import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/**
 * Bundles a module of `api/web` for browsers, minified: as an ES module, or as a script that sets one global to what the
 * module exports. Throws where something would be left that only Node has.
 */
export async function bundleWeb(name: string, globalName?: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [pathOf(`api/web/${name}`)],
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    ...(globalName === undefined ? { format: 'esm' } : { format: 'iife', globalName }),
    inject: [pathOf('shared/canon/portable/buffer')],
    plugins: [portable, oneLanguage],
    logLevel: 'silent',
  })
  return outputFiles.map(({ text }) => text).join('')
}

/** Files that need Node, each with one in `portable/` that exports the same. */
const portable: Plugin = {
  name: 'portable',
  setup({ onResolve }) {
    const replaced = new Map(
      ['digest', 'ed25519', 'utf8'].map(name => [
        pathOf(`shared/canon/${name}`),
        pathOf(`shared/canon/portable/${name}`),
      ]),
    )
    onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
      const found = replaced.get(join(resolveDir, path))
      return found === undefined ? null : { path: found }
    })
  },
}

/** zod names its messages in every language, half of a bundle; English is imported apart from these. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({ contents: 'export {}' }))
  },
}

/** A file of ours, a source or compiled as this one is. */
function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}${extname(import.meta.url)}`, import.meta.url))
}
