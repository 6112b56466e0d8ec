import type { Outcome } from '../contract/actuator.ts'
import type { JobRecord } from './change.ts'
import { attemptsLeft } from './job.ts'
import type { Trigger } from './transition.ts'

type Settling = Extract<Trigger, 'succeed' | 'fail' | 'retry' | 'lose'>

/** The trigger that an outcome pulls, given everything that happened before: the worst attempt decides. */
export function settleTrigger(outcome: Outcome, job: JobRecord): Settling {
  if (outcome.class === 'ok') return 'succeed'
  if (outcome.class === 'busy') return 'retry'
  if (outcome.class === 'unknown') return attemptsLeft(job) && job.key_honoured ? 'retry' : 'lose'
  if (outcome.class === 'retry' && attemptsLeft(job)) return 'retry'
  return job.maybe_executed ? 'lose' : 'fail'
}
