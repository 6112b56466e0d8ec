import type { Counters } from '../../../shared/flow/database-check/check-counters.ts'
import { shown } from './report-on.ts'
import type { Report } from './verify-mode.ts'

/** Reports the check of a whole database as text and as a value (specification.md#audit-verifier). */
export function reportOnDatabase(tally: Counters, given: { keys: string; checkpoints: number }): Report {
  const { counted, differences, unproven } = tally
  const [first] = differences.listed
  const outcome = first ? 'invalid' : Object.keys(unproven).length > 0 ? 'incomplete' : 'verified'
  const problem = first ? `${first.where}: ${first.problem}` : null
  const notes = notesOn(given)
  const lines = [
    `${outcome}: ${problem ?? meanings[outcome]}`,
    '',
    ...Object.entries(counted).map(([name, count]) => line('checked', `${count} ${name}`)),
    ...differences.listed.map(({ where, problem }) => line('DIFFERS', `${where}: ${problem}`)),
    ...(differences.found > differences.listed.length
      ? [line('DIFFERS', `and ${differences.found - differences.listed.length} more`)]
      : []),
    ...Object.entries(unproven).map(([reason, { count, first }]) =>
      line('not proven', `${count} ${reason}, the first of ${first}`),
    ),
    ...(notes.length === 0 ? [] : ['', ...notes.map(note => `note: ${note}`)]),
  ]
  return {
    exitCode: exitCodes[outcome],
    text: `${lines.map(shown).join('\n')}\n`,
    value: { outcome, problem, counted, differences, not_proven: unproven, notes },
  }
}

const exitCodes = { verified: 0, invalid: 1, incomplete: 3 } as const

const meanings = {
  verified: 'everything that is stored was recomputed and agrees, and signed checkpoints cover it',
  incomplete: 'nothing that is stored contradicts itself, but not everything is proven',
  invalid: 'something is wrong',
}

function notesOn({ keys, checkpoints }: { keys: string; checkpoints: number }): string[] {
  return [
    keys === '' ? 'no key was given: nothing that is signed is proven' : `keys that were given: ${keys}`,
    ...(checkpoints === 0
      ? ['no older checkpoint was given: whether somebody with the key rewrote a log is left open']
      : []),
  ]
}

function line(word: string, text: string): string {
  return `  ${word.padEnd(12)}${text}`
}
