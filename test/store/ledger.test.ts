import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { reject } from '../../shared/lifecycle/decide.ts'
import { readAction } from '../../shared/store/action/actions.ts'
import { LedgerConflict, type Opened } from '../../shared/store/action/ledger.ts'
import type { SealedChange, SealedOpening } from '../../shared/store/action/sealed-change.ts'
import { probe, type Store } from '../../shared/store/postgres/open.ts'
import { insertKey, revokeKey } from '../../shared/store/tenant/api-keys.ts'
import { asReader } from '../support/fixtures/ad-hoc.ts'
import { type FreshDatabase, freshDatabase } from '../support/servers/database.ts'
import { short } from '../support/short.ts'
import {
  approving,
  changeAction,
  changeLocked,
  inserted,
  makeTenant,
  opening,
  openTestStore,
  seal,
  stored,
  tenantId,
} from './ledger-fixture.ts'

let database: FreshDatabase
let store: Store
let other: Store

/** Two pools, as of two processes. */
beforeAll(async () => {
  database = await freshDatabase()
  store = openTestStore(database)
  other = openTestStore(database)
  await makeTenant(store)
})

afterAll(async () => {
  await Promise.all([store.close(), other.close()])
  await database.drop()
})

const approver = { id: 'apk_1', kind: 'approver' } as const

async function statusOf(id: string): Promise<string | undefined> {
  return (await store.read([tenantId], reader => readAction(reader, tenantId, id)))?.status
}

describe('inserting actions', () => {
  test('one proposal id fifty ways over two pools makes one', async () => {
    const openings = Array.from({ length: 50 }, () => opening({ proposal_id: 'crowd' }))
    const answers = await Promise.all(
      openings.map((one, at) => inserted(at % 2 === 0 ? store : other, [one])),
    )
    const outcomes = answers.flat().map(({ outcome }) => outcome)
    expect(outcomes.filter(outcome => outcome === 'made')).toHaveLength(1)
    expect(outcomes.filter(outcome => outcome === 'exists')).toHaveLength(49)
    const rows = await asReader(store, `select action_id from actions where proposal_id = 'crowd'`)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.action_id).toBe(openings[outcomes.indexOf('made')]?.action_id)
    const ids = openings.map(({ action_id }) => action_id)
    for (const table of ['action_events', 'event_payloads', 'execution_jobs']) {
      const written = await asReader(
        store,
        `select distinct action_id from ${table} where action_id = any('{${ids.join()}}'::text[])`,
      )
      expect(written).toHaveLength(1)
    }
  })

  test('twice in one group makes one', async () => {
    const answers = await inserted(store, [
      opening({ proposal_id: 'pair' }),
      opening({ proposal_id: 'pair' }),
    ])
    expect(answers.map(({ outcome }) => outcome).sort()).toEqual(['exists', 'made'])
  })

  test('groups that share their proposals in opposite order never wait for each other', async () => {
    for (let round = 0; round < 20; round += 1) {
      const ids = Array.from({ length: 30 }, (_, at) => `crossed-${round}-${at}`)
      const group = (order: string[]) => order.map(proposal_id => opening({ proposal_id }))
      const answers = await Promise.all([
        inserted(store, group(ids)),
        inserted(other, group([...ids].reverse())),
      ])
      expect(answers.flat().filter(({ outcome }) => outcome === 'made')).toHaveLength(30)
    }
  })
})

/** A statement for one action is another than that for many. */
const ways = {
  alone: async (openings, checksKeys = false) =>
    (await Promise.all(openings.map(one => inserted(store, [one], checksKeys)))).flat(),
  together: (openings, checksKeys = false) => inserted(store, openings, checksKeys),
} satisfies Record<string, (openings: SealedOpening[], checksKeys?: boolean) => Promise<Opened[]>>

describe.each(Object.entries(ways))('inserted %s, an action', (way, insert) => {
  test('made with rules that are no longer in force is stale and writes nothing', async () => {
    const stale = { ...opening(), rules_version: 7 }
    const homeless = { ...opening(), tenant_id: 'nobody' }
    const fresh = opening()
    const answers = await insert([stale, fresh, homeless])
    expect(answers.map(({ outcome }) => outcome)).toEqual(['stale', 'made', 'stale'])
    expect(await store.read([tenantId], reader => readAction(reader, tenantId, stale.action_id))).toBeNull()
  })

  test('checks the keys where they are beside: an ended key writes nothing', async () => {
    const key = {
      tenant_id: tenantId,
      scope: 'agent',
      name: 'k',
      secret_hash: Buffer.alloc(32),
      holder: null,
    } as const
    const past = new Date(Date.now() - 1_000)
    await store.change([tenantId], async query => {
      await insertKey(query, { ...key, key_id: `agk_good_${way}`, expires_at: null })
      await insertKey(query, { ...key, key_id: `agk_expired_${way}`, expires_at: past })
      await insertKey(query, { ...key, key_id: `agk_revoked_${way}`, expires_at: null })
      await revokeKey(query, tenantId, `agk_revoked_${way}`)
    })
    const by = (key_id: string) => ({ ...opening(), key_id })
    const openings = ['agk_good', 'agk_expired', 'agk_revoked', 'agk_nobody'].map(id => by(`${id}_${way}`))
    const outcomes = async (checksKeys: boolean) =>
      (await insert(openings, checksKeys)).map(({ outcome }) => outcome)
    expect(await outcomes(true)).toEqual(['made', 'key_ended', 'key_ended', 'key_ended'])
    expect(await outcomes(false)).toEqual(['exists', 'made', 'made', 'made'])
  })

  test("under another time than the database's is untimely and writes nothing", async () => {
    const at = (ms: number) => ({ ...opening(), at: new Date(Date.now() + ms).toISOString() })
    const answers = await insert([at(5_000), at(-60_000), at(-1_000)])
    expect(answers.map(({ outcome }) => outcome)).toEqual(['untimely', 'untimely', 'made'])
    expect(Math.abs(Date.parse(answers[0]?.now ?? '') - Date.now())).toBeLessThan(2_000)
  })

  test('keeps the exact texts, whatever characters they hold', async () => {
    const plain = opening()
    const text = 'quote " backslash \\ brace {,} é 😀 \u202e NULL'
    const rows = plain.rows.map(row => ({ ...row, payloadText: JSON.stringify({ text }) }))
    await insert([{ ...plain, rows }, opening()])
    const found = await store.read([tenantId], reader => readAction(reader, tenantId, plain.action_id))
    expect(found?.events.map(({ payload }) => JSON.parse(payload ?? '').text)).toEqual([text, text])
    expect(found?.events.map(({ event }) => event)).toEqual(rows.map(row => row.text))
  })
})

describe('a change of one action and the same among others', () => {
  test.each(['allow', 'needs_approval', 'deny'] as const)('write the same: %s', async decision => {
    const alone = opening({ decision })
    const among = { ...alone, action_id: opening().action_id, proposal_id: `among-${decision}` }
    await inserted(store, [alone])
    await inserted(store, [opening(), among, opening()])
    expect(await rowsOf(among.action_id)).toEqual(await rowsOf(alone.action_id))
    if (decision !== 'needs_approval') return
    const [sealed] = await changeAction(store, [alone.action_id], approving(approver))
    const other = await stored(store, { decision })
    await store.write([tenantId], writer =>
      changeLocked(writer, [among.action_id, other], rows => [
        ...rows
          .filter(({ action_id }) => action_id !== other)
          .map(({ action_id }) => ({ ...(sealed as SealedChange), action_id })),
        ...seal(
          rows.filter(({ action_id }) => action_id === other),
          approving(approver),
        ),
      ]),
    )
    expect(await statusOf(other)).toBe('execution_pending')
    expect(await rowsOf(among.action_id)).toEqual(await rowsOf(alone.action_id))
  })
})

/** All that is written of an action but its names, and when it was queued. */
async function rowsOf(id: string): Promise<unknown[]> {
  const names = `'{action_id,proposal_id,id,stream,next_run_at,queued_at}'::text[]`
  const of = (table: string, where: string) =>
    `(select coalesce(jsonb_agg(to_jsonb(t) - ${names} order by to_jsonb(t) - ${names}), '[]') from ${table} t where ${where}) as ${table}`
  const tables = ['actions', 'action_events', 'event_payloads', 'execution_jobs'].map(table =>
    of(table, `action_id = '${id}'`),
  )
  return asReader(store, `select ${[...tables, of('log_outbox', `stream = 'action/${id}'`)].join(', ')}`)
}

describe('changing actions', () => {
  test('twenty decisions at once over two pools: one wins', async () => {
    const id = await stored(store, { decision: 'needs_approval' })
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        changeAction(
          at % 2 === 0 ? store : other,
          [id],
          at % 3 === 0 ? reject(approver, {}) : approving(approver),
        ),
      ),
    )
    expect(made.flat()).toHaveLength(1)
    expect(await statusOf(id)).toBe(made.flat()[0]?.change.to)
  })

  test('sets of actions that overlap in opposite order never wait for each other', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => stored(store, { decision: 'needs_approval' })),
    )
    const made = await Promise.all([
      changeAction(store, ids, approving(approver)),
      changeAction(other, [...ids].reverse(), reject(approver, {})),
    ])
    expect(made.flat()).toHaveLength(20)
  })

  test('what was sealed on an older state is not written: all of it is rolled back', async () => {
    const one = await stored(store, { decision: 'needs_approval' })
    const two = await stored(store, { decision: 'needs_approval' })
    await changeAction(store, [one], reject(approver, {}))
    const stale = store.write([tenantId], writer =>
      changeLocked(writer, [one, two], rows => rows.map(({ action_id }) => sealedOnOldState(action_id))),
    )
    await expect(stale).rejects.toThrow(LedgerConflict)
    expect(await statusOf(two)).toBe('pending_approval')
  })

  test('what names another tenant than the action has is not written', async () => {
    const id = await stored(store, { decision: 'needs_approval' })
    const foreign = store.write('all', writer =>
      changeLocked(writer, [id], rows =>
        seal(rows, reject(approver, {})).map(sealed => ({ ...sealed, tenant_id: 'another' })),
      ),
    )
    await expect(foreign).rejects.toMatchObject({ code: '23503' })
    expect(await statusOf(id)).toBe('pending_approval')
  })

  test('an unknown action is simply not among the rows', async () => {
    expect(await changeAction(store, ['act_nowhere'], reject(approver, {}))).toEqual([])
  })
})

/** A change that claims the action were still as it was opened, of another stream. */
function sealedOnOldState(actionId: string): SealedChange {
  const fresh = opening()
  return { ...fresh, action_id: actionId, rows: [], change: { ...fresh.change, from: 'received', job: null } }
}

describe('a reader', () => {
  test.each(
    [
      `insert into tenants (tenant_id, policy_revision, approval_ttl_ms) values ('x', 1, 1)`,
      'update actions set status = status',
      'delete from actuators',
      `select nextval('lease_tokens')`,
      'create temporary table x (y int)',
    ].map(statement => [short(statement), statement]),
  )('cannot write: %s', async (_, statement) => {
    const code = await asReader(store, statement).then(
      () => 'written',
      (error: { code: string }) => error.code,
    )
    expect(code).toMatch(/^25006$|^42501$/)
  })

  test('says 25006 to a write that the role may do', async () => {
    const write = 'update actions set status = status'
    await expect(asReader(store, write)).rejects.toMatchObject({ code: '25006' })
    const scoped = store.read([tenantId], reader => reader.query('', write, []))
    await expect(scoped).rejects.toMatchObject({ code: '25006' })
    await expect(store.look([tenantId], query => query.execute(write))).rejects.toMatchObject({
      cause: { code: '25006' },
    })
  })

  test('is another role than the login, with bounds on every statement', async () => {
    const [session] = await asReader(
      store,
      `select current_user as role, current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('timezone') as zone, current_setting('search_path') as path`,
    )
    expect(session).toEqual({
      role: 'action_gate_runtime',
      statement: '5s',
      lock: '3s',
      zone: 'UTC',
      path: 'action_gate',
    })
    await probe(store)
  })
})
