import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readDocument } from '../../support/documents.ts'
import { packageFile } from '../../support/package-file.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { linesOf, wrongLines } from './compiler-errors.ts'

const run = promisify(execFile)
let service: TestService
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'action-gate-client-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module","private":true}')
  const nothing = ['--no-audit', '--no-fund', '--registry', 'http://127.0.0.1:9']
  await run('npm', ['install', ...nothing, `${service.url}/ui/client.tgz`], { cwd: folder })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const program = `
import { actionGate, Denied, type Executed, type GateFailure } from 'action-gate/client'

interface Operations {
  'crm.read': { contact: number }
  'mail.send': { to: string }
}
const [url = '', key = ''] = (globalThis as { given?: string[] }).given ?? []
const gate = actionGate<Operations>({ url, key })
const read: Executed = await gate.run('crm.read', { contact: 42 })
const denied = await gate.run('mail.send', { to: 'a' }).catch((error: GateFailure) => error)
console.log(JSON.stringify([read.result.detail.executed, denied instanceof Denied && denied.code]))

export const wrong = [
  // an operation that is not of the catalog
  () => gate.run('crm.write', { contact: 42 }), // wrong
  // a parameter of another type
  () => gate.run('crm.read', { contact: '42' }), // wrong
  // a parameter that the catalog does not have
  () => gate.run({ system: 'crm', operation: 'read' }, { contact: 42, more: true }), // wrong
]
`

/** What the compiler says of a program of the folder. */
async function compile(file: string, more: object): Promise<string> {
  const options = {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2022', 'DOM'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    ...more,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: [file] }))
  const parameters = [packageFile('typescript', 'bin/tsc'), '-p', folder]
  const compiled = await run(process.execPath, parameters).catch((error: { stdout: string }) => error)
  return compiled.stdout
}

/** As a stranger does it: an empty folder, npm, a strict compiler that reads every declaration, and Node. */
test('the package that the service gives away installs, compiles and runs', {
  timeout: 120_000,
}, async () => {
  const tenant = await service.tenant()
  await writeFile(join(folder, 'stranger.mts'), program)
  const said = await compile('stranger.mts', { types: [], skipLibCheck: false })
  expect(linesOf(said)).toEqual(wrongLines(program))
  const start = `globalThis.given = process.argv.slice(1); await import('./stranger.mjs')`
  const asked = ['--input-type=module', '-e', start, service.url, tenant.agent]
  const { stdout } = await run(process.execPath, asked, { cwd: folder })
  expect(JSON.parse(stdout)).toEqual(['read', 'system_not_allowed'])
})

test('the program that the document prints compiles and runs', { timeout: 120_000 }, async () => {
  const tenant = await service.tenant({
    policy: { allowed_systems: ['payments'], approval_required_at: 'high', review_route: 'leads' },
    actuators: [{ name: 'payments', kind: 'mock', settings: {} }],
  })
  const page = readDocument('api/docs/integrate.md').split('\n## The client\n')[1] ?? ''
  const [, printed = ''] = /^```ts\n(.*?)^```$/ms.exec(page) ?? []
  await writeFile(join(folder, 'printed.mts'), printed.replace('http://127.0.0.1:8080', service.url))
  const ofNode = {
    types: ['node'],
    typeRoots: [join(repositoryRoot, 'node_modules/@types')],
    skipLibCheck: true,
  }
  expect(await compile('printed.mts', ofNode)).toBe('')
  const env = { PATH: process.env.PATH, ACTION_GATE_KEY: tenant.agent }
  const { stdout } = await run(process.execPath, ['printed.mjs'], { cwd: folder, env })
  expect(stdout).toContain("executed: 'refund'")
})
