import type { Mutant } from './mutate.ts'

/** A mutant that no test has to notice, and why. */
export interface Survivor {
  file: string
  /** The whole line, where in it the change begins, and what stands for what. */
  text: string
  place: number
  from: string
  to: string
  reason: string
}

export const survivors: readonly Survivor[] = [
  {
    file: 'shared/lifecycle/job.ts',
    text: 'return terms.reconcile_ms_min * (roundsGrow[Math.min(rounds, roundsGrow.length - 1)] ?? 1)',
    place: 88,
    from: '1',
    to: '(1 + 1)',
    reason: 'equivalent: the index is one of the list, whatever stands for a missing one',
  },
  {
    file: 'shared/lifecycle/job.ts',
    text: 'key_honoured: false,',
    place: 14,
    from: 'false',
    to: 'true',
    reason:
      'equivalent: it is read of an attempt alone, and the claim that makes the attempt writes it first',
  },
  {
    file: 'shared/lifecycle/execute.ts',
    text: "const asked = 'retry_after_ms' in outcome ? (outcome.retry_after_ms ?? 0) : 0",
    place: 76,
    from: '0',
    to: '(0 + 1)',
    reason: 'equivalent: a back-off is a millisecond or more, and the longer of the two counts',
  },
  {
    file: 'shared/flow/execution/reconcile.ts',
    text: "if (attempts.length > 0) await context.reach('reconcile_taken')",
    place: 20,
    from: '>',
    to: '>=',
    reason: 'equivalent: a failpoint does nothing outside of tests, which reach it only with an attempt',
  },
  {
    file: 'shared/flow/execution/reconcile.ts',
    text: 'return judgement ? record(context, round, due, judgement) : { silent: true }',
    place: 70,
    from: 'true',
    to: 'false',
    reason:
      'equivalent: only where the process ends, which makes no further round whatever is said of this one',
  },
  {
    file: 'shared/flow/execution/reconcile.ts',
    text: 'return marginMs !== undefined && due.late_by_ms > marginMs',
    place: 48,
    from: '>',
    to: '>=',
    reason: 'equivalent: the time that was measured has fractions and never is the margin exactly',
  },
  {
    file: 'shared/flow/execution/reconcile.ts',
    text: 'isLate: () => timeLeftMs() <= 0,',
    place: 27,
    from: '<=',
    to: '<',
    reason: 'equivalent: the time that was measured has fractions and never is the bound exactly',
  },
  {
    file: 'shared/store/job/reconcile-attempts.ts',
    text: 'from walked where next_run_at <= now()',
    place: 30,
    from: '<=',
    to: '<',
    reason: 'equivalent but for a round that is due in the very microsecond, which the next pass takes',
  },
  {
    file: 'shared/store/job/reconcile-attempts.ts',
    text: 'const partitionsWalked = 256',
    place: 25,
    from: '256',
    to: '(256 + 1)',
    reason: 'a bound of the work of one statement: what is not walked now is walked by the next one',
  },
  {
    file: 'shared/flow/execution/claim-jobs.ts',
    text: 'for (const { at } of due.slice(0, 1)) context.databaseClock.heard(at)',
    place: 34,
    from: '1',
    to: '(1 + 1)',
    reason:
      'equivalent: rows of one claim were read at the same time, and the clock hears the second as well',
  },
]

/** Why a mutant may survive; null where nobody said so. */
export function reasonOf({ file, text, place, from, to }: Mutant): string | null {
  const listed = survivors.find(
    survivor =>
      survivor.file === file &&
      survivor.text === text &&
      survivor.place === place &&
      survivor.from === from &&
      survivor.to === to,
  )
  return listed?.reason ?? null
}
