import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { bundleWeb } from './bundle-web.ts'

/** Writes what a browser loads into `dist/web`: the pages, the verifier as one module, and all of it compressed. */
const folder = fileURLToPath(new URL('../../web/', import.meta.url))
const configFile = fileURLToPath(new URL('../../../api/bin/vite.config.ts', import.meta.url))

await build({ configFile })
await mkdir(folder, { recursive: true })
await writeFile(join(folder, 'audit-verifier.js'), await bundleWeb('audit-verifier'))
for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
  if (!entry.isFile() || !/\.(css|html|js|md|svg)$/.test(entry.name)) continue
  const path = join(entry.parentPath, entry.name)
  const bytes = await readFile(path)
  const [br, gz] = [brotliCompressSync(bytes), gzipSync(bytes, { level: 9 })]
  await writeFile(`${path}.br`, br)
  await writeFile(`${path}.gz`, gz)
  process.stderr.write(`${path}: ${bytes.length} bytes, ${gz.length} gzip, ${br.length} br\n`)
}
