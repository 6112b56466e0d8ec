import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleOperation } from '../../../shared/contract/examples/example-policy.ts'
import { packageFile } from '../../support/package-file.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { linesOf, wrongLines } from './compiler-errors.ts'

const run = promisify(execFile)
const program = join(repositoryRoot, 'dist/api/bin/client-types.js')
let service: TestService
let folder: string

beforeAll(async () => {
  service = await startService({ worker: null })
  folder = await mkdtemp(join(tmpdir(), 'action-gate-types-'))
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

const consumer = (client: string) => `
import { actionGate } from '${client}'
import type { Operations } from './operations.ts'

const gate = actionGate<Operations>({ url: 'http://127.0.0.1', key: 'k' })
const order = { id: 'order-1001' }
export const calls = [
  () => gate.run('payments.refund', { amount: 20, currency: 'EUR', order }),
  // the amount is a number
  () => gate.run('payments.refund', { amount: '20', currency: 'EUR', order }), // wrong
  // a currency that the catalog does not have
  () => gate.run('payments.refund', { amount: 20, currency: 'DM', order }), // wrong
  // a parameter that the catalog does not have
  () => gate.run('payments.refund', { amount: 20, currency: 'EUR', order, to: 'me' }), // wrong
  // parameters are missing
  () => gate.run('payments.refund', {}), // wrong
  // an operation that is not of the catalog
  () => gate.run('payments.transfer', { amount: 20 }), // wrong
]
`

test('wrong parameters do not compile with the types of a catalog', { timeout: 60_000 }, async () => {
  const policy = { allowed_systems: ['payments'], approval_required_at: 'high', review_route: 'leads' }
  const made = await service.call<{ api_key: string }>('POST', '/v1/tenants', {
    admin: service.admin,
    json: { tenant_id: 'typed', policy, mock_actuators: ['payments'] },
  })
  const catalog = await service.call('POST', '/v1/tenants/typed/catalog', {
    admin: service.admin,
    json: { operations: [exampleOperation] },
  })
  expect([made.status, catalog.status]).toEqual([201, 201])
  const out = join(folder, 'operations.ts')
  await run(process.execPath, [program, '--url', service.url, '--key', made.body.api_key, '--out', out])
  expect(await readFile(out, 'utf8')).toContain('"payments.refund": ')
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  const text = consumer(join(repositoryRoot, 'dist/shared/client/index.js'))
  await writeFile(join(folder, 'consumer.ts'), text)
  const options = {
    target: 'ES2022',
    module: 'NodeNext',
    lib: ['ES2022', 'DOM'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['consumer.ts'] }),
  )
  const parameters = [packageFile('typescript', 'bin/tsc'), '-p', folder]
  const compiled = await run(process.execPath, parameters).catch((error: { stdout: string }) => error)
  expect(linesOf(compiled.stdout)).toEqual(wrongLines(text))
})

test('types are not written with a key that is wrong', async () => {
  const failed = await run(process.execPath, [program, '--url', service.url, '--key', 'agk_1.x']).catch(
    (error: { code: number; stderr: string }) => error,
  )
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('invalid_key') })
})
