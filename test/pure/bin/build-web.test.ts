import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildExport, vkey } from '../../support/audit/export-builder.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const run = promisify(execFile)
const folder = join(repositoryRoot, 'dist/web')
const file = join(folder, 'audit-verifier.js')

const verifying = `
  import { readTrustedKeys, verifyExport } from ${JSON.stringify(pathToFileURL(file))}
  const [vkey, text] = process.argv.slice(1)
  const { value: trusted } = readTrustedKeys(vkey)
  console.log(verifyExport(new TextEncoder().encode(text), { trusted }).outcome)`

it('the build writes a module that verifies and keeps the licences of its packages', async () => {
  const text = await readFile(file, 'utf8')
  for (const name of ['noble-curves', 'ieee754', 'buffer module']) expect(text).toContain(name)
  expect(await outcomeOf(buildExport().bytes.toString())).toBe('verified')
  expect(await outcomeOf('{}')).toBe('invalid')
})

it('the build tells the licences of what the pages are made of', async () => {
  const text = await readFile(join(folder, 'licences.md'), 'utf8')
  for (const name of ['react-dom', 'react-router', '@base-ui/react', 'Lucide Icons'])
    expect(text).toContain(name)
})

it.each(['app', 'admin'])(
  'the build writes the page %s with all that it names, and compressed',
  async page => {
    const html = await readFile(join(folder, `${page}.html`), 'utf8')
    const named = [...html.matchAll(/(?:src|href)="\/ui\/([^"]+)"/g)].flatMap(([, name]) => name ?? [])
    expect(named.length).toBeGreaterThan(3)
    for (const name of named) expect((await readFile(join(folder, name))).length).toBeGreaterThan(100)
    expect(brotliDecompressSync(await readFile(join(folder, `${page}.html.br`))).toString()).toBe(html)
    expect(gunzipSync(await readFile(join(folder, `${page}.html.gz`))).toString()).toBe(html)
  },
)

async function outcomeOf(text: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', verifying, vkey, text])
  return stdout.trim()
}
