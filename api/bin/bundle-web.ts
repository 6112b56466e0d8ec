import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildResult, build, type Plugin } from 'esbuild'

/**
 * Bundles a module of `api/web` for browsers, minified: an ES module, or a script that sets one global to what the module
 * exports. `portable` says which files stand for those that need Node. Throws where something of Node is left.
 */
export async function bundleWeb(name: string, global?: string): Promise<Bundle> {
  const result = await build({
    entryPoints: [join(root, 'api/web', `${name}.ts`)],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    platform: 'browser',
    target: 'es2022',
    ...(global === undefined ? { format: 'esm' } : { format: 'iife', globalName: global }),
    inject: [join(root, 'shared/canon/portable/buffer.ts')],
    plugins: [portable],
  })
  return result
}
