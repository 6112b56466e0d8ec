import { decodeUtf8 } from '../../canon/utf8.ts'
import { parseEvent } from '../event/check-trace.ts'
import { leafHash } from '../merkle/merkle.ts'
import { parseTlogProof, verifyTlogProof } from '../merkle/tlog-proof.ts'
import { openCheckpoint, type SignedCheckpoint } from '../note/checkpoint.ts'
import { areCompromised, describeKeys, type TrustedKey } from '../note/trusted-keys.ts'
import { checkRange } from './check-keys.ts'
import {
  type Check,
  type CheckName,
  type Finding,
  failed,
  notProven,
  proven,
  type Verification,
} from './verification.ts'

export interface EventGrounds {
  trusted: readonly TrustedKey[]
  log: string
}

/** The checks of one event with its proof. They are a part of `checkNames`, in the same order. */
export const eventCheckNames = ['format', 'keys', 'log'] as const satisfies readonly CheckName[]

/**
 * Checks that one event is in the log, from its exact bytes and a proof file (C2SP tlog-proof). It needs no other
 * event of the action. The first failed check ends it. It never throws, even for invalid bytes.
 */
export function verifyEvent(event: Uint8Array, proof: Uint8Array, grounds: EventGrounds): Verification {
  const text = decodeUtf8(event)
  const read = text === null ? null : parseEvent(text)
  if (!read?.ok) return invalid([], 'format', read?.error ?? 'the event is not UTF-8 text')
  const parsed = parseTlogProof(decodeUtf8(proof) ?? '')
  if (!parsed.ok) return invalid([], 'format', `the proof: ${parsed.error}`)
  const format: Check = { name: 'format', ...proven('a canonical event, and a proof of a log') }

  const opened = openCheckpoint(parsed.value.checkpoint, grounds.trusted)
  if (!opened.ok) return invalid([format], 'keys', `the checkpoint: ${opened.error}`)
  const range = checkRange(opened.value, grounds.trusted)
  if (range?.status === 'failed') return invalid([format], 'keys', range.reason)
  const found = range ?? standingOf(opened.value, grounds.trusted)
  const keys: Check = { name: 'keys', ...found }

  const { trusted, log: origin } = grounds
  const included = verifyTlogProof(parsed.value, leafHash(event), { trusted, origin })
  if (!included.ok) return invalid([format, keys], 'log', included.error)
  const { kind, stream, sequence } = read.value
  const where = `${kind}, number ${sequence} of ${stream}, is entry ${parsed.value.index} of the log ${origin}`
  const log: Check = { name: 'log', ...proven(where) }
  const notes = ['one event alone was checked: nothing is said of the others of its action']
  const outcome = found.status === 'proven' ? 'verified' : 'incomplete'
  return { outcome, problem: null, checks: [format, keys, log], notes }
}

function standingOf({ signers, witnesses }: SignedCheckpoint, trusted: readonly TrustedKey[]): Finding {
  const keys = describeKeys(signers, trusted)
  if (!areCompromised(signers, trusted)) return proven(`signed by trusted keys: ${keys}`)
  const [witness] = witnesses
  return witness
    ? proven(`the witness ${witness.name} saw the checkpoint: ${keys}`)
    : notProven(`only a compromised key signed the checkpoint, and no trusted witness saw it: ${keys}`)
}

function invalid(done: readonly Check[], name: CheckName, problem: string): Verification {
  return { outcome: 'invalid', problem, checks: [...done, { name, ...failed(problem) }], notes: [] }
}
