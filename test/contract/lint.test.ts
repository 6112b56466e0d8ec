import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openApiYaml } from '../../shared/contract/openapi/openapi.ts'
import { packageFile } from '../support/package-file.ts'
import { repositoryRoot } from '../support/repository-root.ts'

const run = promisify(execFile)
const program = packageFile('@redocly/cli', 'bin/cli.js')
const rules = join(repositoryRoot, 'test/contract/redocly.yaml')
const yaml = openApiYaml({ version: '1.2.3', base_url: '' })

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'action-gate-openapi-'))
})

afterAll(() => rm(directory, { recursive: true }))

it('the OpenAPI document lints clean with the strict ruleset', async () => {
  expect(await lint(yaml)).toEqual({ clean: true, found: [] })
})

it('which finds what is wrong', async () => {
  const { clean, found } = await lint(
    yaml.replaceAll('operationId: submit_action', 'operationId: list_actions'),
  )
  expect({ clean, found }).toEqual({
    clean: false,
    found: expect.arrayContaining(['operation-operationId-unique']),
  })
})

/** It compiles a schema for every example, which takes half a minute of a processor. */
const spectralMs = 180_000

it('the default rules of Spectral find nothing in the OpenAPI document', {
  timeout: spectralMs,
}, async () => {
  expect(await spectral(yaml)).toEqual([])
})

it('Spectral finds what is wrong in a document without descriptions', async () => {
  const bare = 'openapi: 3.1.1\ninfo: {title: Bare, version: 1.0.0}\npaths: {/a: {get: {responses: {}}}}\n'
  expect(await spectral(bare)).toEqual(
    expect.arrayContaining(['info-contact at info', 'operation-description at paths./a.get']),
  )
})

async function spectral(text: string): Promise<string[]> {
  const file = join(directory, 'document.yaml')
  await writeFile(file, text)
  const { stdout } = await run(process.execPath, [join(repositoryRoot, 'test/contract/spectral.mjs'), file])
  return JSON.parse(stdout)
}

interface Finding {
  ruleId: string
}

/** Runs the linter, which is told to reach for nothing outside: no telemetry, no question for newer versions. */
async function lint(text: string): Promise<{ clean: boolean; found: string[] }> {
  const file = join(directory, 'openapi.yaml')
  await writeFile(file, text)
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
  const options = { env: { ...process.env, ...quiet }, cwd: directory }
  const parameters = [program, 'lint', '--config', rules, '--format', 'json', file]
  const { clean, stdout } = await run(process.execPath, parameters, options).then(
    ({ stdout }) => ({ clean: true, stdout }),
    (error: { code: number; stdout: string }) => ({ clean: error.code === 0, stdout: error.stdout }),
  )
  const { problems } = JSON.parse(stdout) as { problems: Finding[] }
  return { clean, found: problems.map(({ ruleId }) => ruleId) }
}
