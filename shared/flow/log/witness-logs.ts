import { openNote } from '../../audit/note/signed-note.ts'
import { parseVkey, type VerifierKey } from '../../audit/note/verifier-key.ts'
import { postText, type TextAnswer } from '../../runtime/process/post-text.ts'
import { type Config, ConfigError } from '../../runtime/settings/config.ts'
import {
  claimForWitness,
  readSignedSize,
  recordWitnessed,
  type UnwitnessedLog,
} from '../../store/log/log-witness.ts'
import type { Context } from '../core/context.ts'
import { proveConsistency } from './log-proofs.ts'

/** A third party that signs checkpoints after checking that the log only grows (C2SP tlog-witness). */
export interface Witness {
  url: string
  key: VerifierKey
}

const atOnce = 20
const answerMsMax = 10_000
const pauseMs = 1_000

/** Returns the witness of the settings, or null. Throws a ConfigError if its key is missing or invalid. */
export function readWitness({ witness_url, witness_key }: Config): Witness | null {
  if (witness_url === undefined) return null
  if (new URL(witness_url).username !== '' || new URL(witness_url).password !== '') {
    const message = 'it must hold no name and no password'
    throw new ConfigError([{ path: 'SERVICE_WITNESS_URL', code: 'credentials_in_url', message }])
  }
  const key = parseVkey(witness_key ?? '')
  if (key.ok && key.value.algorithm === 'cosignature')
    return { url: `${witness_url.replace(/\/$/, '')}/add-checkpoint`, key: key.value }
  const message = key.ok ? 'it is not the key of a witness' : key.error
  throw new ConfigError([{ path: 'SERVICE_WITNESS_KEY', code: 'witness_key_unusable', message }])
}

/**
 * Sends the latest checkpoint of each log to the witness: after growth at most once a second, otherwise at the
 * configured interval, so that silence is evidence. The witness's signature is stored beside the checkpoint.
 * Returns whether more may be due, and false if the witness fails.
 */
export async function witnessLogs(context: Context, witness: Witness): Promise<boolean> {
  const { witness_ms } = context.config
  const logs = await context.store.write('all', writer =>
    claimForWitness(writer, { pauseMs, heartbeatMs: witness_ms, limit: atOnce }),
  )
  const answered = await Promise.all(logs.map(log => witnessLog(context, witness, log)))
  return logs.length >= atOnce && !answered.includes(false)
}

async function witnessLog(context: Context, witness: Witness, log: UnwitnessedLog): Promise<boolean> {
  try {
    const first = await submit(context, witness, log, log.witnessed_size)
    const outcome = typeof first === 'string' ? first : await submit(context, witness, log, first.seen)
    context.events.witnessed(typeof outcome === 'string' ? outcome : 'refused')
    return true
  } catch (error) {
    context.events.failed('witness', error)
    return false
  }
}

type Outcome = 'signed' | 'refused' | 'rolled_back'

/** Submits a checkpoint; returns the outcome, or the size from which the witness wants the proof, for one retry. */
async function submit(
  context: Context,
  witness: Witness,
  log: UnwitnessedLog,
  from: number,
): Promise<Outcome | { seen: number }> {
  const { tenant_id, signed_size, note } = log
  const proof = await context.store.read([tenant_id], reader =>
    proveConsistency(reader, tenant_id, from, signed_size),
  )
  const body = `old ${from}\n${proof.map(hash => `${hash}\n`).join('')}\n${note}`
  const answer = await postText(witness.url, body, answerMsMax)
  if (answer.status === 200) return keep(context, witness, log, answer)
  const seen = seenSize(answer)
  if (seen === null) {
    throw new Error(`the witness answered ${answer.status}: ${answer.text.slice(0, 200)}`)
  }
  if (seen > signed_size) return compare(context, log, seen)
  return seen === from ? 'refused' : { seen }
}

/** Keeps only a signature by the witness over this very checkpoint and ignores the rest of the answer. */
async function keep(
  context: Context,
  { key }: Witness,
  { tenant_id, signed_size, note }: UnwitnessedLog,
  { text }: TextAnswer,
): Promise<Outcome> {
  const signature = text.split('\n').find(line => openNote(`${note}${line}\n`, [key]).ok)
  if (signature === undefined) throw new Error('the witness answered no cosignature')
  await context.store.write([tenant_id], writer =>
    recordWitnessed(writer, { tenant_id, size: signed_size, cosignature: `${signature}\n` }),
  )
  return 'signed'
}

async function compare(context: Context, { tenant_id }: UnwitnessedLog, seen: number): Promise<Outcome> {
  const size = await context.store.read([tenant_id], reader => readSignedSize(reader, tenant_id))
  if (seen <= size) return 'refused'
  context.events.logRolledBack(tenant_id, `the witness has seen ${seen} entries, and there are ${size}`)
  return 'rolled_back'
}

function seenSize({ status, type, text }: TextAnswer): number | null {
  const size = /^(0|[1-9]\d{0,14})\n$/.exec(text)?.[1]
  return status === 409 && type.startsWith('text/x.tlog.size') && size !== undefined ? Number(size) : null
}
