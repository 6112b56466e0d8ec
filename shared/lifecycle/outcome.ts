import type { Outcome } from '../contract/configuration/actuator.ts'
import type { JobRecord } from './change.ts'
import { attemptsLeft } from './job.ts'
import type { Trigger } from './transition.ts'

type Settling = Extract<Trigger, 'succeed' | 'fail' | 'retry' | 'lose'>

/**
 * The trigger that an outcome pulls, given everything that happened before: the worst attempt decides. What provably had no
 * effect is tried again as long as the action has time, what may have had one so many times.
 */
export function settleTrigger(
  outcome: Outcome,
  job: JobRecord,
  { timeLeft, proven }: { timeLeft: boolean; proven: boolean },
): Settling {
  if (outcome.class === 'ok') return 'succeed'
  if (proven) return 'lose'
  if (outcome.class === 'unknown') return attemptsLeft(job) && job.key_honoured ? 'retry' : 'lose'
  if (hadNoEffect(outcome) && timeLeft) return 'retry'
  return job.maybe_executed ? 'lose' : 'fail'
}

/** Nothing happened, and it may be tried again. */
export function hadNoEffect(outcome: Outcome): boolean {
  return outcome.class === 'retry' || outcome.class === 'busy'
}
