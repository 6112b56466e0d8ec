/** What is asked of one run of spin: the flags of the model, and what has to come of it. */
export interface Configuration {
  name: string
  flags: readonly string[]
  /** Paths without end are searched for the formula's violation, under weak fairness; else states for assertions. */
  liveness: boolean
  expected: Finding
  /** Left out of the tests: minutes, or gigabytes. */
  big: boolean
}

/** What spin finds first; a goal that it can come to is out of reach no longer. */
export type Finding = 'no error' | 'acceptance cycle' | 'out_of_reach' | Invariant

/** What `state.pml` asserts. */
export type Invariant =
  | 'one_action'
  | 'one_approval'
  | 'never_both_decisions'
  | 'one_effect'
  | 'effect_was_granted'
  | 'no_effect_after_no'
  | 'failed_means_no_effect'
  | 'executed_means_effect'
  | 'terminal_stays'
  | 'one_outcome'
  | 'few_doubtful'
  | 'few_leases_lost'
  | 'each_group_gave'
  | 'help_was_asked'

const front = ['FRONT', ...sizes(1, 1, 2, 1)]
const frontRoute = ['ROUTE', ...front]
const back = ['BACK', ...sizes(2, 2, 4, 1)]
const backVoid = ['BACK', 'VOID', ...sizes(2, 2, 2, 1, 3)]
const backIdempotent = ['BACK', 'IDEMPOTENT', ...sizes(2, 1, 2, 1, 3)]
const liveFront = ['LIVE', ...front]
const liveBack = ['LIVE', ...back]

/** The protocol as it is. */
export const correct: readonly Configuration[] = [
  safe('front', front),
  safe('front, route', frontRoute),
  safe('back, non-idempotent', back),
  safe('back, non-idempotent, void', backVoid),
  safe('back, non-idempotent, operator', ['BACK', 'VOID', 'OPERATOR', ...sizes(2, 1, 2, 1)]),
  safe('back, idempotent', backIdempotent),
  safe('back, idempotent, void', ['BACK', 'IDEMPOTENT', 'VOID', ...sizes(2, 1, 2, 1)]),
  safe('whole, non-idempotent, void', ['FRONT', 'VOID', ...sizes(2, 1, 2, 1)]),
  live('liveness, front', liveFront),
  live('liveness, back, non-idempotent', liveBack),
  live('liveness, back, idempotent', ['LIVE', ...backIdempotent]),
  big('back, non-idempotent, void, two rounds', ['BACK', 'VOID', ...sizes(2, 2, 2, 2)]),
  big('back, idempotent, two rounds', ['BACK', 'IDEMPOTENT', ...sizes(2, 1, 2, 2)]),
  big('back, idempotent, two reconcilers', ['BACK', 'IDEMPOTENT', ...sizes(2, 2, 2, 2)]),
  big('back, idempotent, void, two reconcilers', ['BACK', 'IDEMPOTENT', 'VOID', ...sizes(2, 2, 2, 1)]),
  big('back, idempotent, operator', ['BACK', 'IDEMPOTENT', 'VOID', 'OPERATOR', ...sizes(2, 1, 2, 1)]),
  big('whole, idempotent', ['FRONT', 'IDEMPOTENT', ...sizes(2, 1, 2, 1)]),
  big('whole, non-idempotent, void, two reconcilers', ['FRONT', 'VOID', ...sizes(2, 2, 2, 2)]),
]

/** One guard less than in a correct configuration, and the invariant that it was for. */
export const broken: readonly Configuration[] = [
  unsafe('NOFENCE', back, 'one_effect'),
  unsafe('NOFENCE', backIdempotent, 'failed_means_no_effect'),
  unsafe('NOINTENT', back, 'one_effect'),
  unsafe('TOKENS=2', back, 'one_effect'),
  unsafe('EAGER', back, 'failed_means_no_effect'),
  unsafe('EAGER', backIdempotent, 'failed_means_no_effect'),
  unsafe('NAIVEFAIL', backIdempotent, 'failed_means_no_effect'),
  unsafe('TOCTOU', backVoid, 'failed_means_no_effect'),
  unsafe('NOCAS', front, 'one_approval'),
  unsafe('NOUNIQ', front, 'one_action'),
  unsafe('OFFROUTE', frontRoute, 'each_group_gave'),
  unsafe('EARLYHELP', frontRoute, 'help_was_asked'),
  unsafe('GETEXEC', front, 'effect_was_granted'),
  stuck('NOSWEEP', liveBack),
  stuck('DUALWRITE', liveFront),
  unsafe('ROUNDS_KEPT', backVoid, 'failed_means_no_effect'),
  unsafe('COUNTNONE', backIdempotent, 'few_doubtful'),
  unsafe('LOSTFREE', backIdempotent, 'few_leases_lost'),
]

/** What the correct protocol must be able to come to: a search that never meets it says nothing. */
export const reached: readonly Configuration[] = [
  goal('unknown_at_all', back),
  goal('proved_late', back),
  goal('tried_again', backVoid),
  goal('settled_failed', backVoid),
  goal('repeated_key', backIdempotent),
  goal('tried_for_long', back),
  goal('granted_with_help', frontRoute),
  goal('helped_and_expired', frontRoute),
]

/** `claims` are those that the action's own time has room for; attempts and rounds together where nothing is said. */
function sizes(
  ...[workers, reconcilers, attempts, rounds, claims]: [number, number, number, number, number?]
): string[] {
  const flags = [
    `WORKERS=${workers}`,
    `RECONCILERS=${reconcilers}`,
    `ATTEMPTS=${attempts}`,
    `ROUNDS=${rounds}`,
  ]
  return claims === undefined ? flags : [...flags, `CLAIMS=${claims}`]
}

function safe(name: string, flags: readonly string[]): Configuration {
  return { name, flags, liveness: false, expected: 'no error', big: false }
}

function big(name: string, flags: readonly string[]): Configuration {
  return { ...safe(name, flags), big: true }
}

function live(name: string, flags: readonly string[]): Configuration {
  return { ...safe(name, flags), liveness: true }
}

/** Asked for that invariant alone: another may be violated on a shorter path. */
function unsafe(flag: string, flags: readonly string[], expected: Invariant): Configuration {
  const idempotent = flags.includes('IDEMPOTENT') ? ', idempotent' : ''
  return { ...safe(flag + idempotent, [flag, `ONLY=${expected}`, ...flags]), expected }
}

function goal(name: string, flags: readonly string[]): Configuration {
  return { ...safe(`can be ${name}`, [`GOAL=${name}`, ...flags]), expected: 'out_of_reach' }
}

function stuck(flag: string, flags: readonly string[]): Configuration {
  return { ...live(flag, [flag, ...flags]), expected: 'acceptance cycle' }
}
