import { afterAll, beforeAll, expect, it } from 'vitest'
import { lockDueJobs } from '../../shared/store/job/claim/due-jobs.ts'
import { expiredLeases, renewLeases } from '../../shared/store/job/jobs.ts'
import { listJobs } from '../../shared/store/job/queued-jobs.ts'
import { takeReconcileAttempts } from '../../shared/store/job/reconcile-attempts.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { type DueDelivery, recordAttempt } from '../../shared/store/webhook/due-deliveries.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import {
  claimBounds,
  claimMessages,
  freshLedger,
  type Ledger,
  openTestStore,
  tenantId,
} from './ledger-fixture.ts'
import { type Walker, walked } from './read-so-far.ts'

/** Of each kind of row: so many that a walk through all of them shows. */
const planted = 2_000
/** Of what a walk may read, but for leases where it counts them. */
const enough = 200

/** Each with the token of its number: no two leases have the same. */
const jobs = (name: string, status: string, state: string, expires = 'null'): string[] => [
  `insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
     event_count, leaf_hashes, audit_root, created_at, updated_at)
   select '${name}_' || n, '${tenantId}', '${name}_' || n, '', 'crm', 'read', 'agk_1', '${status}', 1, sha256(''), sha256(''), now(), now()
   from generate_series(1, ${planted}) n`,
  `insert into execution_jobs (action_id, tenant_id, state, attempt, max_attempts, next_run_at, lease_token, maybe_executed,
     key_honoured, target_system, lease_owner, lease_expires_at)
   select '${name}_' || n, '${tenantId}', '${state}', 0, 3, now(), n, false, false, 'crm', case when '${state}' = 'leased' then 'wrk_1' end,
     ${expires}
   from generate_series(1, ${planted}) n`,
]

const messages = (first: number, state: string): string => `
  insert into webhook_deliveries (webhook_id, log_index, tenant_id, type, action_id, status, occurred_at, state)
  select 'wh_1', ${first} + n, '${tenantId}', 'action.settled', 'old_1', 'executed', '', '${state}' from generate_series(1, ${planted}) n`

const history = [
  ...jobs('old', 'executed', 'done'),
  `insert into webhooks (webhook_id, tenant_id, url, event_types, enabled, position)
   values ('wh_1', '${tenantId}', 'https://example.com', '[]', true, 0)`,
  messages(0, 'delivered'),
]
const flood = [
  ...jobs('new', 'execution_pending', 'pending'),
  ...jobs('asked', 'outcome_unknown', 'unknown'),
  ...jobs(
    'held',
    'executing',
    'leased',
    "now() + case n when 1 then interval '0' else interval '1 hour' end",
  ),
  messages(planted, 'pending'),
]

/** What each finds of the flood, and of nothing. */
const walks: Record<string, { found: number; counts?: number; walk: (of: Walker) => Promise<number> }> = {
  'a claim': {
    found: 10,
    counts: planted,
    async walk({ writer }) {
      return (await lockDueJobs(writer, claimBounds(10))).due.length
    },
  },
  'a list of jobs': {
    found: 10,
    async walk({ reader }) {
      const page = { view: 'due', tenant_id: null, limit: 10, after: 'new_1' } as const
      return (await listJobs(reader, page)).jobs.length
    },
  },
  'the renewal of leases': {
    found: 10,
    async walk({ writer }) {
      const held = Array.from({ length: 10 }, (_, n) => ({ action_id: `held_${n + 5}`, token: n + 5 }))
      return (await renewLeases(writer, held, 3_600_000)).size
    },
  },
  'a look for leases that ran out': {
    found: 1,
    walk: async ({ reader }) => (await expiredLeases(reader, 100)).length,
  },
  'a look for unknown outcomes': {
    found: 5,
    async walk({ writer }) {
      const taken = await takeReconcileAttempts(writer, {
        after: { tenant_id: '', target_system: '' },
        busy: [],
        partitions: 5,
        partitions_of_tenant: 5,
        under_way: new Map(),
        rounds_of_partition: 5,
        sure: 5,
        hold_ms: 1_000,
      })
      return taken.attempts.length
    },
  },
  'a claim of messages': {
    found: 10,
    walk: ({ writer }) => claimMessages(writer, 10),
  },
  'the record of a message': {
    found: 1,
    async walk({ writer }) {
      const at = {
        webhook_id: 'wh_1',
        log_index: planted + 99,
        reminder: 0,
        claim: 0,
        url: 'https://example.com',
      }
      const record = { outcome: 'delivered', retry_ms: null, status: 200, error: null } as const
      return (await recordAttempt(writer, at as DueDelivery, record)) ? 1 : 0
    },
  },
}

let ledger: Ledger
/** Of one session, whose plans are made while history is all there is. */
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  store = openTestStore(ledger.database, 1)
  const planting = ['set session_replication_role = replica', 'set search_path to action_gate']
  await asSuperuser(ledger.database, ...planting, ...history, 'analyze')
  for (const { walk } of Object.values(walks)) expect((await walked(store, walk)).found).toBe(0)
  await asSuperuser(ledger.database, ...planting, ...flood)
})
afterAll(async () => {
  await store.close()
  await ledger.close()
})

it.each(Object.entries(walks))(
  '%s, planned while idle, reads no more under load',
  async (_, { found, counts = 0, walk }) => {
    const answer = await walked(store, walk)
    expect(answer.found).toBe(found)
    expect(answer.read).toBeLessThan(counts + enough)
  },
)
