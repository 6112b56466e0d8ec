import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import { makePlace, type RunningProcess, type ServicePlace } from '../support/service-process.ts'

const run = promisify(execFile)

/** The commands of a section, in order: its blocks in `sh`. */
function commandsOf(section: string): string[] {
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
  const [, text = ''] = readme.split(new RegExp(`^## ${section}$`, 'm'))
  const [own = ''] = text.split(/^## /m)
  return [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** What the commands of a section print; they must succeed and complain of nothing. */
async function followed(section: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const script = ['set -e', ...commandsOf(section)].join('\n')
  const { stdout, stderr } = await run('sh', ['-c', script], { env, cwd })
  expect(stderr).toBe('')
  return stdout
}

/** What a newcomer does: start the service on a bare machine, take the keys that it prints, and follow the pages. */
describe('the pages of the README', () => {
  let place: ServicePlace
  let service: RunningProcess
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    place = await makePlace(null)
    service = await place.start([])
    const key = (name: string) => service.process.printed(new RegExp(`^ +${name} +(\\S+)$`, 'm'))
    env = {
      PATH: process.env.PATH,
      ACTION_GATE_URL: service.url,
      ACTION_GATE_KEY: await key('agent'),
      ACTION_GATE_APPROVER_KEY: await key('approver'),
      ACTION_GATE_ADMIN_KEY: await key('admin'),
    }
  }, 60_000)

  afterAll(() => place.clear())

  const follow = (section: string) => followed(section, place.directory, env)

  it('for integrators lead to a first decision, an approval and an end', async () => {
    expect(commandsOf('Integrate').length).toBeGreaterThan(3)
    const shown = await follow('Integrate')
    expect(shown).toContain('done; never perform the side effect yourself')
    expect(shown).toMatch(/decision: 'needs_approval',\s+action_status: 'pending_approval'/)
    expect(shown.trimEnd().endsWith('executed')).toBe(true)
  }, 30_000)

  it('for operators work from the first tenant to a freeze and back', async () => {
    expect(commandsOf('Operate').length).toBeGreaterThan(3)
    const shown = await follow('Operate')
    expect(shown).toContain('"transitions"')
    expect(shown).toContain('"revision":3')
    expect(shown).toContain('"reason":"double bookings"')
    expect(shown.trimEnd().endsWith('{"freezes":[]}')).toBe(true)
  }, 30_000)
})

describe('the page of the README for authors of policies', () => {
  let place: ServicePlace

  beforeAll(async () => {
    place = await makePlace(null)
    for (const part of ['package.json', 'api', 'dist', 'node_modules'])
      symlinkSync(join(repositoryRoot, part), join(place.directory, part))
  })
  afterAll(() => place.clear())

  it('asks the question, mends the policy, and proves it', async () => {
    const service = await place.start([])
    const { PATH, HOME } = process.env
    const shown = await followed('Prove', place.directory, {
      PATH,
      HOME,
      npm_config_loglevel: 'error',
      ACTION_GATE_URL: service.url,
      ACTION_GATE_ADMIN_KEY: await service.process.printed(/^ +admin +(\S+)$/m),
    })
    expect(shown).toMatch(/result: 'violated',\s+parameters: { amount: \d+ }/)
    expect(shown).toMatch(/result: 'verified',\s+why: 'proved for every operation/)
    expect(shown).toMatch(/^verified: everything that was checked holds$/m)
    expect(shown).toContain('"code":"verification_failed"')
    expect(shown).toMatch(/^COV-2: /m)
    expect(shown).toContain('different: 1')
  }, 60_000)
})

describe('the page of the README for auditors', () => {
  let directory: string

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'action-gate-auditor-'))
    for (const part of ['package.json', 'api', 'dist', 'node_modules'])
      symlinkSync(join(repositoryRoot, part), join(directory, part))
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it('leads from the demo to an export that holds, and to one that does not', async () => {
    expect(commandsOf('Audit')).toHaveLength(2)
    const { PATH, HOME } = process.env
    const shown = await followed('Audit', directory, { PATH, HOME, npm_config_loglevel: 'error' })
    expect(shown).toMatch(/^verified: everything that was checked holds$/m)
    expect(shown).toMatch(
      /^ {2}proven +history +the log of \d+ entries continues the one of \d+ that was kept$/m,
    )
    expect(shown).toMatch(/^invalid: event 0: the payload is not the one the event commits to$/m)
    expect(shown.trimEnd().endsWith('refused with 1')).toBe(true)
  }, 60_000)
})
