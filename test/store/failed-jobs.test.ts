import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../shared/contract/base/limits.ts'
import { readDenials } from '../../shared/store/action/denied-in-a-row.ts'
import { listFailed, readFailures } from '../../shared/store/job/failed-jobs.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { freshLedger, type Ledger, tenantId } from './ledger-fixture.ts'
import { walked } from './read-so-far.ts'

/** So many jobs of each kind that a walk through all of them shows: one a second, back from now. */
const planted = 12_000

const plant = (name: string, status: string, error: string): string[] => [
  `insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
     event_count, leaf_hashes, audit_root, created_at, updated_at)
   select '${name}_' || n, '${tenantId}', '${name}_' || n, '', 'crm', 'read', 'agk_1', '${status}', 1, sha256(''), sha256(''), now(), now()
   from generate_series(1, ${planted}) n`,
  `insert into execution_jobs (action_id, tenant_id, state, attempt, max_attempts, next_run_at, lease_token, maybe_executed,
     key_honoured, target_system, last_error)
   select '${name}_' || n, '${tenantId}', 'done', 1, 3, now() - n * interval '1 second', 1, false, false, 'crm', ${error}
   from generate_series(1, ${planted}) n`,
]

/** One agent that was denied 12,000 times; its proposals were erased. */
const plantDenials = [
  `insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
     event_count, leaf_hashes, audit_root, created_at, updated_at)
   select 'wall_' || n, '${tenantId}', 'wall_' || n, '', 'crm', 'refund', 'agk_1', 'denied', 1, sha256(''), sha256(''), now(), now()
   from generate_series(1, ${planted}) n`,
  `insert into event_payloads (action_id, sequence, tenant_id, payload, salt)
   select 'wall_' || n, 1, '${tenantId}', convert_to('{"blocking_reasons":["over_limit: too much"]}', 'UTF8'), ''
   from generate_series(1, ${planted}) n`,
]

let ledger: Ledger

beforeAll(async () => {
  ledger = await freshLedger()
  await asSuperuser(
    ledger.database,
    'set session_replication_role = replica',
    'set search_path = action_gate',
    ...plant('done', 'executed', 'null'),
    ...plant('failed', 'execution_failed', "case when n % 3 = 0 then 'refused' else 'http_500' end"),
  )
})

afterAll(() => ledger.close())

test('failures of the hour are grouped of the latest alone, however many there are', async () => {
  const { found, read } = await walked(ledger.store, async ({ reader }) => {
    const failures = await readFailures(reader)
    expect(failures.map(({ code, last_5_minutes }) => [code, Math.round(last_5_minutes / 10)])).toEqual([
      ['http_500', 20],
      ['refused', 10],
    ])
    return failures.reduce((total, { last_hour }) => total + last_hour, 0)
  })
  expect(found).toBe(limits.queue_looked_max)
  expect(read).toBeLessThan(4 * limits.queue_looked_max)
})

test('denials in a row are looked for among the latest actions alone', async () => {
  const quiet = await walked(ledger.store, async ({ reader }) => (await readDenials(reader)).length)
  expect(quiet.found).toBe(0)
  expect(quiet.read).toBeLessThan(2 * limits.queue_recent_max + 100)
  await asSuperuser(
    ledger.database,
    'set session_replication_role = replica',
    'set search_path = action_gate',
    ...plantDenials,
  )
  const walls = await walked(ledger.store, async ({ reader }) => {
    const denials = await readDenials(reader)
    expect(denials[0]).toMatchObject({ code: 'over_limit', count: 100, agent_id: null })
    return denials.length
  })
  expect(walls.found).toBe(1)
  expect(walls.read).toBeLessThan(3 * limits.queue_recent_max)
})

test('a page of failures reads itself alone, and none is left out between pages', async () => {
  const listed: string[] = []
  let after: string | null = null
  for (let page = 0; page < 3; page += 1) {
    const from: string | null = after
    const { read } = await walked(ledger.store, async ({ reader }) => {
      const { jobs, next } = await listFailed(reader, { tenant_id: null, limit: 10, after: from })
      listed.push(...jobs.map(({ action_id }) => action_id))
      after = next
      return jobs.length
    })
    expect(read).toBeLessThan(200)
  }
  expect(listed).toEqual(Array.from({ length: 30 }, (_, at) => `failed_${at + 1}`))
})

test('a page of a tenant without failures goes on where so many were looked at', async () => {
  const page = { tenant_id: 'nobody', limit: 10, after: null }
  const first = await ledger.store.read('all', reader => listFailed(reader, page))
  expect(first).toEqual({ jobs: [], next: 'failed_10000' })
  const last = await ledger.store.read('all', reader => listFailed(reader, { ...page, after: first.next }))
  expect(last).toEqual({ jobs: [], next: null })
})
