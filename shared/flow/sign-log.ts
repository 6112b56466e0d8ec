import { formatCheckpoint, logOrigin, statementOrigin } from '../audit/checkpoint.ts'
import { merkleRoot } from '../audit/merkle.ts'
import { type NoteSigner, signNote } from '../audit/signed-note.ts'
import type { Signing } from '../runtime/signing-key.ts'
import type { LogState } from '../store/log.ts'
import {
  insertCheckpoints,
  insertStatements,
  readUnsignedLogs,
  readUnsignedStatements,
  type SignedCheckpoint,
  type SignedStatement,
  type StatementToSign,
  takeSigner,
  type UnsignedLog,
} from '../store/log-signing.ts'
import type { Writer } from '../store/open.ts'
import type { Context } from './context.ts'
import { goodSigners, keyIdOf } from './good-signers.ts'
import { logsSetBack } from './logs-set-back.ts'
import { tellKeys } from './tell-keys.ts'

const atOnce = 500
const hashBytes = 32

/**
 * Sign what is committed and not signed yet: the size and root of each log that has grown, and of each action in it the
 * number of its events and their root. A log that does not continue what this process signed before is not signed again:
 * that would fork it. Returns whether more may wait.
 */
export async function signLog(context: Context, signing: Signing, refused: Set<string>): Promise<boolean> {
  const done = await context.store.write('all', async writer => {
    if (!(await takeSigner(writer))) return null
    const logs = await readUnsignedLogs(writer, [...refused], atOnce)
    for (const { tenant_id, problem } of await logsSetBack(writer, signing.signed, logs)) {
      refused.add(tenant_id)
      context.events.logSetBack(tenant_id, problem)
    }
    const actions = await readUnsignedStatements(writer, [...refused], atOnce)
    const sound = logs.filter(({ tenant_id }) => !refused.has(tenant_id))
    if (sound.length + actions.length > 0) await sign(writer, signing, sound, actions)
    return { logs: sound, actions, more: logs.length === atOnce || actions.length === atOnce }
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

async function sign(
  writer: Writer,
  { keys, signed }: Signing,
  logs: readonly UnsignedLog[],
  actions: readonly StatementToSign[],
): Promise<void> {
  const signers = await goodSigners(writer, keys)
  signed.remember(logs)
  const checkpoints = logs.map(log => signCheckpoint(signers, log))
  const statements = actions.map(action => signStatement(signers, action))
  if (checkpoints.length > 0) await insertCheckpoints(writer, checkpoints, signers.map(keyIdOf))
  if (statements.length > 0) await insertStatements(writer, statements)
}

function signCheckpoint(
  signers: readonly NoteSigner[],
  { tenant_id, log_id, size, root }: LogState,
): SignedCheckpoint {
  const origin = logOrigin(nameOf(signers), log_id)
  return { tenant_id, size, note: signNote(formatCheckpoint({ origin, size, root }), ...signers) }
}

function signStatement(signers: readonly NoteSigner[], action: StatementToSign): SignedStatement {
  const { tenant_id, action_id, event_count, leaf_hashes } = action
  const leaves = Array.from({ length: event_count }, (_, at) =>
    leaf_hashes.subarray(at * hashBytes, (at + 1) * hashBytes),
  )
  const origin = statementOrigin(nameOf(signers), tenant_id, action_id)
  const note = signNote(formatCheckpoint({ origin, size: event_count, root: merkleRoot(leaves) }), ...signers)
  return { tenant_id, action_id, event_count, note }
}

/** All keys of a process have one name. */
function nameOf([first]: readonly NoteSigner[]): string {
  if (!first) throw new Error('nothing is signed by nobody')
  return first.name
}
