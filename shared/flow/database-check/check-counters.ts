/** What a check of the whole database has found so far; plain data, so that it can be kept and gone on with. */
export interface Counters {
  counted: Counted
  /** Everything that differs is counted, and the first are listed. */
  differences: { found: number; listed: Difference[] }
  /** What nothing contradicts and nothing proves either, by the reason. */
  unproven: Record<string, { count: number; first: string }>
}

export interface Counted {
  actions: number
  /** Events of actions and of configurations. */
  events: number
  payloads: number
  erased: number
  tenants: number
  /** Keys, revisions, freezes and whatever else of tenants was compared with their events. */
  in_force: number
  /** Decisions of people, and verdicts that name a proposer, that were held against the configuration before them. */
  decisions: number
  logs: number
  entries: number
  subtrees: number
  checkpoints: number
  statements: number
}

export interface Difference {
  /** The stream, or the log, in which it is. */
  where: string
  problem: string
}

export const listedMax = 100

export function emptyCounters(): Counters {
  return {
    counted: {
      actions: 0,
      events: 0,
      payloads: 0,
      erased: 0,
      tenants: 0,
      in_force: 0,
      decisions: 0,
      logs: 0,
      entries: 0,
      subtrees: 0,
      checkpoints: 0,
      statements: 0,
    },
    differences: { found: 0, listed: [] },
    unproven: {},
  }
}

export function differs({ differences }: Counters, where: string, problem: string): void {
  differences.found += 1
  if (differences.listed.length < listedMax) differences.listed.push({ where, problem })
}

/** `reason` is one of a few: how many there are of each is told, with the first. */
export function isUnproven({ unproven }: Counters, reason: string, where: string, count = 1): void {
  const known = unproven[reason]
  unproven[reason] = { count: (known?.count ?? 0) + count, first: known?.first ?? where }
}
