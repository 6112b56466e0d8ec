import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { keepProgress } from '../../../api/bin/verify/keep-progress.ts'
import { formatVkey } from '../../../shared/audit/note/verifier-key.ts'
import type { LogCheckpoint } from '../../../shared/contract/action/audit-log.ts'
import type { Counters } from '../../../shared/flow/database-check/check-counters.ts'
import { checkDatabase, type DatabaseCheckState } from '../../../shared/flow/database-check/check-database.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { copyOf, tamper } from '../../support/audit/tamper.ts'
import { asReader } from '../../support/fixtures/ad-hoc.ts'
import { repositoryRoot } from '../../support/repository-root.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

let original: FreshDatabase
const copies: FreshDatabase[] = []
const key = testVerifierKey()
const folder = mkdtempSync(join(tmpdir(), 'database-check-'))
const keptFile = join(folder, 'kept')
const resumeFile = join(folder, 'progress')

beforeAll(async () => {
  original = await freshDatabase()
  const service = await startService({ database: original })
  const tenants = [await service.tenant({ issued: true }), await service.tenant({ issued: true })]
  for (const tenant of tenants)
    for (let n = 0; n < 5; n += 1) await executed(service, tenant, `Anfrage ${n}: "größer"\\ 日本`)
  const [first = await service.tenant({ issued: true })] = tenants
  const erased = await executed(service, first, 'to be erased')
  const path = `/v1/tenants/${first.id}/actions/${erased}/erase`
  await service.call('POST', path, { admin: service.admin, json: { reason: 'asked for' } })
  const kept = await service.call<LogCheckpoint>('GET', '/v1/audit/checkpoint', { key: first.agent })
  writeFileSync(keptFile, kept.body.checkpoint)
  await allSigned(service)
  await service.close()
})
afterEach(async () => {
  for (const copy of copies.splice(0)) await copy.drop()
})
afterAll(async () => {
  await original.drop()
  rmSync(folder, { recursive: true })
})

async function executed(service: TestService, tenant: TestTenant, summary: string): Promise<string> {
  const { body } = await tenant.submit({ summary })
  await tenant.settled(body.action_id)
  await service.call('GET', `/v1/actions/${body.action_id}/audit-export`, { key: tenant.agent })
  return body.action_id
}

/** Until nothing waits for the log, for a statement or for a checkpoint. */
async function allSigned({ context }: TestService): Promise<void> {
  const statement = `select (select count(*) from log_outbox) + (select count(*) from unsigned_statements)
    + (select count(*) from tenant_logs where signed_size < size) as waiting`
  await vi.waitFor(async () => expect(await asReader(context.store, statement)).toEqual([{ waiting: '0' }]), {
    timeout: 10_000,
  })
}

/** A copy that was tampered with. */
async function spoilt(...statements: string[]): Promise<FreshDatabase> {
  const copy = await copyOf(original)
  copies.push(copy)
  await tamper(copy, ...statements)
  return copy
}

type Options = Partial<Parameters<typeof checkDatabase>[0]>

function check(database: FreshDatabase, options: Options = {}): Promise<Counters> {
  const defaults = { trusted: [key], kept: [], resume: null, onPage: () => undefined }
  return checkDatabase({ url: databaseUrl(database), ...defaults, ...options })
}

/** The program as it is installed. */
async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const program = join(repositoryRoot, 'dist/api/bin/service-audit-verify.js')
  const child = spawn(process.execPath, [program, ...args])
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>(resolve => child.on('close', resolve)),
  ])
  return { code, out, err }
}

describe('service-audit-verify --database', () => {
  it('exits 0 where everything is proven, and counts it', async () => {
    const kept = ['--checkpoint', keptFile, '--format', 'json']
    const { code, out, err } = await run(
      '--database',
      databaseUrl(original),
      '--key',
      formatVkey(key),
      ...kept,
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const report = JSON.parse(out)
    expect(report).toMatchObject({ outcome: 'verified', problem: null, not_proven: {} })
    expect(report.notes).toEqual([expect.stringContaining('(given without a status)')])
    expect(report.counted).toMatchObject({ actions: 11, tenants: 2, logs: 2, erased: 4 })
    expect(report.counted.entries).toBe(report.counted.events)
  })

  it('works under the login of the service', async () => {
    const { host, database, runtimeUser } = original
    const url = `postgres://${runtimeUser}@localhost/${database}?host=${encodeURIComponent(host)}`
    const { code, out } = await run('--database', url, '--key', formatVkey(key))
    expect({ code, first: out.split(':')[0] }).toEqual({ code: 0, first: 'verified' })
    expect(out).toContain('note: no older checkpoint was given')
  })

  it('exits 1 and names the first difference where there is one', async () => {
    const copy = await spoilt('update event_payloads set salt = sha256(salt) where sequence = 1')
    const { code, out } = await run('--database', databaseUrl(copy), '--key', formatVkey(key))
    const lines = out.split('\n')
    expect(code).toBe(1)
    expect(lines[0]).toMatch(
      /^invalid: action\/act_\w+: event 1: its payload is not the one that it commits to$/,
    )
    expect(lines.filter(line => line.startsWith('  DIFFERS'))).toHaveLength(10)
  })

  it.each([
    ['the database is not there', ['--database', 'postgres://nobody@127.0.0.1:1/none']],
    ['a key is none', ['--database', 'postgres://x/y', '--key', join(folder, 'no-such-file')]],
    ['a file is named too', ['--database', 'postgres://x/y', 'export.json']],
    ['an option for files is given', ['--database', 'postgres://x/y', '--log', 'l']],
  ])('exits 2 where %s', async (_, args) => {
    const { code, out, err } = await run(...args)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(/^service-audit-verify: /)
  })

  it('exits 3 where no key was given, and where another was', async () => {
    const url = databaseUrl(original)
    const none = await run('--database', url)
    expect({ code: none.code, first: none.out.split(':')[0] }).toEqual({ code: 3, first: 'incomplete' })
    expect(none.out).toContain('note: no key was given')
    const other = await run('--database', url, '--key', formatVkey(testVerifierKey(9)), '--format', 'json')
    expect(other.code).toBe(3)
    expect(Object.keys(JSON.parse(other.out).not_proven)).toEqual([
      'statements that no given key signed',
      'checkpoints that no given key signed',
      'log entries under no checkpoint of a given key',
    ])
  })
})

it('a key that has ended covers no larger log than it is known to have signed', async () => {
  const ended = { ...key, sizes: { first: 1, last: 3 } }
  const { differences, unproven } = await check(original, { trusted: [ended] })
  expect(differences.found).toBe(0)
  expect(Object.keys(unproven)).toEqual(['log entries under no checkpoint of a given key'])
})

it('a key that has ended covers no log of which its list says nothing', async () => {
  const logs = await asSuperuser<{ log_id: string; size: number }>(
    original,
    'select log_id, size::int from action_gate.tenant_logs',
  )
  const given = (log_id: string | null) => ({ ...key, sizes: { first: 1, last: 1_000, log_id } })
  const uncovered = async (...ids: (string | null)[]) => {
    const { differences, unproven } = await check(original, { trusted: ids.map(given) })
    expect(differences.found).toBe(0)
    return unproven['log entries under no checkpoint of a given key']?.count ?? 0
  }
  const ids = logs.map(({ log_id }) => log_id)
  const sizes = logs.map(({ size }) => size)
  const [first = '', ...others] = ids
  expect(await uncovered(null)).toBe(sizes.reduce((sum, size) => sum + size))
  expect(await uncovered(...others)).toBe(sizes[0])
  expect(await uncovered(first, ...others)).toBe(0)
})

describe('a check that was ended', () => {
  const statements = [
    `update event_payloads set payload = '{}' where action_id = (select min(action_id) from actions) and sequence = 0`,
    `update log_nodes set hash = sha256(hash) where level = 2 and index = 3`,
  ]

  it('after any page goes on and comes to the same', async () => {
    const copy = await spoilt(...statements)
    const whole = await check(copy, { rowsAtOnce: 16 })
    expect(whole.differences.found).toBe(3)
    const pages = await pagesOf(copy)
    expect(pages.length).toBeGreaterThan(20)
    for (const page of pages) {
      const resume: DatabaseCheckState = JSON.parse(page)
      expect(await check(copy, { resume, rowsAtOnce: 16 })).toEqual(whole)
    }
  })

  it('from the command line goes on from its file, and removes that at the end', async () => {
    const pages = await pagesOf(original)
    writeFileSync(resumeFile, pages[Math.floor(pages.length / 2)] ?? '')
    const url = databaseUrl(original)
    const { code, out } = await run('--database', url, '--key', formatVkey(key), '--resume', resumeFile)
    expect({ code, first: out.split(':')[0] }).toEqual({ code: 0, first: 'verified' })
    expect(out).toContain('checked     11 actions')
    expect(existsSync(resumeFile)).toBe(false)
  })

  it('does not go on with another key, on another database or from another file', async () => {
    writeFileSync(resumeFile, (await pagesOf(original))[3] ?? '')
    const copy = await spoilt()
    const ways = [
      ['--database', databaseUrl(original)],
      ['--database', databaseUrl(copy), '--key', formatVkey(key)],
    ]
    for (const way of ways) {
      const { code, err } = await run(...way, '--resume', resumeFile)
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('it is of another database') })
    }
    expect(existsSync(resumeFile)).toBe(true)
    const other = await run('--database', databaseUrl(original), '--resume', keptFile)
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('--resume') })
  })

  it('does not go on with the same key that is believed for other sizes', async () => {
    const resume: DatabaseCheckState = JSON.parse((await pagesOf(original))[3] ?? '')
    const bounded = [{ ...key, sizes: { first: 0, last: 1 } }]
    await expect(check(original, { resume, trusted: bounded })).rejects.toThrow('of other keys')
  })

  it('by a failing disk leaves the progress of before', async () => {
    const progress = keepProgress<{ format: string; n?: bigint | number }>(resumeFile)
    progress.save({ format: 'action-gate-database-check-v2', n: 1 })
    expect(() => progress.save({ format: 'action-gate-database-check-v2', n: 2n })).toThrow()
    expect(JSON.parse(readFileSync(resumeFile, 'utf8'))).toMatchObject({ n: 1 })
    progress.finish()
  })

  async function pagesOf(database: FreshDatabase): Promise<string[]> {
    const pages: string[] = []
    await check(database, { rowsAtOnce: 16, onPage: state => void pages.push(JSON.stringify(state)) })
    return pages
  }
})

it('a service that goes on meanwhile is no difference', async () => {
  const database = await spoilt()
  const service = await startService({ database })
  let isDone = false
  const tenant = await service.tenant({ issued: true })
  const load = (async () => {
    while (!isDone) await Promise.all([tenant.submit(), tenant.submit({ risk: 'high' })])
  })()
  try {
    for (let round = 0; round < 5; round += 1)
      expect((await check(database)).differences).toEqual({ found: 0, listed: [] })
  } finally {
    isDone = true
    await load
  }
  await allSigned(service)
  await service.close()
  expect(await check(database)).toMatchObject({ differences: { found: 0 }, unproven: {} })
})
