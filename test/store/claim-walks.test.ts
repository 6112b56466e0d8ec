import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimDue } from '../../shared/store/due-jobs.ts'
import type { Store, Writer } from '../../shared/store/open.ts'
import { listJobs } from '../../shared/store/queued-jobs.ts'
import { asSuperuser } from '../support/superuser.ts'
import { claimBounds, freshLedger, type Ledger, openTestStore, tenantId } from './ledger-fixture.ts'

/** So many that a walk through all of them shows. */
const planted = 2_000

const plant = (name: string, status: string, state: string): string[] => [
  'set session_replication_role = replica',
  'set search_path to action_gate',
  `insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
     event_count, leaf_hashes, audit_root, created_at, updated_at)
   select '${name}_' || n, '${tenantId}', '${name}_' || n, '', 'crm', 'read', 'agk_1', '${status}', 1, sha256(''), sha256(''), now(), now()
   from generate_series(1, ${planted}) n`,
  `insert into execution_jobs (action_id, tenant_id, state, attempt, max_attempts, next_run_at, lease_token, maybe_executed,
     key_honoured, target_system)
   select '${name}_' || n, '${tenantId}', '${state}', 0, 3, now(), 0, false, false, 'crm' from generate_series(1, ${planted}) n`,
]

const soFarSql = `
  select pg_stat_get_xact_tuples_returned(c.oid)::int4 + sum(pg_stat_get_xact_tuples_returned(i.indexrelid))::int4 as read
  from pg_class c join pg_index i on i.indrelid = c.oid
  where c.oid = 'action_gate.execution_jobs'::regclass group by c.oid`

let ledger: Ledger
/** Of one session, whose plans are made while nothing is pending. */
let store: Store

/** What each finds, where it asks for ten. */
const walks: Record<string, (writer: Writer) => Promise<number>> = {
  async 'a claim'(writer) {
    let found = 0
    await claimDue(writer, claimBounds(10), rows => {
      found = rows.length
      return []
    })
    return found
  },
  async 'a list of jobs'(writer) {
    const reader = { kind: 'reader' as const, query: writer.query }
    const { jobs } = await listJobs(reader, { view: 'due', tenant_id: null, limit: 10, after: 'new_1' })
    return jobs.length
  },
}

beforeAll(async () => {
  ledger = await freshLedger()
  store = openTestStore(ledger.database, 1)
  await asSuperuser(
    ledger.database,
    ...plant('old', 'executed', 'done'),
    'analyze actions',
    'analyze execution_jobs',
  )
  for (const walk of Object.values(walks)) expect((await walked(walk)).found).toBe(0)
  await asSuperuser(ledger.database, ...plant('new', 'execution_pending', 'pending'))
})
afterAll(async () => {
  await store.close()
  await ledger.close()
})

it.each(Object.entries(walks))(
  '%s that was planned for an empty queue reads no more of a long one',
  async (_, walk) => {
    const answer = await walked(walk)
    expect(answer.found).toBe(10)
    expect(answer.read).toBeLessThan(200)
  },
)

function walked(walk: (writer: Writer) => Promise<number>): Promise<{ found: number; read: number }> {
  return store.write('all', async writer => {
    const read = async () => (await writer.query<{ read: number }>('', soFarSql, []))[0]?.read ?? Number.NaN
    const before = await read()
    const found = await walk(writer)
    return { found, read: (await read()) - before }
  })
}
