import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { actionStatuses } from '../../shared/contract/action/action-status.ts'
import { reject } from '../../shared/lifecycle/decide.ts'
import { transitions } from '../../shared/lifecycle/transition.ts'
import type { Store } from '../../shared/store/postgres/open.ts'
import { asWriter } from '../support/fixtures/ad-hoc.ts'
import type { FreshDatabase } from '../support/servers/database.ts'
import { asSuperuser } from '../support/servers/superuser.ts'
import { titled } from '../support/short.ts'
import { changeAction, freshLedger, type Ledger, stored } from './ledger-fixture.ts'

let database: FreshDatabase
let ledger: Ledger
let store: Store
let held: string

beforeAll(async () => {
  ledger = await freshLedger()
  ;({ database, store } = ledger)
})

beforeEach(async () => {
  held = await stored(store, { decision: 'needs_approval' })
})

afterAll(() => ledger.close())

/** SQLSTATE and constraint that a statement of the runtime role meets, or null when it is let through. */
async function refusal(statement: string): Promise<string | null> {
  return codeOf(asWriter(store, statement))
}

/** The same for the owner of the tables, whom no missing privilege stops. */
async function refusalOfOwner(statement: string): Promise<string | null> {
  return codeOf(asSuperuser(database, 'set role action_gate_owner', statement))
}

async function codeOf(answer: PromiseLike<unknown>): Promise<string | null> {
  try {
    await answer
    return null
  } catch (error) {
    const { code, constraint, constraint_name } = error as {
      code: string
      constraint?: string
      constraint_name?: string
    }
    return [code, constraint ?? constraint_name].filter(Boolean).join(' ')
  }
}

interface Event {
  id?: string
  sequence: number
  from: string | null
  kind: string
  to: string
}

function insertEvent({ id = held, sequence, from, kind, to }: Event): string {
  const text = randomBytes(8).toString('hex')
  const leaf = `sha256('\\x00'::bytea || convert_to('${text}', 'UTF8'))`
  return `insert into action_gate.action_events
    (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
    values ('${id}', ${sequence}, '${kind}', ${from === null ? 'null' : `'${from}'`}, '${to}', 'acme',
      convert_to('${text}', 'UTF8'), ${leaf})`
}

const next = { sequence: 2, from: 'pending_approval', kind: 'approval', to: 'execution_pending' }

describe('an event', () => {
  test('that follows the one before it along the state table is let through', async () => {
    expect(await refusal(insertEvent(next))).toBeNull()
  })

  test('is refused for every step that the state table does not have', async () => {
    const legal = new Set(transitions.map(({ from, event, to }) => `${from} ${event} ${to}`))
    const kinds = [...new Set(transitions.map(({ event }) => event))]
    const steps = actionStatuses.flatMap(from =>
      kinds.flatMap(kind => actionStatuses.map(to => ({ from, kind, to }))),
    )
    const wrong = steps.filter(({ from, kind, to }) => !legal.has(`${from} ${kind} ${to}`))
    expect(wrong.length).toBe(steps.length - (legal.size - 1))
    const asked = wrong
      .map(({ from, kind, to }) => `select '${from}' as f, '${kind}' as k, '${to}' as t`)
      .join(' union all ')
    const through = await asSuperuser(
      database,
      `create temporary table through (step text)`,
      `do $$ declare w record; begin
        for w in ${asked} loop
          begin
            insert into action_gate.action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
            values ('${held}', 2, w.k, w.f, w.t, 'acme', '', sha256('\\x00'));
            insert into through values (w.f || w.k || w.t);
          exception when check_violation then null;
          end;
        end loop; end $$`,
      'select * from through',
    )
    expect(through).toEqual([])
  })

  test('is refused when its own status before is not the one that the trace is in', async () => {
    const elsewhere = { ...next, from: 'executing', kind: 'execution', to: 'executed' }
    expect(await refusal(insertEvent(elsewhere))).toBe('23503 action_events_chain')
  })

  test('is refused after a gap, and twice under one sequence', async () => {
    expect(await refusal(insertEvent({ ...next, sequence: 3 }))).toBe('23503 action_events_chain')
    expect(await refusal(insertEvent({ ...next, sequence: 1 }))).toBe(
      '23505 action_events_action_id_sequence_pk',
    )
  })

  test('that begins a trace is the first, and only the first begins one', async () => {
    const first = { id: 'act_new', sequence: 0, from: null, kind: 'proposal_received', to: 'received' }
    expect(await refusal(insertEvent({ ...first, sequence: 2, id: held }))).toBe('23514 action_events_begin')
    expect(await refusal(insertEvent({ ...first, from: 'received', kind: 'verdict', to: 'denied' }))).toBe(
      '23514 action_events_begin',
    )
    expect(await refusal(insertEvent({ ...first, sequence: -1 }))).toMatch(/^23514/)
  })

  test('is refused with a leaf that is not the hash of its bytes', async () => {
    const wrong = insertEvent(next).replace("'\\x00'::bytea ||", "'\\x01'::bytea ||")
    expect(await refusal(wrong)).toBe('23514 action_events_leaf')
  })

  test('two writers at once cannot both append', async () => {
    const answers = await Promise.all([
      refusal(insertEvent(next)),
      refusal(insertEvent({ ...next, kind: 'rejection', to: 'denied' })),
    ])
    expect(answers.filter(answer => answer === null)).toHaveLength(1)
    expect(answers).toContain('23505 action_events_action_id_sequence_pk')
  })
})

describe('the status of an action', () => {
  const where = () => `where action_id = '${held}'`

  test.each(actionStatuses.filter(status => status !== 'pending_approval'))(
    'cannot become %s without an event that leads there',
    async status => {
      expect(await refusal(`update actions set status = '${status}' ${where()}`)).toBe(
        '23503 actions_status_is_last_event',
      )
    },
  )

  test('cannot be that of an earlier event', async () => {
    const back = `update actions set event_count = 1, leaf_hashes = substr(leaf_hashes, 1, 32) ${where()}`
    expect(await refusal(back)).toBe('23001')
  })

  test('cannot be set back by hand, even with all that belongs to it, nor by the owner', async () => {
    await changeAction(store, [held], reject({ id: 'apk_1', kind: 'approver' }, {}))
    const back = `update action_gate.actions set status = 'pending_approval', event_count = 2,
      held_until = now() + interval '1 day', leaf_hashes = substr(leaf_hashes, 1, 64) ${where()}`
    expect(await refusal(back)).toBe('23001')
    expect(await refusalOfOwner(back)).toBe('23001')
  })

  test('has as many leaves as events', async () => {
    expect(await refusal(`update actions set leaf_hashes = '' ${where()}`)).toBe(
      '23514 actions_leaves_counted',
    )
  })

  test('does not change by what its identity is', async () => {
    for (const column of ['action_id', 'tenant_id', 'proposal_id', 'target_system', 'created_at']) {
      expect(await refusal(`update actions set ${column} = ${column} ${where()}`)).toBe('42501')
    }
    expect(await refusal(`update actions set proposal_hash = 'sha256:00' ${where()}`)).toBe('23001')
  })
})

describe('history', () => {
  const changes = [
    [`update action_events set tenant_id = 'other'`, 'action_events'],
    ['update action_events set tenant_id = tenant_id where false', 'action_events'],
    ['delete from action_events', 'action_events'],
    ['truncate action_events cascade', 'action_events'],
    [`update policy_revisions set change_note = 'x'`, 'policy_revisions'],
    ['delete from policy_revisions', 'policy_revisions'],
    ['truncate policy_revisions cascade', 'policy_revisions'],
    ...['log_entries', 'log_nodes', 'log_checkpoints', 'action_statements'].flatMap(
      table =>
        [
          [`update ${table} set tenant_id = 'other'`, table],
          [`delete from ${table}`, table],
          [`truncate ${table}`, table],
        ] as const,
    ),
  ] as const

  test.each(changes)('gives no right to %s', async statement => {
    expect(await refusal(statement)).toBe('42501')
  })

  test.each(changes)('has a trigger against %s', async (statement, table) => {
    const qualified = statement.replace(table, `action_gate.${table}`)
    expect(await refusalOfOwner(qualified)).toMatch(/^23001/)
    expect(await codeOf(asSuperuser(database, qualified))).toMatch(/^23001/)
  })

  test('the triggers fire in a replica session too', async () => {
    const answer = asSuperuser(
      database,
      'set session_replication_role = replica',
      'delete from action_gate.action_events',
    )
    expect(await codeOf(answer)).toMatch(/^23001/)
  })
})

describe('the runtime role', () => {
  test('owns nothing and is nobody’s member', async () => {
    const owned = await asSuperuser(
      database,
      `select relname from pg_class where relnamespace = 'action_gate'::regnamespace
         and relowner <> 'action_gate_owner'::regrole`,
    )
    expect(owned).toEqual([])
    const [role] = await asSuperuser(
      database,
      `select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,
         (select count(*)::int from pg_auth_members where member = pg_roles.oid) as memberships
       from pg_roles where rolname = 'action_gate_runtime'`,
    )
    expect(role).toEqual({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolbypassrls: false,
      rolreplication: false,
      memberships: 0,
    })
  })

  test.each(
    titled(
      [
        ['alter table action_events disable trigger all', '42501'],
        ['alter table action_events disable trigger action_events_append_only', '42501'],
        ['drop trigger action_events_append_only on action_events', '42501'],
        ['drop table action_events', '42501'],
        ['alter table action_events drop constraint action_events_chain', '42501'],
        [
          'create or replace function refuse_change() returns trigger language sql as $$ select null $$',
          '42501',
        ],
        ['set session_replication_role = replica', '42501'],
        ['set role action_gate_owner', '42501'],
        ['create table action_gate.mine (x int)', '42501'],
        ['delete from actions', '42501'],
        ['delete from execution_jobs', '42501'],
        ['delete from event_payloads', '23001'],
        ['truncate event_payloads', '42501'],
        ['update event_payloads set payload = payload', '42501'],
        ['delete from api_keys', '42501'],
        [`update api_keys set scope = 'admin'`, '42501'],
        [`update api_keys set secret_hash = ''`, '42501'],
        ['update execution_jobs set max_attempts = 99', '42501'],
        ['update actions set traceparent = null', '42501'],
        [`select setval('lease_tokens', 1)`, '42501'],
        ['update policy_revisions set revision = 2', '42501'],
        ['delete from tenants', '42501'],
      ],
      70,
    ),
  )('may not: %s', async (_, statement, code) => {
    expect(await refusal(statement)).toBe(code)
  })

  test('the owner cannot log in', async () => {
    const [owner] = await asSuperuser(
      database,
      `select rolcanlogin from pg_roles where rolname = 'action_gate_owner'`,
    )
    expect(owner).toEqual({ rolcanlogin: false })
  })
})

describe('a job', () => {
  test('is leased exactly with an owner and an end, and never attempts beyond its bound', async () => {
    const id = await stored(store)
    const where = `where action_id = '${id}'`
    expect(await refusal(`update execution_jobs set state = 'leased' ${where}`)).toBe(
      '23514 execution_jobs_lease',
    )
    expect(
      await refusal(`update execution_jobs set lease_expires_at = now(), lease_owner = 'w' ${where}`),
    ).toBe('23514 execution_jobs_lease')
    expect(await refusal(`update execution_jobs set state = 'lost' ${where}`)).toMatch(/^23514/)
    expect(await refusal(`update execution_jobs set attempt = 4 ${where}`)).toBe(
      '23514 execution_jobs_attempts',
    )
  })
})
