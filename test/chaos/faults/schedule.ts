import { type Random, seededRandom } from './seeded-random.ts'

/** A fault as it is planned: what happens to whom, when, and for how long (both in milliseconds of the run). */
export interface Fault {
  n: number
  kind: FaultKind
  victim: string
  at_ms: number
  ms: number
}

/** Who can be hit. Links are named by who is connected to what: `worker 2 to postgres`. */
export interface Victims {
  apis: Names
  workers: Names
  tenants: Names
  /** Servers that nobody here wrote. */
  servers: Names
  /** What this machine cannot do. */
  leftOut?: readonly FaultKind[]
}
type Names = readonly [string, ...string[]]

/** Where a kind strikes, how often it is dealt, and how long it lasts. */
interface Deal {
  strikes:
    | 'worker'
    | 'api'
    | 'process'
    | 'postgres'
    | 'redis'
    | 'postgres_link'
    | 'redis_link'
    | 'downstream_link'
    | 'tenant'
    | 'server'
    | 'people'
  times: number
  ms: readonly [min: number, max: number]
}

const briefly = [300, 1_500] as const
/** Beyond the lease (see settings.ts). */
const pastTheLease = [2_700, 4_500] as const
const outage = [600, 3_500] as const

const deck = {
  worker_kill: { strikes: 'worker', times: 6, ms: [0, 0] },
  worker_terminate: { strikes: 'worker', times: 2, ms: [0, 0] },
  worker_suspend: { strikes: 'worker', times: 3, ms: pastTheLease },
  api_kill: { strikes: 'api', times: 2, ms: [0, 0] },
  api_terminate: { strikes: 'api', times: 1, ms: [0, 0] },
  api_suspend: { strikes: 'api', times: 1, ms: outage },
  postgres_restart_immediate: { strikes: 'postgres', times: 2, ms: [0, 1_000] },
  postgres_kill: { strikes: 'postgres', times: 1, ms: [0, 1_000] },
  redis_kill: { strikes: 'redis', times: 1, ms: outage },
  redis_flush: { strikes: 'redis', times: 1, ms: [0, 0] },
  redis_forged_messages: { strikes: 'redis', times: 1, ms: [0, 0] },
  redis_out_of_memory: { strikes: 'redis', times: 1, ms: outage },
  redis_read_only: { strikes: 'redis', times: 1, ms: outage },
  redis_freeze: { strikes: 'redis', times: 1, ms: outage },
  postgres_cut: { strikes: 'postgres_link', times: 1, ms: briefly },
  postgres_delay: { strikes: 'postgres_link', times: 1, ms: outage },
  postgres_black_hole: { strikes: 'postgres_link', times: 1, ms: pastTheLease },
  postgres_swallow: { strikes: 'postgres_link', times: 4, ms: outage },
  postgres_half_close: { strikes: 'postgres_link', times: 1, ms: briefly },
  redis_cut: { strikes: 'redis_link', times: 1, ms: outage },
  redis_delay: { strikes: 'redis_link', times: 1, ms: outage },
  redis_black_hole: { strikes: 'redis_link', times: 1, ms: outage },
  redis_half_close: { strikes: 'redis_link', times: 1, ms: briefly },
  downstream_cut: { strikes: 'downstream_link', times: 1, ms: briefly },
  downstream_delay: { strikes: 'downstream_link', times: 1, ms: outage },
  downstream_black_hole: { strikes: 'downstream_link', times: 2, ms: pastTheLease },
  downstream_swallow: { strikes: 'downstream_link', times: 1, ms: briefly },
  downstream_half_close: { strikes: 'downstream_link', times: 1, ms: briefly },
  worker_two_signals: { strikes: 'worker', times: 1, ms: [0, 0] },
  clock_step: { strikes: 'process', times: 2, ms: pastTheLease },
  postgres_disk_full: { strikes: 'postgres', times: 1, ms: outage },
  job_throws: { strikes: 'tenant', times: 1, ms: [0, 0] },
  job_kills_worker: { strikes: 'tenant', times: 1, ms: [0, 0] },
  tenant_freeze: { strikes: 'tenant', times: 2, ms: outage },
  tenant_pause: { strikes: 'tenant', times: 2, ms: outage },
  tenant_reregister: { strikes: 'tenant', times: 2, ms: [0, 0] },
  tenant_revoke_key: { strikes: 'tenant', times: 2, ms: [0, 0] },
  tenant_erase: { strikes: 'tenant', times: 2, ms: [0, 0] },
  person_log_out: { strikes: 'people', times: 1, ms: [0, 0] },
  person_remove: { strikes: 'people', times: 1, ms: [0, 0] },
  person_demote: { strikes: 'people', times: 1, ms: [0, 0] },
  server_kill: { strikes: 'server', times: 5, ms: briefly },
} as const satisfies Record<string, Deal>

export type FaultKind = keyof typeof deck
export const faultKinds = Object.keys(deck) as FaultKind[]

const gapMs = [1_100, 2_300] as const

/**
 * The faults of a run, from its seed alone. Kinds are dealt from a shuffled deck, so that every kind comes about once in
 * two minutes and none is left out of a longer run.
 */
export function planFaults(seed: number, runMs: number, victims: Victims): Fault[] {
  const random = seededRandom(seed, 'faults')
  const faults: Fault[] = []
  let hand: FaultKind[] = []
  for (let at_ms = random.between(...gapMs); at_ms < runMs; at_ms += random.between(...gapMs)) {
    if (hand.length === 0) hand = random.shuffled(fullDeck.filter(kind => !victims.leftOut?.includes(kind)))
    const kind = hand.pop()
    if (kind === undefined) break
    const { strikes, ms }: Deal = deck[kind]
    faults.push({
      n: faults.length + 1,
      kind,
      victim: victimOf(strikes, random, victims),
      at_ms,
      ms: random.between(...ms),
    })
  }
  return faults
}

const fullDeck = faultKinds.flatMap(kind => Array<FaultKind>(deck[kind].times).fill(kind))

function victimOf(
  strikes: Deal['strikes'],
  random: Random,
  { apis, workers, tenants, servers }: Victims,
): string {
  switch (strikes) {
    case 'process':
      return random.shuffled([...workers, ...apis])[0] ?? workers[0]
    case 'server':
      return random.pick(servers)
    case 'tenant':
      return random.pick(tenants)
    case 'worker':
      return random.pick(workers)
    case 'api':
      return random.pick(apis)
    case 'postgres':
    case 'redis':
    case 'people':
      return strikes
    case 'downstream_link':
      return `${random.pick(['workers', 'workers', ...workers])} to downstream`
    default: {
      const [near] = random.shuffled([...workers, ...apis])
      return `${near} to ${strikes === 'postgres_link' ? 'postgres' : 'redis'}`
    }
  }
}
