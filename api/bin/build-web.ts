import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bundleWeb } from './bundle-web.ts'

/** Writes what a browser loads, each module of `api/web` as one file of `dist/web`. */
const names = ['audit-verifier']

const folder = new URL('../../web/', import.meta.url)
await mkdir(folder, { recursive: true })
for (const name of names) {
  const file = new URL(`${name}.js`, folder)
  const text = await bundleWeb(name)
  await writeFile(file, text)
  const sizes = `${Buffer.byteLength(text)} bytes, ${gzipSync(text).length} gzipped`
  process.stdout.write(`${fileURLToPath(file)}: ${sizes}\n`)
}
