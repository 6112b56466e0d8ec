import { afterAll, beforeAll, expect, it } from 'vitest'
import { forgetEnded } from '../../shared/store/job/forgotten-rows.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { freshLedger, type Ledger, openTestStore, tenantId } from './ledger-fixture.ts'
import { walked } from './read-so-far.ts'

/** Of each table: so many rows that a walk through all of them shows. */
const planted = 2_000
/** Of what all tables together may read. */
const enough = 100

/** A table, what a row needs beside its time, and the days that it is kept after that. */
interface Forgotten {
  at: string
  rest: Record<string, string>
  keptDays: number
}

const hash = 'sha256(n::text::bytea)'
const tables: Record<string, Forgotten> = {
  sessions: {
    at: 'idle_expires_at',
    rest: { session_hash: hash, account_id: "'acc_1'", expires_at: "now() + interval '1 day'" },
    keptDays: 0,
  },
  devices: { at: 'expires_at', rest: { device_hash: hash, account_id: "'acc_1'" }, keptDays: 0 },
  logout_tokens: { at: 'expires_at', rest: { issuer: "'one'", jti_hash: hash }, keptDays: 0 },
  sign_ins: {
    at: 'expires_at',
    rest: { state_hash: hash, browser_hash: hash, issuer: "'one'" },
    keptDays: 0,
  },
  operator_sessions: {
    at: 'idle_expires_at',
    rest: {
      session_hash: hash,
      operator_id: "'opr_1'",
      expires_at: "now() + interval '1 day'",
      issuer: "'one'",
      subject: "'one'",
    },
    keptDays: 0,
  },
  operator_sign_ins: {
    at: 'expires_at',
    rest: { state_hash: hash, browser_hash: hash, issuer: "'one'" },
    keptDays: 0,
  },
  password_resets: { at: 'expires_at', rest: { reset_id: "'rst_' || n", email: "'one'" }, keptDays: 0 },
  invitations: {
    at: 'expires_at',
    rest: {
      invitation_id: "'inv_' || n",
      organization_id: "'org_1'",
      token_hash: hash,
      label: "'one'",
      grants: "'{}'",
      invited_by: "'acc_1'",
    },
    keptDays: 30,
  },
  number_hours: { at: 'hour', rest: { tenant_id: "'tenant_' || n", numbers: "'{}'" }, keptDays: 35 },
  workers: { at: 'seen_at', rest: { worker_id: "'wrk_' || n" }, keptDays: 1 },
  scan_cursors: {
    at: 'looked_at',
    rest: {
      tenant_id: `'${tenantId}'`,
      target_system: "'system_' || n",
      freezes: "''",
      next_run_at: 'now()',
      action_id: "''",
      more: 'false',
    },
    keptDays: 1,
  },
}

/** Rows of numbers from one to another, whose time is so far from the end of what is kept. */
function plant(table: string, [first, last]: readonly [number, number], far: string): string {
  const { at, rest, keptDays } = tables[table] as Forgotten
  return `
    insert into ${table} (${at}, ${Object.keys(rest).join(', ')})
    select now() - interval '${keptDays} days' + interval '${far}', ${Object.values(rest).join(', ')}
    from generate_series(${first}, ${last}) n`
}

const names = Object.keys(tables)
let ledger: Ledger
/** Of one session, whose plans were made while there was nothing. */
let store: Store

beforeAll(async () => {
  ledger = await freshLedger()
  store = openTestStore(ledger.database, 1)
  await store.write('all', async writer => forgetEnded(writer))
})
afterAll(async () => {
  await store.close()
  await ledger.close()
})

it('what is over is forgotten, and what is kept for a while is kept', async () => {
  await plantAll(name => [plant(name, [1, 3], '-1 minute'), plant(name, [4, 8], '1 minute')])
  await store.write('all', async writer => forgetEnded(writer))
  expect(await left()).toEqual(Object.fromEntries(names.map(name => [name, 5])))
})

it('what is not over is not read, however much it is', async () => {
  const kept = (name: string) => !['workers', 'scan_cursors'].includes(name)
  await plantAll(name => (kept(name) ? [plant(name, [10_001, 10_000 + planted], '1 hour')] : []))
  const { read } = await walked(store, async ({ writer }) => {
    forgetEnded(writer)
    return 0
  })
  expect(read).toBeLessThan(enough)
})

it('of many that are over the oldest thousand go, and the rest with the next passes', async () => {
  await plantAll(name => (name === 'sessions' ? [plant(name, [101, 1_600], '-1 minute')] : []))
  const before = await left()
  await store.write('all', async writer => forgetEnded(writer))
  expect((before.sessions ?? 0) - ((await left()).sessions ?? 0)).toBe(1_000)
  await store.write('all', async writer => forgetEnded(writer))
  expect((before.sessions ?? 0) - ((await left()).sessions ?? 0)).toBe(1_500)
})

async function plantAll(statements: (name: string) => string[]): Promise<void> {
  const setUp = ['set session_replication_role = replica', 'set search_path to action_gate']
  await asSuperuser(ledger.database, ...setUp, ...names.flatMap(statements))
}

function left(): Promise<Record<string, number>> {
  const counts = names.map(name => `'${name}', (select count(*) from ${name})`).join(', ')
  return store.write('all', async writer => {
    const [row] = await writer.query<{ left: Record<string, number> }>(
      '',
      `select json_build_object(${counts}) as left`,
      [],
    )
    return row?.left ?? {}
  })
}
