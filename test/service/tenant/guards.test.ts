import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendOnlyTables, guardTriggers } from '../../../shared/store/guards/guards.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { asSuperuser } from '../../support/servers/superuser.ts'
import { startService } from '../../support/service/service.ts'

let database: FreshDatabase

beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** What a service logs of the guards of history when it starts, and its metric. */
async function told(): Promise<{ problems: string[]; down: string | undefined }> {
  const service = await startService({ database, worker: null })
  try {
    const line = service
      .logged()
      .split('\n')
      .find(text => text.includes('history is not protected'))
    const { text } = await service.call('GET', '/metrics')
    return {
      problems: line === undefined ? [] : (JSON.parse(line) as { problems: string[] }).problems,
      down: /^action_gate_tenant_guards_missing (\d+)/m.exec(text)?.[1],
    }
  } finally {
    await service.close()
  }
}

describe('a start', () => {
  it('tells nothing where every guard is there', async () => {
    expect(await told()).toEqual({ problems: [], down: '0' })
  })

  it.each([
    [
      'a trigger that is disabled',
      'alter table action_gate.action_events disable trigger action_events_append_only',
      'alter table action_gate.action_events enable always trigger action_events_append_only',
      'the trigger action_events_append_only does not fire',
    ],
    [
      'a trigger that a replica passes by',
      'alter table action_gate.log_nodes enable trigger log_nodes_append_only',
      'alter table action_gate.log_nodes enable always trigger log_nodes_append_only',
      'the trigger log_nodes_append_only does not fire',
    ],
    [
      'a right too many',
      'grant delete on action_gate.log_checkpoints to action_gate_runtime',
      'revoke delete on action_gate.log_checkpoints from action_gate_runtime',
      'the runtime role has DELETE on log_checkpoints',
    ],
    [
      'a table that shows every tenant',
      'alter table action_gate.actions disable row level security',
      'alter table action_gate.actions enable row level security',
      'actions has no row-level security',
    ],
    [
      'a role that owns a table',
      'alter table action_gate.config_events owner to action_gate_runtime',
      'alter table action_gate.config_events owner to action_gate_owner',
      'the runtime role has ownership of config_events',
    ],
  ])('tells of %s', async (_, harm, mend, problem) => {
    await asSuperuser(database, harm)
    const harmed = await told()
    await asSuperuser(database, mend)
    expect(harmed.problems).toContain(problem)
    expect(Number(harmed.down)).toBe(harmed.problems.length)
    expect((await told()).problems).toEqual([])
  })
})

it('every trigger and every append-only table of the database is known', async () => {
  const triggers = await asSuperuser<{ name: string; tables: string }>(
    database,
    `select tgname as name, tgrelid::regclass::text as tables from pg_trigger
     where not tgisinternal and tgrelid::regclass::text like 'action_gate.%' order by 1`,
  )
  expect(triggers.map(({ name }) => name)).toEqual([...guardTriggers].sort())
  const appendOnly = triggers.flatMap(({ name }) => /^(\w+)_append_only$/.exec(name)?.[1] ?? [])
  expect(appendOnly).toEqual(appendOnlyTables)
})
