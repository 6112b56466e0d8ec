import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../support/repository-root.ts'

/** What every command answers whatever else is wrong, and what it says of a flag that it does not know. */

const commands = [
  ['service', 'api/bin/service.js', '--prot', '--port'],
  ['worker', 'worker/bin/worker.js', '--tenant', '--tenant-db'],
  ['service-audit-verify', 'api/bin/service-audit-verify.js', '--chekpoint', '--checkpoint'],
  ['service-policy-check', 'api/bin/service-policy-check.js', '--fromat', '--format'],
  ['service-tools', 'api/bin/service-tools.js', '--tennant', '--tenant'],
  ['npm run demo', 'api/bin/demo.js', '--adminkey', '--admin-key'],
  ['npm run -s client:types', 'api/bin/client-types.js', '--urll', '--url'],
] as const

interface Ended {
  code: number
  stdout: string
  stderr: string
}

function run(parameters: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return new Promise(resolve => {
    const options = { env: { PATH: process.env.PATH, ...environment }, cwd: repositoryRoot }
    execFile(process.execPath, parameters, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

describe.each(commands)('%s', (name, file, mistyped, meant) => {
  const program = join(repositoryRoot, 'dist', file)

  it.each(['--help', '-h'])('%s prints its usage and does nothing else', async flag => {
    const { code, stdout, stderr } = await run([program, flag], { SERVICE_STRICT: 'maybe' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(name)
    expect(stdout).toContain(meant)
  })

  it('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
    expect(await run([program, '--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('a mistyped flag ends it with 2 and names the one that is meant', async () => {
    const { code, stderr } = await run([program, mistyped, 'x'])
    expect({ code, stderr }).toMatchObject({ code: 2 })
    expect(stderr).toContain(`unknown flag ${mistyped}; did you mean ${meant}?`)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it('a flag that is like none is named, with the way to the others', async () => {
    const { code, stderr } = await run([program, '--wherewithal'])
    expect(code).toBe(2)
    expect(stderr).toContain('unknown flag --wherewithal; --help lists those that there are')
  })
})

describe('npm start', () => {
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'action-gate-node-'))
  })

  afterAll(() => rm(directory, { recursive: true }))

  /** What the first program of `npm start` says under a Node that says so of itself. */
  async function startUnder(version: string): Promise<Ended> {
    const older = join(directory, `${version}.cjs`)
    await writeFile(
      older,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`,
    )
    const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
    const [, flags = ''] = /^node (.*) api\/bin\/ensure-built\.mjs /.exec(scripts.start) ?? []
    return run(['--require', older, ...flags.split(' ').filter(flag => flag !== ''), '--eval', ''])
  }

  it.each(['20.18.9', '18.20.4', '12.22.0'])('under Node %s ends in one sentence', async version => {
    expect(await startUnder(version)).toEqual({
      code: 1,
      stdout: '',
      stderr: `[action-gate] Node 20.19 or newer is needed, and this is ${version}.\n`,
    })
  })

  it.each(['20.19.0', '22.0.0', '24.1.0'])('under Node %s goes on', async version => {
    expect(await startUnder(version)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('and every other script look at the Node first', () => {
    const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'))
    const building = Object.values<string>(scripts).filter(script => script.includes('ensure-built.mjs'))
    expect(building.length).toBeGreaterThan(10)
    for (const script of building)
      expect(script).toMatch(
        /^node --require \.\/api\/bin\/check-node\.cjs api\/bin\/ensure-built\.mjs( --[a-z-]+)*( && |$)/,
      )
  })
})
