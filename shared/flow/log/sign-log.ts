import { merkleRoot } from '../../audit/merkle/merkle.ts'
import { formatCheckpoint, logOrigin, statementOrigin } from '../../audit/note/checkpoint.ts'
import { type NoteSigner, signNote } from '../../audit/note/signed-note.ts'
import type { Signing } from '../../runtime/secrets/service-keys.ts'
import type { LogState } from '../../store/log/log.ts'
import {
  insertCheckpoints,
  insertStatements,
  readUnsignedLogs,
  type SignedCheckpoint,
  type SignedStatement,
  takeSigner,
  type UnsignedLog,
} from '../../store/log/log-signing.ts'
import { type AskedStatement, readUnsignedStatements } from '../../store/log/log-to-sign.ts'
import type { Writer } from '../../store/postgres/open.ts'
import type { Context } from '../core/context.ts'
import { tellKeys } from './report-keys.ts'
import { type RolledBackLog, rolledBackLogs } from './rolled-back-logs.ts'
import { goodSigners, keyIdOf } from './sign-reports.ts'

const atOnce = 500
const hashBytes = 32

/**
 * Signs the size and root of each log that has grown, and the event count and root of each action in the new part.
 * It recomputes the database's values first: a log that does not continue its signed state, or lacks an action's
 * events, is refused, since signing it would fork it. Returns whether more may wait.
 */
export async function signLog(context: Context, signing: Signing, refused: Set<string>): Promise<boolean> {
  const refuse = ({ tenant_id, problem }: RolledBackLog): void => {
    if (refused.has(tenant_id)) return
    refused.add(tenant_id)
    context.events.logRolledBack(tenant_id, problem)
  }
  const done = await context.store.write('all', async writer => {
    if (!(await takeSigner(writer))) return null
    const logs = await readUnsignedLogs(writer, [...refused], atOnce)
    for (const setBack of await rolledBackLogs(writer, signing.signed, logs)) refuse(setBack)
    const sound = logs.filter(({ tenant_id }) => !refused.has(tenant_id))
    if (sound.length > 0) await signCheckpoints(writer, signing, sound)
    const asked = await readUnsignedStatements(writer, [...refused], atOnce)
    for (const one of asked) if (!isLogged(one)) refuse(unlike(one))
    const actions = asked.filter(one => !refused.has(one.tenant_id) && one.last_index < one.signed_size)
    if (actions.length > 0) await signStatements(writer, signing, actions)
    return { logs: sound, actions, more: logs.length === atOnce || asked.length === atOnce }
  })
  if (done === null) return false
  context.events.checkpointsSigned(done.logs.length)
  context.watch.hint(done.actions.map(({ action_id }) => action_id))
  const fresh = done.logs.filter(({ signed_size }) => signed_size === 0)
  if (fresh.length > 0)
    await tellKeys(
      context,
      fresh.map(({ tenant_id }) => tenant_id),
    )
  return done.more
}

async function signCheckpoints(
  writer: Writer,
  { keys, signed }: Signing,
  logs: readonly UnsignedLog[],
): Promise<void> {
  const signers = await goodSigners(writer, keys)
  signed.remember(logs)
  const checkpoints = logs.map(log => signCheckpoint(signers, log))
  await insertCheckpoints(writer, checkpoints, signers.map(keyIdOf))
}

async function signStatements(
  writer: Writer,
  { keys }: Signing,
  actions: readonly AskedStatement[],
): Promise<void> {
  const signers = await goodSigners(writer, keys)
  await insertStatements(
    writer,
    actions.map(action => signStatement(signers, action)),
  )
}

function isLogged({ leaf_hashes, logged, event_count, last_index, size }: AskedStatement): boolean {
  if (leaf_hashes === null || logged === null || last_index >= size) return false
  const bytes = event_count * hashBytes
  return logged.length === bytes && logged.equals(leaf_hashes.subarray(0, bytes))
}

function unlike({ tenant_id, action_id, event_count }: AskedStatement): RolledBackLog {
  return { tenant_id, problem: `it does not hold the ${event_count} events that ${action_id} should have` }
}

function signCheckpoint(
  signers: readonly NoteSigner[],
  { tenant_id, log_id, size, root }: LogState,
): SignedCheckpoint {
  const origin = logOrigin(nameOf(signers), log_id)
  return { tenant_id, size, note: signNote(formatCheckpoint({ origin, size, root }), ...signers) }
}

function signStatement(
  signers: readonly NoteSigner[],
  { tenant_id, action_id, event_count, logged }: AskedStatement,
): SignedStatement {
  const leaves = Array.from({ length: event_count }, (_, at) =>
    (logged ?? Buffer.alloc(0)).subarray(at * hashBytes, (at + 1) * hashBytes),
  )
  const origin = statementOrigin(nameOf(signers), tenant_id, action_id)
  const note = signNote(formatCheckpoint({ origin, size: event_count, root: merkleRoot(leaves) }), ...signers)
  return { tenant_id, action_id, event_count, note }
}

/** All keys of a process share one name. */
function nameOf([first]: readonly NoteSigner[]): string {
  if (!first) throw new Error('nothing is signed by nobody')
  return first.name
}
