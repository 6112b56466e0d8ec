import { afterAll, beforeAll, expect, it } from 'vitest'
import { expiredHolds, expiredLeases } from '../../shared/store/job/jobs.ts'
import { readEntries } from '../../shared/store/log/log-reads.ts'
import { readSigningKeys } from '../../shared/store/log/signing-keys.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { forgetDeliveries, makeDeliveries } from '../../shared/store/webhook/due-deliveries.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { claimMessages, freshLedger, type Ledger, openTestStore, tenantId } from './ledger-fixture.ts'
import { type Walker, walked } from './read-so-far.ts'

/** Of each kind of row: so many that a walk through all of them shows. */
const planted = 2_000
/** Of what a walk may read. */
const enough = 100
const hash = "sha256('')"
const inAnHour = "now() + interval '1 hour'"

/** Rows that a walk must leave alone, in a database that was never analyzed; of some, one that it is for. */
const plants = [
  `insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
     event_count, leaf_hashes, audit_root, created_at, updated_at, held_until)
   select 'act_' || n, '${tenantId}', n, '', 'crm', 'read', 'agk_1', 'pending_approval', 1, ${hash}, ${hash}, now(), now(),
     case n when 1 then now() else ${inAnHour} end
   from generate_series(1, ${planted}) n`,
  `insert into execution_jobs (action_id, tenant_id, state, attempt, max_attempts, next_run_at, lease_owner, lease_token,
     lease_expires_at, maybe_executed, key_honoured, target_system)
   select 'act_' || n, '${tenantId}', 'leased', 1, 3, now(), 'wrk_1', 1,
     case n when 1 then now() else ${inAnHour} end, false, true, 'crm'
   from generate_series(1, ${planted}) n`,
  `insert into webhooks (webhook_id, tenant_id, url, event_types, enabled, position)
   values ('wh_1', '${tenantId}', 'https://example.com', '[]', true, 0)`,
  `insert into webhook_deliveries (webhook_id, log_index, tenant_id, type, action_id, status, occurred_at, next_attempt_at)
   select 'wh_1', n, '${tenantId}', 'action.settled', 'act_' || n, 'executed', '',
     case n when 1 then now() else ${inAnHour} end
   from generate_series(1, ${planted}) n`,
  `insert into tenant_logs (tenant_id, log_id, root)
   select 'tenant-' || n, 'log-' || n, ${hash} from generate_series(1, ${planted}) n`,
  `insert into webhooks (webhook_id, tenant_id, url, event_types, enabled, position)
   select 'wh_of_' || n, 'tenant-' || n, 'https://example.com', '[]', true, 0 from generate_series(1, ${planted}) n`,
  "update tenant_logs set size = 1 where tenant_id = 'tenant-7'",
  `insert into signing_keys (key_id, name, public_key, status)
   values ('one', 'log-key', ${hash}, 'active'), ('other', 'log-key', ${hash}, 'next')`,
  `insert into log_entries (tenant_id, index, stream, sequence)
   select '${tenantId}', n, 'action/act_' || n, 0 from generate_series(0, ${planted - 1}) n`,
  `insert into log_nodes (tenant_id, level, index, hash)
   select '${tenantId}', 0, n, ${hash} from generate_series(0, ${planted - 1}) n`,
]

let ledger: Ledger
/** Of one session, whose plans were made while there was nothing. */
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  store = openTestStore(ledger.database, 1)
  for (const { walk } of Object.values(walks)) await walked(store, walk)
  await asSuperuser(
    ledger.database,
    'set session_replication_role = replica',
    'set search_path to action_gate',
    ...plants,
  )
})
afterAll(async () => {
  await store.close()
  await ledger.close()
})

/** What each walk has to find, and the walk, under the plan that the store's own sessions make. */
const walks: Record<string, { found: number; walk: (of: Walker) => Promise<number> }> = {
  'holds that are over': { found: 1, walk: async of => (await expiredHolds(of.reader, 100)).length },
  'leases that ran out': { found: 1, walk: async of => (await expiredLeases(of.reader, 100)).length },
  'messages that are due': {
    found: 1,
    walk: ({ writer }) => claimMessages(writer, 100),
  },
  'messages of long ago': {
    found: 0,
    walk: async ({ writer }) => Number(await forgetDeliveries(writer, 3_600_000, 100)),
  },
  'endpoints of a tenant whose log grew': {
    found: 0,
    walk: async ({ writer }) => (await makeDeliveries(writer, ['tenant-7'], 1_000)).made,
  },
  'keys of a log by its tenant': {
    found: 2,
    walk: async of => (await readSigningKeys(of.reader, { tenant_id: 'tenant-7' })).keys.length,
  },
  'keys of a log by its name': {
    found: 2,
    walk: async of => (await readSigningKeys(of.reader, { log_id: 'log-7' })).keys.length,
  },
  'entries of a log': {
    found: 10,
    walk: async of => (await readEntries(of.reader, tenantId, 1_000, 1_010)).length,
  },
}

it.each(Object.entries(walks))('%s are found by an index', async (_, { found, walk }) => {
  const answer = await walked(store, walk)
  expect(answer.found).toBe(found)
  expect(answer.read).toBeLessThan(enough)
})
