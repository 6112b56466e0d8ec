import { randomBytes } from 'node:crypto'
import type postgres from 'postgres'
import { sealEntries, sealStream } from '../../../shared/audit/event/seal.ts'
import { growTree } from '../../../shared/audit/merkle/growing-tree.ts'
import { formatCheckpoint, logOrigin, statementOrigin } from '../../../shared/audit/note/checkpoint.ts'
import { type NoteSigner, signNote } from '../../../shared/audit/note/signed-note.ts'
import { documentHash } from '../../../shared/canon/digest.ts'
import { arrayLiteral } from '../../../shared/store/postgres/sql-text.ts'
import { note } from '../figure.ts'
import { operationName, sampleProposal } from './sample.ts'

/** A tenant with so many executed actions of four events each, and its whole log. */
export interface Trail {
  tenant: string
  actions: number
  /** Signs statements and checkpoints; null: nothing is signed. */
  signer: NoteSigner | null
}

const actionsAtOnce = 2_000

/** Rows as the service leaves them, sealed by its own functions; foreign keys are not looked up. */
export async function seedTrail(sql: postgres.Sql, trail: Trail): Promise<void> {
  const { tenant, actions, signer } = trail
  note(`${actions} executed actions of tenant ${tenant}${signer ? ', signed' : ''}`)
  await sql`insert into action_gate.tenants (tenant_id, policy_revision, approval_ttl_ms) values (${tenant}, 1, 1000)`
  const configLeaf = await insertPolicy(sql, tenant)
  const tree = growTree()
  for (let from = 0; from < actions; from += actionsAtOnce) {
    const batch = Array.from({ length: Math.min(actionsAtOnce, actions - from) }, (_, at) =>
      sealAction(trail, from + at),
    )
    const before = from === 0 ? [configLeaf] : []
    const rows = tree.append(Buffer.concat([...before, ...batch.flatMap(({ leaves }) => leaves)]))
    await insertBatch(sql, tenant, { batch, rows, firstIndex: 1 + from * eventsEach })
    if (signer) await insertNotes(sql, trail, signer, { batch, size: tree.size(), root: tree.root() })
  }
  const [size, root] = [tree.size(), tree.root().toString('hex')]
  await sql`
    insert into action_gate.tenant_logs (tenant_id, log_id, size, root, signed_size)
    values (${tenant}, ${`log_${tenant}`}, ${size}, decode(${root}, 'hex'), ${signer ? size : 0})`
  await sql`analyze`
}

/** The policy in force, whose event is the first of the log; gives the leaf of that. */
async function insertPolicy(sql: postgres.Sql, tenant: string): Promise<Buffer> {
  const policy = '{}'
  const policy_hash = documentHash('policy', policy)
  const [event] = sealStream({
    tenantId: tenant,
    stream: 'config',
    at: '2026-11-21T09:00:00.000Z',
    count: 0,
    lastLeaf: null,
    entries: [
      {
        kind: 'policy_revision',
        principal: { id: 'bench', kind: 'system' },
        payload: { revision: 1, policy_hash, catalog_hash: null, change_note: null },
        salt: randomBytes(32),
      },
    ],
  })
  if (!event) throw new Error('nothing was sealed')
  const { kind, text, leafHash, payloadText, salt } = event
  await sql.begin(async transaction => {
    await transaction`set local search_path = action_gate`
    await transaction`insert into policy_revisions (tenant_id, revision, policy, policy_hash, author)
      values (${tenant}, 1, convert_to(${policy}, 'UTF8'), ${policy_hash}, '{"source": "bench"}')`
    await transaction`insert into config_events (tenant_id, sequence, kind, event, leaf_hash)
      values (${tenant}, 0, ${kind}, convert_to(${text}, 'UTF8'), ${leafHash})`
    await transaction`insert into config_payloads (tenant_id, sequence, payload, salt)
      values (${tenant}, 0, convert_to(${payloadText}, 'UTF8'), ${Buffer.from(salt)})`
    await transaction`update tenants set config_event_count = 1, config_last_leaf = ${leafHash} where tenant_id = ${tenant}`
    await transaction`set local session_replication_role = replica`
    await transaction`insert into log_entries (tenant_id, index, stream, sequence) values (${tenant}, 0, 'config', 0)`
  })
  return leafHash
}

/** The steps of an executed action, as the service records them. */
const steps = [
  ['proposal_received', null, 'received', 'agent'],
  ['verdict', 'received', 'execution_pending', 'gate'],
  ['execution_attempt', 'execution_pending', 'executing', 'worker'],
  ['execution', 'executing', 'executed', 'worker'],
] as const
const eventsEach = steps.length

function sealAction({ tenant }: Trail, at: number) {
  const id = `act_${String(at).padStart(36, '0')}`
  const proposal = sampleProposal(id, operationName(1))
  const payloads = [
    JSON.parse(JSON.stringify(proposal)),
    {
      decision: 'allow',
      effective_risk: { claimed: 'low', level: 'low', raised_by: null },
      blocking_reasons: [],
    },
    { attempt: 1, worker: 'worker-1', idempotency_key: id },
    { attempt: 1, outcome: 'ok', detail: { status: 200, body: { refund: 'done' } } },
  ]
  const sealed = sealEntries({
    tenantId: tenant,
    stream: `action/${id}`,
    at: '2026-11-21T09:00:00.000Z',
    priorLeaves: [],
    entries: steps.map(([kind, , , principal], step) => ({
      kind,
      principal: { id: `${principal}-1`, kind: principal },
      payload: payloads[step],
      salt: randomBytes(32),
    })),
  })
  return { id, ...sealed }
}

type Sealed = ReturnType<typeof sealAction>

async function insertBatch(
  sql: postgres.Sql,
  tenant: string,
  {
    batch,
    rows,
    firstIndex,
  }: { batch: Sealed[]; rows: { level: number; start: number; hashes: Buffer }[]; firstIndex: number },
): Promise<void> {
  const events = batch.flatMap(({ id, events }) => events.map(event => ({ id, ...event })))
  const nodes = rows.flatMap(({ level, start, hashes }) =>
    Array.from({ length: hashes.length / 32 }, (_, at) => ({
      level,
      index: start + at,
      hash: hashes.toString('hex', at * 32, at * 32 + 32),
    })),
  )
  await sql.begin(async transaction => {
    await transaction`set local session_replication_role = replica`
    await transaction`set local search_path = action_gate`
    await transaction`
      insert into actions (action_id, tenant_id, proposal_id, proposal_hash, target_system, operation, key_id, status,
        event_count, leaf_hashes, audit_root, created_at, updated_at)
      select id, ${tenant}, id, 'sha256:0', 'payments', 'refund_1', 'agk_seed', 'executed', ${eventsEach}::int,
        decode(leaves, 'hex'), decode(root, 'hex'), now(), now()
      from unnest(${arrayLiteral(batch.map(({ id }) => id))}::text[],
        ${arrayLiteral(batch.map(({ leaves }) => Buffer.concat(leaves).toString('hex')))}::text[],
        ${arrayLiteral(batch.map(({ root }) => root.toString('hex')))}::text[]) t(id, leaves, root)`
    await transaction`
      with sealed as (
        select t.*, ${firstIndex}::int + (ordinality - 1) as index from unnest(${arrayLiteral(events.map(({ id }) => id))}::text[],
          ${arrayLiteral(events.map(({ sequence }) => sequence))}::int4[],
          ${arrayLiteral(events.map(({ kind }) => kind))}::text[],
          ${arrayLiteral(events.map(({ sequence }) => steps[sequence]?.[1] ?? null))}::text[],
          ${arrayLiteral(events.map(({ sequence }) => steps[sequence]?.[2] ?? null))}::text[],
          ${arrayLiteral(events.map(({ text }) => text))}::text[],
          ${arrayLiteral(events.map(({ leafHash }) => leafHash.toString('hex')))}::text[],
          ${arrayLiteral(events.map(({ payloadText }) => payloadText))}::text[],
          ${arrayLiteral(events.map(({ salt }) => Buffer.from(salt).toString('hex')))}::text[])
          with ordinality t(id, sequence, kind, status_from, status_to, event, leaf, payload, salt, ordinality)
      ), stored as (
        insert into action_events (action_id, sequence, kind, status_from, status_to, tenant_id, event, leaf_hash)
        select id, sequence, kind, status_from, status_to, ${tenant}, convert_to(event, 'UTF8'), decode(leaf, 'hex') from sealed
      ), beside as (
        insert into event_payloads (action_id, sequence, tenant_id, payload, salt)
        select id, sequence, ${tenant}, convert_to(payload, 'UTF8'), decode(salt, 'hex') from sealed
      )
      insert into log_entries (tenant_id, index, stream, sequence)
      select ${tenant}, index, 'action/' || id, sequence from sealed`
    await transaction`
      insert into log_nodes (tenant_id, level, index, hash)
      select ${tenant}, level, index, decode(hash, 'hex')
      from unnest(${arrayLiteral(nodes.map(({ level }) => level))}::int4[],
        ${arrayLiteral(nodes.map(({ index }) => index))}::int8[],
        ${arrayLiteral(nodes.map(({ hash }) => hash))}::text[]) t(level, index, hash)`
  })
}

/** A statement of each action, and a checkpoint of the log as it is now. */
async function insertNotes(
  sql: postgres.Sql,
  { tenant }: Trail,
  signer: NoteSigner,
  { batch, size, root }: { batch: Sealed[]; size: number; root: Buffer },
): Promise<void> {
  const sign = (origin: string, leaves: number, over: Buffer): string =>
    signNote(formatCheckpoint({ origin, size: leaves, root: over }), signer)
  const notes = batch.map(({ id, root }) => sign(statementOrigin(signer.name, tenant, id), eventsEach, root))
  await sql`
    insert into action_gate.action_statements (action_id, event_count, tenant_id, note)
    select id, ${eventsEach}::int, ${tenant}, note
    from unnest(${arrayLiteral(batch.map(({ id }) => id))}::text[], ${arrayLiteral(notes)}::text[]) t(id, note)`
  await sql`
    insert into action_gate.log_checkpoints (tenant_id, size, note)
    values (${tenant}, ${size}, ${sign(logOrigin(signer.name, `log_${tenant}`), size, root)})`
}
