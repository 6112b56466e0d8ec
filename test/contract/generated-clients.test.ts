import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packageFile } from '../support/package-file.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { startService, type TestService } from '../support/service/service.ts'

/** The document is the one that the service serves; what is made of it is compiled and run as a user would. */
const run = promisify(execFile)
const modules = join(repositoryRoot, 'node_modules')
const packages = {
  openapiTypescript: packageFile('openapi-typescript', 'bin/cli.js'),
  heyApi: packageFile('@hey-api/openapi-ts', 'bin/run.js'),
  compiler: packageFile('typescript', 'bin/tsc'),
}
const timeout = 180_000

let service: TestService
let directory: string

beforeAll(async () => {
  service = await startService()
  directory = await mkdtemp(join(tmpdir(), 'action-gate-clients-'))
})

afterAll(async () => {
  await service.close()
  await rm(directory, { recursive: true })
})

const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  module: 'NodeNext',
  strict: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  typeRoots: [join(modules, '@types')],
  types: ['node'],
  rootDir: '.',
  outDir: 'out',
}

const parameters = { amount: 20, order: { id: 'order-1' } }
const story = ['executed', 'pending_approval', 'executed', parameters]

it('types of openapi-typescript compile, and a program with them submits', { timeout }, async () => {
  const told = await drive('openapi-typescript', document =>
    run(process.execPath, [packages.openapiTypescript, document, '-o', 'generated.mts'], {
      cwd: directory,
    }),
  )
  expect(told).toEqual(story)
})

it('a client of @hey-api/openapi-ts compiles and submits', { timeout }, async () => {
  const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch']
  const told = await drive('hey-api', document =>
    run(
      process.execPath,
      [packages.heyApi, '-i', document, '-o', 'generated', '--no-log-file', '-p', ...plugins],
      {
        cwd: directory,
      },
    ),
  )
  expect(told).toEqual(story)
})

/** Generates, compiles a program of `test/cases/clients` with what was generated, and answers what it told. */
async function drive(name: string, generate: (document: string) => Promise<unknown>): Promise<unknown> {
  const tenant = await service.tenant({
    policy: { allowed_systems: ['crm'], approval_required_at: 'medium', review_route: 'leads' },
  })
  const document = await fetch(new URL('/openapi.yaml', service.url))
  await writeFile(join(directory, 'openapi.yaml'), await document.text())
  const program = `${name}.mts`
  await copyFile(join(repositoryRoot, 'test/cases/clients', program), join(directory, program))
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [program] }))
  await generate('openapi.yaml')
  await compiled()
  const asked = [join(directory, 'out', `${name}.mjs`), service.url, tenant.agent, tenant.approver]
  const { stdout } = await run(process.execPath, asked, { cwd: directory })
  return JSON.parse(stdout)
}

/** What the compiler says goes into the error. */
async function compiled(): Promise<void> {
  await run(process.execPath, [packages.compiler, '-p', directory], { cwd: directory }).catch(
    ({ stdout }: { stdout: string }) => {
      throw new Error(`it does not compile:\n${stdout.slice(0, 3_000)}`)
    },
  )
}
