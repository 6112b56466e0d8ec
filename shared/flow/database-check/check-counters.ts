/** The findings so far as plain data, so that a check can be saved and resumed. */
export interface Counters {
  counted: Counted
  differences: { found: number; listed: Difference[] }
  /** Counts, by reason, the data that is neither contradicted nor proven. */
  unproven: Record<string, { count: number; first: string }>
}

export interface Counted {
  actions: number
  events: number
  payloads: number
  erased: number
  tenants: number
  in_force: number
  decisions: number
  logs: number
  entries: number
  subtrees: number
  checkpoints: number
  statements: number
}

export interface Difference {
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

/** Counts unproven data; `reason` is one of a few, because the report has one line for each. */
export function isUnproven({ unproven }: Counters, reason: string, where: string, count = 1): void {
  const known = unproven[reason]
  unproven[reason] = { count: (known?.count ?? 0) + count, first: known?.first ?? where }
}
