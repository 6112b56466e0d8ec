import type { Invocation } from './actuator.ts'

/** What every attempt of an action is told alike. */
export type PlannedCall = Omit<
  Invocation,
  'signal' | 'attempt' | 'not_after' | 'traceparent' | 'isLate' | 'timeLeftMs'
>
