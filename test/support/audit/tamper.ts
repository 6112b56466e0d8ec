import { randomBytes } from 'node:crypto'
import { rootOf } from '../../../shared/audit/merkle/proofs.ts'
import { newNodes } from '../../../shared/audit/merkle/tree-nodes.ts'
import { formatCheckpoint, logOrigin } from '../../../shared/audit/note/checkpoint.ts'
import { signNote } from '../../../shared/audit/note/signed-note.ts'
import { importPrivateKey } from '../../../shared/canon/ed25519.ts'
import type { FreshDatabase } from '../servers/database.ts'
import { asSuperuser } from '../servers/superuser.ts'
import { testKeyPem } from './signing-key.ts'

/** A copy of a database that nobody is connected to, to be spoilt; dropped by its `drop`. */
export async function copyOf(original: FreshDatabase): Promise<FreshDatabase> {
  const database = `test_${randomBytes(6).toString('hex')}`
  const administration = { ...original, database: 'postgres' }
  await asSuperuser(
    administration,
    `create database ${database} template ${original.database} strategy file_copy`,
  )
  return {
    ...original,
    database,
    drop: async () => {
      await asSuperuser(administration, `drop database if exists ${database} with (force)`)
    },
  }
}

const tables = [
  'action_events',
  'event_payloads',
  'actions',
  'execution_jobs',
  'late_results',
  'log_entries',
  'log_nodes',
  'log_checkpoints',
  'tenant_logs',
  'action_statements',
  'bounded_grants',
  'grant_uses',
  'tenants',
  'policy_revisions',
  'catalog_revisions',
  'verification_reports',
]

/** Statements of somebody whom neither trigger nor foreign key stops. */
export async function tamper<Row extends object>(
  database: FreshDatabase,
  ...statements: string[]
): Promise<Row[]> {
  const disabled = tables.map(table => `alter table action_gate.${table} disable trigger all`)
  return asSuperuser<Row>(database, ...disabled, 'set search_path = action_gate', ...statements)
}

export interface PlacedEvent {
  stream: string
  sequence: number
}

/** What the log of a tenant says in its order. */
export function entriesOf(database: FreshDatabase, tenantId: string): Promise<PlacedEvent[]> {
  return asSuperuser<PlacedEvent>(
    database,
    `select stream, sequence from action_gate.log_entries where tenant_id = '${tenantId}' order by index`,
  )
}

/** Writes the log of a tenant anew as if it had always been these events: entries, subtrees, size and root agree. */
export async function rebuildLog(
  database: FreshDatabase,
  tenantId: string,
  entries: readonly PlacedEvent[],
): Promise<Buffer> {
  const where = `where tenant_id = '${tenantId}'`
  const stored = await tamper<PlacedEvent & { leaf_hash: Buffer }>(
    database,
    `select 'action/' || action_id as stream, sequence, leaf_hash from action_events ${where}
     union all select 'config', sequence, leaf_hash from config_events ${where}`,
  )
  const byPlace = new Map(
    stored.map(({ stream, sequence, leaf_hash }) => [`${stream} ${sequence}`, leaf_hash]),
  )
  const leaves = entries.map(
    ({ stream, sequence }) => byPlace.get(`${stream} ${sequence}`) ?? Buffer.alloc(32),
  )
  const nodes = newNodes(0, leaves, () => Buffer.alloc(32))
  const hashes = new Map(nodes.map(({ level, index, hash }) => [`${level}/${index}`, hash]))
  const root = rootOf(
    leaves.length,
    ({ level, index }) => hashes.get(`${level}/${index}`) ?? Buffer.alloc(32),
  )
  await tamper(
    database,
    `delete from log_entries ${where}`,
    `delete from log_nodes ${where}`,
    `insert into log_entries (tenant_id, index, stream, sequence) values ${entries
      .map(({ stream, sequence }, index) => `('${tenantId}', ${index}, '${stream}', ${sequence})`)
      .join(', ')}`,
    `insert into log_nodes (tenant_id, level, index, hash) values ${nodes
      .map(({ level, index, hash }) => `('${tenantId}', ${level}, ${index}, '\\x${hash.toString('hex')}')`)
      .join(', ')}`,
    `update tenant_logs set size = ${entries.length}, root = '\\x${root.toString('hex')}',
       witnessed_size = 0, signed_size = least(signed_size, ${entries.length}) ${where}`,
  )
  return root
}

/** Removes the checkpoints of a log; with the stolen key of the tests one of its whole size is put in their place. */
export async function replaceCheckpoints(
  database: FreshDatabase,
  tenantId: string,
  signed: 'by the stolen key' | 'by nobody',
): Promise<void> {
  const where = `where tenant_id = '${tenantId}'`
  const [log] = await tamper<{ log_id: string; size: string; root: Buffer }>(
    database,
    `delete from log_checkpoints ${where}`,
    `update tenant_logs set signed_size = 0, witnessed_size = 0 ${where}`,
    `select log_id, size::text, root from tenant_logs ${where}`,
  )
  if (signed === 'by nobody' || log === undefined) return
  const text = formatCheckpoint({
    origin: logOrigin('action-gate', log.log_id),
    size: Number(log.size),
    root: log.root,
  })
  const note = signNote(text, { name: 'action-gate', privateKey: importPrivateKey(testKeyPem()) })
  await tamper(
    database,
    `insert into log_checkpoints (tenant_id, size, note) values ('${tenantId}', ${log.size}, '${note}')`,
    `update tenant_logs set signed_size = size ${where}`,
  )
}
