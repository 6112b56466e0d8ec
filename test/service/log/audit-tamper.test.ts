import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { merkleRoot } from '../../../shared/audit/merkle/merkle.ts'
import { verifyExport } from '../../../shared/audit/verify/verify-export.ts'
import { canonicalJson } from '../../../shared/canon/canonical-json.ts'
import type { AuditExport } from '../../../shared/contract/action/action.ts'
import type { LogCheckpoint } from '../../../shared/contract/action/audit-log.ts'
import type { Counters } from '../../../shared/flow/database-check/check-counters.ts'
import { checkDatabase } from '../../../shared/flow/database-check/check-database.ts'
import { testVerifierKey } from '../../support/audit/signing-key.ts'
import { copyOf, entriesOf, rebuildLog, replaceCheckpoints, tamper } from '../../support/audit/tamper.ts'
import { type FreshDatabase, freshDatabase } from '../../support/servers/database.ts'
import { databaseUrl, startService, type TestService } from '../../support/service/service.ts'
import type { TestTenant } from '../../support/service/tenant.ts'

/**
 * What somebody does who may do anything at the database, and what finds it. As long as nobody has the signing key, the
 * signed statements and checkpoints that are stored are enough, and where they were removed that is told too; against
 * somebody with the key it takes a checkpoint that was kept elsewhere.
 */

let original: FreshDatabase
let database: FreshDatabase
let tenant: TestTenant
/** An executed action, one from before the checkpoint that was kept, and one from after. */
let [early, late, denied]: string[] = []
let kept: LogCheckpoint
/** The last checkpoint before the database was spoilt. */
let latest: LogCheckpoint
const key = testVerifierKey()

beforeAll(async () => {
  original = await freshDatabase()
  const service = await startService({ database: original })
  tenant = await service.tenant({ issued: true })
  early = await executed(service)
  kept = await checkpointOf(service)
  late = await executed(service)
  const refused = await tenant.submit({ system: 'elsewhere' })
  denied = refused.body.action_id
  await exportOf(service, denied)
  latest = await checkpointOf(service)
  await service.close()
})
afterAll(() => original.drop())
beforeEach(async () => {
  database = await copyOf(original)
})
afterEach(() => database.drop())

async function executed(service: TestService): Promise<string> {
  const { body } = await tenant.submit()
  await tenant.settled(body.action_id)
  await exportOf(service, body.action_id)
  return body.action_id
}

async function exportOf(service: TestService, id: string | undefined, query = ''): Promise<AuditExport> {
  const path = `/v1/actions/${id}/audit-export${query}`
  return (await service.call<AuditExport>('GET', path, { key: tenant.agent })).body
}

async function checkpointOf(service: TestService): Promise<LogCheckpoint> {
  return (await service.call<LogCheckpoint>('GET', '/v1/audit/checkpoint', { key: tenant.agent })).body
}

function check(older: string[] = []): Promise<Counters> {
  return checkDatabase({
    url: databaseUrl(database),
    trusted: [key],
    kept: older.map(note => ({ name: 'kept', note })),
    resume: null,
    onPage: () => undefined,
  })
}

async function problems(older: string[] = []): Promise<string[]> {
  const { differences } = await check(older)
  return differences.listed.map(({ where, problem }) => `${where}: ${problem}`)
}

/** What the offline verifier says of an export that the service makes from what is stored now. */
async function offline(id: string | undefined, older: LogCheckpoint, query = ''): Promise<string | null> {
  const service = await startService({ database, worker: null })
  try {
    const bytes = Buffer.from(JSON.stringify(await exportOf(service, id, query)))
    return verifyExport(bytes, { trusted: [key], olderCheckpoint: older.checkpoint }).problem
  } finally {
    await service.close()
  }
}

/** Changes the last event of an action and all of the action that follows from it. */
async function editLastEvent(id: string | undefined): Promise<void> {
  const where = `where action_id = '${id}'`
  const last = `${where} and sequence = (select max(sequence) from action_events ${where})`
  const [row] = await tamper<{ text: string }>(
    database,
    `select convert_from(event, 'UTF8') as text from action_events ${last}`,
  )
  const event = JSON.parse(row?.text ?? '')
  const edited = canonicalJson({ ...event, at: '2020-01-01T00:00:00.000Z' }).replaceAll("'", "''")
  const [action] = await tamper<{ leaf_hashes: Buffer }>(
    database,
    'alter table action_events drop constraint action_events_leaf',
    `update action_events set event = convert_to('${edited}', 'UTF8') ${last}`,
    `update action_events set leaf_hash = sha256('\\x00'::bytea || event) ${last}`,
    `update actions set leaf_hashes = substr(leaf_hashes, 1, length(leaf_hashes) - 32)
       || (select leaf_hash from action_events ${last}) ${where} returning leaf_hashes`,
  )
  await tamper(database, `update actions set audit_root = '\\x${rootOver(action?.leaf_hashes)}' ${where}`)
}

function rootOver(leaves: Buffer = Buffer.alloc(0)): string {
  const hashes = Array.from({ length: leaves.length / 32 }, (_, at) => leaves.subarray(at * 32, at * 32 + 32))
  return merkleRoot(hashes).toString('hex')
}

/** Removes an action with every row of it. */
async function removeAction(id: string | undefined): Promise<void> {
  const ofActions = ['actions', 'action_events', 'event_payloads', 'execution_jobs', 'action_statements']
  await tamper(database, ...ofActions.map(table => `delete from ${table} where action_id = '${id}'`))
}

async function rebuildWithout(id: string | undefined): Promise<void> {
  const entries = await entriesOf(database, tenant.id)
  await rebuildLog(
    database,
    tenant.id,
    entries.filter(({ stream }) => stream !== `action/${id}`),
  )
}

/** The log ends earlier, and what it had beyond looks as if it waited for it. */
async function truncateLog(size: number): Promise<void> {
  const entries = await entriesOf(database, tenant.id)
  await rebuildLog(database, tenant.id, entries.slice(0, size))
  const waiting = entries
    .slice(size)
    .map(({ stream, sequence }) => `('${tenant.id}', '${stream}', ${sequence}, 1)`)
  await tamper(
    database,
    `insert into log_outbox (tenant_id, stream, first_sequence, event_count) values ${waiting.join(', ')}`,
  )
}

/** Two events of the log change places, the last of an action and the one after it. */
async function reorderLog(): Promise<void> {
  const entries = await entriesOf(database, tenant.id)
  const at = entries.findLastIndex(({ stream }) => stream === `action/${early}`)
  const [one, other] = entries.slice(at, at + 2)
  if (!one || !other) throw new Error('there is nothing after it')
  await rebuildLog(database, tenant.id, [...entries.slice(0, at), other, one, ...entries.slice(at + 2)])
}

it('nothing is found where nothing was done', async () => {
  const tally = await check([kept.checkpoint])
  expect(tally.differences).toEqual({ found: 0, listed: [] })
  expect(tally.unproven).toEqual({})
  expect(tally.counted).toMatchObject({ actions: 3, tenants: 1, logs: 1 })
  expect(tally.counted.entries).toBe(tally.counted.events)
  expect(tally.counted.statements).toBeGreaterThanOrEqual(3)
})

describe('an event that was edited, with its leaf, the leaves of its action and its root', () => {
  beforeEach(() => editLastEvent(early))

  it('is found by the signed statement and by the log', async () => {
    const found = await problems()
    expect(found[0]).toMatch(
      new RegExp(`^action/${early}: the statement about \\d events: it gives the root `),
    )
    expect(found.join('\n')).toMatch(/^log of .*: entry \d+: the leaf in the log is not that of its event$/m)
  })

  it('is found in an export by the offline verifier', async () => {
    expect(await offline(early, kept)).toBe('the root in the statement is not that of the events')
  })

  it('is found by its link where it is not the last, whatever was made to fit', async () => {
    await tamper(
      database,
      `delete from action_events where action_id = '${late}' and sequence = 1`,
      `insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
       select '${late}', sequence, kind, status_from, status_to, tenant_id,
         convert_to(replace(convert_from(event, 'UTF8'), '${early}', '${late}'), 'UTF8'), leaf_hash
       from action_events where action_id = '${early}' and sequence = 1`,
    )
    expect((await problems()).join('\n')).toMatch(
      `action/${late}: event 1: prev is not the leaf hash of the event before`,
    )
  })

  it('with the log rebuilt, statements gone and the key stolen: by a kept checkpoint', async () => {
    await rebuildLog(database, tenant.id, await entriesOf(database, tenant.id))
    await tamper(database, `delete from action_statements where action_id = '${early}'`)
    await replaceCheckpoints(database, tenant.id, 'by the stolen key')
    expect(await problems()).toEqual([])
    expect((await check()).unproven).toEqual({
      'actions without a signed statement about all of their events': { count: 1, first: `action/${early}` },
    })
    expect(await problems([kept.checkpoint])).toEqual([
      expect.stringMatching(/: the log was forked: at \d+ entries /),
    ])
  })
})

it('a payload that was edited is found by the commitment of its event', async () => {
  await tamper(
    database,
    `update event_payloads set payload = '{}' where action_id = '${late}' and sequence = 0`,
  )
  expect(await problems()).toEqual([`action/${late}: event 0: its payload is not the one that it commits to`])
})

it('a payload that was removed without an erasure is found', async () => {
  await tamper(database, `delete from event_payloads where action_id = '${late}' and sequence = 1`)
  expect(await problems()).toEqual([`action/${late}: event 1: its payload is gone, and no erasure says so`])
})

describe('an action that was removed with all its rows, and the log rebuilt without it', () => {
  beforeEach(async () => {
    await removeAction(early)
    await rebuildWithout(early)
  })

  it('is found by the signed checkpoints that are stored', async () => {
    const [first = ''] = await problems()
    expect(first).toMatch(/^log of .*: a checkpoint of \d+ entries is stored, and it has \d+$/)
  })

  it('is told of as not proven where those were removed, and found against a kept one', async () => {
    await replaceCheckpoints(database, tenant.id, 'by nobody')
    const { differences, unproven } = await check()
    expect(differences.found).toBe(0)
    expect(unproven).toHaveProperty('log entries under no checkpoint of a given key')
    expect(await problems([kept.checkpoint])).toEqual([expect.stringContaining('the log was forked')])
  })

  it('with the key stolen: by a kept one, with this check and the offline verifier', async () => {
    await replaceCheckpoints(database, tenant.id, 'by the stolen key')
    expect(await check()).toMatchObject({ differences: { found: 0 }, unproven: {} })
    expect(await problems([kept.checkpoint])).toEqual([expect.stringContaining('the log was forked')])
    expect(await offline(late, kept, `?from_size=${kept.size}`)).toMatch(
      /does not show that the log .* continues/,
    )
  })

  it('and not integrated anew: its leaves in the log have no event', async () => {
    await rebuildLog(database, tenant.id, await entriesOf(original, tenant.id))
    expect((await problems()).join('\n')).toMatch(/: entry \d+ is of an event that is not there/)
  })
})

describe('a log that was truncated and rebuilt', () => {
  beforeEach(() => truncateLog(kept.size - 1))

  it('is found by the signed checkpoints that are stored', async () => {
    expect((await problems())[0]).toMatch(/: a checkpoint of \d+ entries is stored, and it has \d+$/)
  })

  it.each(['by nobody', 'by the stolen key'] as const)(
    'checkpoints replaced %s: against a kept one',
    async signed => {
      await replaceCheckpoints(database, tenant.id, signed)
      expect(await problems()).toEqual([])
      expect(await problems([kept.checkpoint])).toEqual([
        `log of ${tenant.id}: the log is shorter than a checkpoint that was kept: that is of ${kept.size} entries, and it has ${kept.size - 1}`,
      ])
    },
  )

  it('is found by the offline verifier too', async () => {
    await database.drop()
    database = await copyOf(original)
    await truncateLog(latest.size - 1)
    await replaceCheckpoints(database, tenant.id, 'by the stolen key')
    expect(await offline(early, latest)).toBe(
      `the log had ${latest.size} entries, and has ${latest.size - 1}: it was cut, or the file is stale`,
    )
  })

  it('is found where what it lost does not even wait for it', async () => {
    await tamper(database, 'delete from log_outbox')
    expect(await problems()).toContain(
      `action/${late}: event 0: an event with neither log row nor outbox row`,
    )
  })
})

describe('two events that changed places in a log that was rebuilt', () => {
  beforeEach(reorderLog)

  it('are found by the signed checkpoints that are stored', async () => {
    expect((await problems())[0]).toMatch(/: the checkpoint of \d+ entries: it gives the root /)
  })

  it('checkpoints replaced by the stolen key: against a kept one', async () => {
    await replaceCheckpoints(database, tenant.id, 'by the stolen key')
    expect(await problems()).toEqual([])
    expect(await problems([latest.checkpoint])).toEqual([expect.stringContaining('the log was forked')])
    expect(await offline(late, latest)).toMatch(/^the log was forked: at /)
  })
})

describe('single rows', () => {
  it('an entry of the log that was deleted', async () => {
    await tamper(database, `delete from log_entries where tenant_id = '${tenant.id}' and index = 3`)
    const found = await problems()
    expect(found[0]).toMatch(/an event with neither log row nor outbox row$/)
    expect(found).toContain(`log of ${tenant.id}: entry 3 is missing`)
  })

  it('what waits for the log and is nowhere', async () => {
    await tamper(
      database,
      `insert into log_outbox (tenant_id, stream, first_sequence, event_count) values ('${tenant.id}', 'action/${late}', 9, 1)`,
    )
    expect(await problems()).toEqual([
      expect.stringMatching(/row \d+ of the outbox is about events that are not there$/),
    ])
  })

  it('a subtree that was changed', async () => {
    await tamper(
      database,
      `update log_nodes set hash = sha256('x') where tenant_id = '${tenant.id}' and level = 1 and index = 1`,
    )
    expect(await problems()).toEqual([`log of ${tenant.id}: the subtree 1/1 is not the one over its entries`])
  })

  it('a checkpoint that was changed', async () => {
    await tamper(
      database,
      `update log_checkpoints set note = replace(note, '/log/', '/log/x') where tenant_id = '${tenant.id}' and size = ${kept.size}`,
    )
    expect(await problems()).toEqual([
      expect.stringMatching(
        /: the checkpoint of \d+ entries: the signature of action-gate\+\w+ is not one over this text/,
      ),
    ])
  })

  it('the status of an action', async () => {
    await tamper(database, `update actions set status = 'denied' where action_id = '${early}'`)
    expect(await problems()).toEqual([
      `action/${early}: the action is denied, and its events leave it executed`,
    ])
  })

  it('the status of an action and of its last event', async () => {
    await tamper(
      database,
      'alter table action_events drop constraint action_events_legal_transition',
      `update action_events set status_to = 'execution_failed' where action_id = '${early}' and kind = 'execution'`,
      `update actions set status = 'execution_failed' where action_id = '${early}'`,
    )
    expect(await problems()).toEqual([
      expect.stringMatching(/: the row moves to execution_failed, and the event says executed$/),
    ])
  })

  it('the end of a trace, with the action set back', async () => {
    const where = `where action_id = '${early}'`
    const [row] = await tamper<{ leaf_hashes: Buffer }>(
      database,
      `delete from action_events ${where} and kind = 'execution'`,
      `delete from event_payloads ${where} and sequence = 3`,
      `update actions set status = 'executing', event_count = 3, leaf_hashes = substr(leaf_hashes, 1, 96) ${where} returning leaf_hashes`,
    )
    await tamper(database, `update actions set audit_root = '\\x${rootOver(row?.leaf_hashes)}' ${where}`)
    const found = (await problems()).join('\n')
    expect(found).toContain(`action/${early}: the statement about 4 events: there are 3`)
    expect(found).toMatch(/entry \d+ is of an event that is not there/)
  })

  it('an event of the configuration', async () => {
    await tamper(
      database,
      'alter table config_events disable trigger all',
      'alter table config_events drop constraint config_events_leaf',
      `update config_events set event = event || ' ' where sequence = 0`,
    )
    expect((await problems())[0]).toBe(
      `configuration of ${tenant.id}: event 0: the event is not in canonical form`,
    )
  })

  it('a log without its row', async () => {
    await tamper(database, 'delete from tenant_logs')
    expect(await problems([kept.checkpoint])).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^kept: there is no log action-gate\/log\/\S+ in the database any more$/),
        `log_entries: there are rows of ${tenant.id}, which is not there`,
      ]),
    )
  })
})
