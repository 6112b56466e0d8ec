import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Context } from '../../shared/flow/core/context.ts'
import { sequenceLog } from '../../shared/flow/log/sequence-log.ts'
import { readTail } from '../../shared/store/log/log-tail.ts'
import { readEntryLeaves, readUnsignedStatements } from '../../shared/store/log/log-to-sign.ts'
import type { Store, Writer } from '../../shared/store/postgres/open.ts'
import { makeDeliveries } from '../../shared/store/webhook/due-deliveries.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { freshLedger, type Ledger, openTestStore, tenantId } from './ledger-fixture.ts'
import { type Walker, walked } from './read-so-far.ts'

/** Changes that wait, each of one event. */
const behind = 100_000
/** What a walk is about: changes of a batch of the sequencer, or entries of a log. */
const batch = 500
/** Of what is read for each of them: its row, its event and a few places in the log. */
const readEach = 10

const plants = [
  `insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
   select 'act_' || n, 1, 'verdict', 'received', 'denied', '${tenantId}', '{"at":""}', sha256('\\x00'::bytea || '{"at":""}')
   from generate_series(1, ${behind}) n`,
  `insert into log_outbox (tenant_id, stream, first_sequence, event_count)
   select '${tenantId}', 'action/act_' || n, 1, 1 from generate_series(1, ${behind}) n`,
]

let ledger: Ledger
/** Of one session each: its plans are made while nothing is there, or when everything is and was analyzed. */
let before: Store
let after: Store
const damaged = new Set<string>()

beforeAll(async () => {
  ledger = await freshLedger()
  before = openTestStore(ledger.database, 1, 2_000)
  await walked(before, ({ writer }) => sequence(writer))
  for (const { walk } of Object.values(walks)) await walked(before, walk)
  await changed('set session_replication_role = replica', ...plants)
  after = openTestStore(ledger.database, 1, 2_000)
})
afterAll(async () => {
  await before.close()
  await after.close()
  await ledger.close()
})

function changed(...statements: string[]): Promise<Record<string, number>[]> {
  return asSuperuser(ledger.database, 'set search_path to action_gate', ...statements)
}

/** One batch of the sequencer; how many events it took. */
async function sequence(writer: Writer): Promise<number> {
  const events = { logDamaged: vi.fn(), logIntegrated: vi.fn() }
  const store = { write: (_: unknown, work: (of: Writer) => unknown) => work(writer) }
  await sequenceLog({ store, events, tail: { hint: () => undefined } } as unknown as Context, damaged)
  return Number(events.logIntegrated.mock.calls[0]?.[0] ?? 0)
}

const log = { tenant_id: tenantId, from: 1_000, to: 1_000 + batch }

const walks: Record<string, { found: number; walk: (of: Walker) => Promise<number> }> = {
  'who follows it': { found: 100, walk: async ({ reader }) => (await readTail(reader, [log])).length },
  'who signs it': {
    found: batch,
    walk: async ({ writer }) => ((await readEntryLeaves(writer, [log])).get(tenantId)?.length ?? 0) / 32,
  },
  'who signs statements of it': {
    found: batch,
    async walk({ writer }) {
      const asked = await readUnsignedStatements(writer, [], batch)
      return asked.filter(({ logged }) => logged?.length === 32).length
    },
  },
  'who makes messages of it': {
    found: batch,
    walk: async ({ writer }) => (await makeDeliveries(writer, null, batch)).made,
  },
}

const signingKey = `insert into signing_keys (key_id, name, public_key, status)
  values ('one', 'log-key', sha256(''), 'active') on conflict do nothing`
const endpoint = (
  id: string,
) => `insert into webhooks (webhook_id, tenant_id, url, event_types, enabled, position)
  values ('${id}', '${tenantId}', 'https://example.com', '["action.settled"]', true, 1000)
  on conflict (webhook_id) do update set enabled = true`

describe.each([
  ['an empty database', 'one', () => before],
  ['a full and analyzed database', 'two', () => after],
])('a log that is 100,000 changes behind, under plans of %s,', (_, id, session) => {
  beforeAll(() => changed(signingKey, ...(id === 'two' ? ['analyze'] : [])))

  it('takes up batch after batch, each by few rows', async () => {
    for (let at = 0; at < 5; at += 1) {
      const { found, read } = await walked(session(), ({ writer }) => sequence(writer))
      expect(found).toBe(batch)
      expect(read).toBeLessThan(readEach * batch)
    }
    expect(damaged.size).toBe(0)
  })

  it.each(Object.entries(walks))('is read by few rows by %s', async (_, { found, walk }) => {
    await changed('update webhooks set enabled = false', endpoint(id))
    const answer = await walked(session(), walk)
    expect(answer.found).toBe(found)
    expect(answer.read).toBeLessThan(readEach * batch)
  })
})

it('a log that is 100,000 changes behind is brought up', async () => {
  const waiting = async () => (await changed('select count(*)::int4 as count from log_outbox'))[0]?.count
  for (let left = await waiting(); left; left = await waiting())
    for (let at = 0; at < 50; at += 1) await walked(after, ({ writer }) => sequence(writer))
  const [log] = await changed('select size::int4 as size from tenant_logs')
  expect(log?.size).toBe(behind)
}, 120_000)
