import type { Outcome } from '../contract/actuator.ts'
import type { JobRecord } from './change.ts'
import type { Trigger } from './transition.ts'

type Settling = Extract<Trigger, 'succeed' | 'fail' | 'retry' | 'lose'>

/** The trigger that an outcome pulls, given everything that happened before: the worst attempt decides. */
export function settleTrigger(outcome: Outcome, job: JobRecord): Settling {
  if (outcome.class === 'ok') return 'succeed'
  const attemptsLeft = job.attempt < job.max_attempts
  if (outcome.class === 'unknown') return attemptsLeft && job.key_honoured ? 'retry' : 'lose'
  if (outcome.class === 'retry' && attemptsLeft) return 'retry'
  return job.maybe_executed ? 'lose' : 'fail'
}
