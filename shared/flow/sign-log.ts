import { formatCheckpoint, logOrigin, statementOrigin } from '../audit/checkpoint.ts'
import { merkleRoot } from '../audit/merkle.ts'
import { signNote } from '../audit/signed-note.ts'
import { keyId, verifierKey } from '../audit/verifier-key.ts'
import { hex } from '../canon/digest.ts'
import type { SigningKey } from '../runtime/signing-key.ts'
import {
  insertCheckpoints,
  insertStatements,
  type LogState,
  logsToSign,
  type SignedCheckpoint,
  type SignedStatement,
  type StatementToSign,
  statementsToSign,
} from '../store/log.ts'
import { addSigningKey } from '../store/signing-keys.ts'
import type { Context } from './context.ts'

const atOnce = 500
const hashBytes = 32

/** Make the public part of the key known, before anything is signed with it. */
export async function announceSigningKey(context: Context, { name, privateKey }: SigningKey): Promise<void> {
  const { publicKey } = privateKey
  const { id } = verifierKey(name, publicKey)
  await context.store.change('all', query =>
    addSigningKey(query, { key_id: hex(id), name, public_key: publicKey.bytes }),
  )
}

/**
 * Sign what is committed and not signed yet: the size and root of each log that has grown, and of each action in it the
 * number of its events and their root. Returns whether more may wait.
 */
export async function signLog(context: Context, key: SigningKey): Promise<boolean> {
  const logs = await context.store.read('all', reader => logsToSign(reader, atOnce))
  const actions = await context.store.read('all', reader => statementsToSign(reader, atOnce))
  if (logs.length + actions.length === 0) return false
  const checkpoints = logs.map(log => signCheckpoint(key, log))
  const statements = actions.map(action => signStatement(key, action))
  await context.store.write('all', async writer => {
    if (checkpoints.length > 0) await insertCheckpoints(writer, checkpoints)
    if (statements.length > 0) await insertStatements(writer, statements)
  })
  context.watch.hint(actions.map(({ action_id }) => action_id))
  return logs.length === atOnce || actions.length === atOnce
}

function signCheckpoint(key: SigningKey, { tenant_id, log_id, size, root }: LogState): SignedCheckpoint {
  const note = signNote(formatCheckpoint({ origin: logOrigin(key.name, log_id), size, root }), key)
  return { tenant_id, size, key_id: keyIdOf(key), note }
}

function signStatement(key: SigningKey, action: StatementToSign): SignedStatement {
  const { tenant_id, action_id, event_count, leaf_hashes } = action
  const leaves = Array.from({ length: event_count }, (_, at) =>
    leaf_hashes.subarray(at * hashBytes, (at + 1) * hashBytes),
  )
  const origin = statementOrigin(key.name, tenant_id, action_id)
  const note = signNote(formatCheckpoint({ origin, size: event_count, root: merkleRoot(leaves) }), key)
  return { tenant_id, action_id, event_count, key_id: keyIdOf(key), note }
}

function keyIdOf({ name, privateKey }: SigningKey): string {
  return hex(keyId(name, privateKey.publicKey))
}
