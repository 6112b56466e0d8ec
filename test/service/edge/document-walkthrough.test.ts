import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { commandsOf } from '../../support/documents.ts'
import { needs, systemProgram } from '../../support/helper-programs.ts'
import { startPlatform, tenant } from '../../support/platform/platform.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { freePort } from '../../support/servers/redis-program.ts'
import { makePlace, type RunningProcess, type ServicePlace } from '../../support/service/service-process.ts'

const run = promisify(execFile)

beforeEach(context => needs(context, 'curl'))

/** What the commands of a document print; they must succeed and complain of nothing. */
async function followed(document: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const script = ['set -e', ...commandsOf(document)].join('\n')
  const { stdout, stderr } = await run(systemProgram('sh'), ['-c', script], { env, cwd })
  expect(stderr).toBe('')
  return stdout
}

/** What a newcomer does: start the service on a bare machine, take the keys that it prints, and follow the pages. */
describe('the documents', () => {
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

  const follow = (document: string) => followed(document, place.directory, env)

  it('for integrators lead to a first decision, an approval and an end', async () => {
    expect(commandsOf('api/docs/integrate.md').length).toBeGreaterThan(3)
    const shown = await follow('api/docs/integrate.md')
    expect(shown).toContain('done; never perform the side effect yourself')
    expect(shown).toMatch(/decision: 'needs_approval',\s+action_status: 'pending_approval'/)
    expect(shown).toMatch(/executed\n\{"webhook":/)
    expect(shown).toContain('"secret":"whsec_')
    const again = commandsOf('README.md', 'First action')
    expect(commandsOf('api/docs/integrate.md')).toEqual(expect.arrayContaining(again))
  }, 30_000)

  it('for authors of policies lead from a draft to a revision and a catalog', async () => {
    const shown = await follow('api/docs/policies.md')
    expect(shown).toContain('"decision":"allow"')
    expect(shown).toContain('"transitions"')
    expect(shown).toContain('"revision":3')
    expect(shown).toContain('"catalog_hash"')
    expect(await follow('api/docs/policies.md')).toContain('"revision":3')
  }, 30_000)

  it('for operators work from the first tenant to a freeze and back', async () => {
    expect(commandsOf('api/docs/operate.md').length).toBeGreaterThan(1)
    const shown = await follow('api/docs/operate.md')
    expect(shown).toContain('"reason":"double bookings"')
    expect(shown.trimEnd().endsWith('{"freezes":[]}')).toBe(true)
  }, 30_000)
})

describe('the first tool', () => {
  let place: ServicePlace

  beforeAll(async () => {
    place = await makePlace(null)
    for (const part of ['package.json', 'api', 'dist', 'node_modules'])
      symlinkSync(join(repositoryRoot, part), join(place.directory, part))
  })
  afterAll(() => place.clear())

  it('is added, tried and called once by what is printed, and again', async () => {
    const service = await place.start([])
    const key = (name: string) => service.process.printed(new RegExp(`^ +${name} +(\\S+)$`, 'm'))
    const { PATH, HOME } = process.env
    const env = {
      PATH,
      HOME,
      npm_config_loglevel: 'error',
      TOOL: `127.0.0.1:${await freePort()}`,
      ACTION_GATE_URL: service.url,
      ACTION_GATE_KEY: await key('agent'),
      ACTION_GATE_ADMIN_KEY: await key('admin'),
    }
    for (const said of ['applied: policy revision 2, catalog revision 1', 'nothing changed: mail is as']) {
      const shown = await followed('api/docs/first-tool.md', place.directory, env)
      expect(shown).toContain(said)
      expect(shown).toContain('executed by ')
      // The test call, and the proposal that is allowed.
      expect(shown.match(/^(GET|POST)$/gm)).toEqual(['GET', 'GET'])
      const statuses = [...shown.matchAll(/"action_status":"(\w+)"/g)].map(([, status]) => status)
      expect(statuses).toEqual(['executed', 'pending_approval', 'denied'])
    }
  }, 120_000)

  it('is added to a platform by the same commands', async () => {
    const TOOL = `127.0.0.1:${await freePort()}`
    const platform = await startPlatform(inject('redisUrl'), { SERVICE_EGRESS_ALLOW: TOOL })
    try {
      const [api] = await Promise.all([platform.startApi(), platform.startWorker()])
      const policy = { allowed_systems: [], approval_required_at: 'medium', review_route: 'leads' }
      const put = await fetch(`${api.url}/v1/tenants/${tenant}/policy`, {
        method: 'PUT',
        headers: { 'x-service-admin-key': platform.keys.admin, 'content-type': 'application/json' },
        body: JSON.stringify(policy),
      })
      expect(put.status, await put.text()).toBe(200)
      const { PATH, HOME } = process.env
      const shown = await followed('api/docs/first-tool.md', place.directory, {
        PATH,
        HOME,
        npm_config_loglevel: 'error',
        TOOL,
        ACTION_GATE_URL: api.url,
        ACTION_GATE_KEY: platform.keys.agent,
        ACTION_GATE_ADMIN_KEY: platform.keys.admin,
      })
      expect(shown).toContain('executed by ')
      const statuses = [...shown.matchAll(/"action_status":"(\w+)"/g)].map(([, status]) => status)
      expect(statuses).toEqual(['executed', 'pending_approval', 'denied'])
      expect(shown.match(/^(GET|POST)$/gm)).toEqual(['GET', 'GET'])
    } finally {
      await platform.stop()
    }
  }, 120_000)
})

describe('the document for authors of policies', () => {
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
    const shown = await followed('api/docs/policy-analysis.md', place.directory, {
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

describe('the document for auditors', () => {
  let directory: string

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'action-gate-auditor-'))
    for (const part of ['package.json', 'api', 'dist', 'node_modules'])
      symlinkSync(join(repositoryRoot, part), join(directory, part))
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it('leads from the demo to an export that holds, and to one that does not', async () => {
    expect(commandsOf('api/docs/audit.md')).toHaveLength(2)
    const { PATH, HOME } = process.env
    const shown = await followed('api/docs/audit.md', directory, { PATH, HOME, npm_config_loglevel: 'error' })
    expect(shown).toMatch(/^verified: everything that was checked holds$/m)
    expect(shown).toMatch(
      /^ {2}proven +history +the log of \d+ entries continues the one of \d+ that was kept$/m,
    )
    expect(shown).toMatch(/^invalid: event 0: the payload is not the one the event commits to$/m)
    expect(shown.trimEnd().endsWith('refused with 1')).toBe(true)
  }, 60_000)
})
