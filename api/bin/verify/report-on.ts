import {
  type Check,
  type CheckName,
  checkNames,
  type Outcome,
  type Verification,
} from '../../../shared/audit/verify/verification.ts'
import type { Report } from './verify-mode.ts'

/**
 * Reports a verification as text and as a value (specification.md#audit-verifier); `names` are all its checks in
 * order.
 */
export function reportOn(verification: Verification, names: readonly CheckName[] = checkNames): Report {
  const { outcome, problem, checks, notes } = verification
  const failed = checks.find(({ status }) => status === 'failed')
  const after = failed === undefined ? [] : names.slice(names.indexOf(failed.name) + 1)
  const lines = [
    `${outcome}: ${problem ?? meanings[outcome]}`,
    '',
    ...checks.map(check => line(wordFor(check), check.name, check.reason)),
    ...after.map(name => line('not reached', name, '')),
    ...(notes.length === 0 ? [] : ['', ...notes.map(note => `note: ${note}`)]),
  ]
  return {
    exitCode: exitCodes[outcome],
    text: `${lines.map(shown).join('\n')}\n`,
    value: verification,
  }
}

const exitCodes = { verified: 0, verified_open: 0, invalid: 1, incomplete: 3, legacy: 3 } as const

const meanings: Record<Outcome, string> = {
  verified: 'everything that was checked holds',
  verified_open: 'everything that the file says holds, and the action has not ended: more may follow',
  incomplete: 'nothing is wrong, but not everything is proven',
  legacy: 'the record is from before canonical events, and cannot be proved',
  invalid: 'something is wrong',
}

function wordFor({ status, erased }: Check): string {
  if (status === 'proven') return 'proven'
  if (status === 'failed') return 'FAILED'
  return erased === true ? 'erased' : 'not proven'
}

function line(word: string, name: string, reason: string): string {
  return `  ${word.padEnd(12)}${name.padEnd(15)}${reason}`.trimEnd()
}

/** Escapes and shortens text from a file, so that it cannot control the terminal or reorder a line. */
export function shown(text: string): string {
  const cut = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
  return cut.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    character => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
}

const lengthMax = 2_000
