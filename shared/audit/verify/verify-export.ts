import type { TrustedKey } from '../note/trusted-keys.ts'
import { checkApprover, checkAuthorisation } from './check-authorisation.ts'
import { checkEvents, checkLog, checkStatement } from './check-binding.ts'
import { checkDigest, checkIdempotency, checkPayloads } from './check-content.ts'
import { checkEnding, timeNotes } from './check-ending.ts'
import { checkHistory } from './check-history.ts'
import { checkKeys, openNotes } from './check-keys.ts'
import { readExport } from './read-export.ts'
import {
  type Check,
  type CheckName,
  type Finding,
  failed,
  type OpenedExport,
  type Outcome,
  proven,
  type Verification,
} from './verification.ts'

export interface Grounds {
  trusted: readonly TrustedKey[]
  /** An older checkpoint of the same log that the auditor kept, as a signed note. */
  olderCheckpoint?: string | Uint8Array | undefined
  /** The origin of the log that is required. Without it, any log of a trusted signer is accepted. */
  log?: string | undefined
}

/**
 * Checks an audit export, from its bytes and the auditor's own inputs alone (specification.md#audit-verifier). The
 * checks run in the order of `checkNames`, and the first failed check ends the list. The check `history` is left
 * out without an older checkpoint. It never throws, even for invalid bytes.
 */
export function verifyExport(bytes: Uint8Array, grounds: Grounds): Verification {
  const read = readExport(bytes)
  if (!read.ok) return invalid([], 'format', read.error)
  const { exported } = read.value
  const format: Check = { name: 'format', ...proven('strict JSON, of the form of an audit export') }
  if (exported.integrity_version === 'legacy-v0') {
    const digest = checkDigest(exported)
    if (digest.status === 'failed') return invalid([format], 'digest', digest.reason)
    const notes = ['a record from before canonical events: nothing that it says can be proved']
    return { outcome: 'legacy', problem: null, checks: [format, { name: 'digest', ...digest }], notes }
  }
  const notes = openNotes(exported, grounds.trusted, grounds.olderCheckpoint)
  if (!notes.ok) return invalid([format], 'keys', notes.error)
  return checkOpened({ ...read.value, ...notes.value }, grounds, format)
}

function checkOpened(opened: OpenedExport, grounds: Grounds, format: Check): Verification {
  const done = [format]
  for (const [name, check] of checks) {
    const finding = check(opened, grounds)
    if (finding?.status === 'failed') return invalid(done, name, finding.reason)
    if (finding !== null) done.push({ name, ...finding })
  }
  return { outcome: outcomeOf(done), problem: null, checks: done, notes: notesOn(opened) }
}

const checks: readonly [CheckName, (opened: OpenedExport, grounds: Grounds) => Finding | null][] = [
  ['keys', (opened, { trusted }) => checkKeys(opened, trusted)],
  ['events', checkEvents],
  ['statement', checkStatement],
  ['log', (opened, { log }) => checkLog(opened, log)],
  ['history', checkHistory],
  ['payloads', checkPayloads],
  ['authorisation', checkAuthorisation],
  ['approver', checkApprover],
  ['idempotency', checkIdempotency],
  ['ending', checkEnding],
  ['digest', ({ exported }) => checkDigest(exported)],
]

function invalid(done: readonly Check[], name: CheckName, problem: string): Verification {
  return { outcome: 'invalid', problem, checks: [...done, { name, ...failed(problem) }], notes: [] }
}

/**
 * Returns the outcome. An action that continues and content that was erased by the rules are no gaps in the file.
 */
function outcomeOf(done: readonly Check[]): Outcome {
  const open = done.filter(({ status, erased }) => status === 'not_proven' && erased !== true)
  if (open.length === 0) return 'verified'
  return open.every(({ name }) => name === 'ending') ? 'verified_open' : 'incomplete'
}

function notesOn(opened: OpenedExport): string[] {
  const { checkpoint, older } = opened
  const seen = (checkpoint?.witnesses ?? []).map(
    ({ name, at }) => `the witness ${name} saw the checkpoint, as it says at Unix time ${at}`,
  )
  const unasked =
    older === null
      ? ['no older checkpoint was given: whether the log was ever cut or forked is left open']
      : []
  return [...timeNotes(opened), ...seen, ...unasked]
}
