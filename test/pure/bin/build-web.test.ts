import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { buildExport, vkey } from '../../support/export-builder.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const run = promisify(execFile)
const file = join(repositoryRoot, 'dist/web/audit-verifier.js')

const verifying = `
  import { readTrustedKeys, verifyExport } from ${JSON.stringify(pathToFileURL(file))}
  const [vkey, text] = process.argv.slice(1)
  const { value: trusted } = readTrustedKeys(vkey)
  console.log(verifyExport(new TextEncoder().encode(text), { trusted }).outcome)`

it('the web build writes a module that verifies, keeps what its packages say of their licences, and says how large it is', async () => {
  const { stdout } = await run(process.execPath, [join(repositoryRoot, 'dist/api/bin/build-web.js')])
  const text = await readFile(file, 'utf8')
  expect(stdout).toMatch(new RegExp(`^${file}: ${Buffer.byteLength(text)} bytes, \\d+ gzipped\\n$`))
  for (const name of ['noble-curves', 'ieee754', 'buffer module']) expect(text).toContain(name)
  expect(await outcomeOf(buildExport().bytes.toString())).toBe('verified')
  expect(await outcomeOf('{}')).toBe('invalid')
})

async function outcomeOf(text: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', verifying, vkey, text])
  return stdout.trim()
}
