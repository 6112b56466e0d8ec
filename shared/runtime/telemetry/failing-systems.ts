import { Gauge, type Registry } from 'prom-client'

/** The metric covers the current span of 5 minutes and the previous span, so five to ten minutes in all. */
const spanMs = 300_000
/** At most 10,000 systems are counted per span, in about 2 MB. Further systems are not counted. */
const countedMax = 10_000
/** The metric names the 10 systems with the most failed calls, with two series each. */
const namedMax = 10

interface Calls {
  tenant: string
  system: string
  succeeded: number
  failed: number
}

/**
 * Counts the calls of systems and reports the systems with failures. No other metric names a tenant, but here a
 * single failing system would be lost in the sum of all systems.
 */
export function createFailingSystems(registry: Registry, now: () => number) {
  let spanBegan = now()
  let before = new Map<string, Calls>()
  let current = new Map<string, Calls>()
  const turnSpan = (): void => {
    const spans = Math.floor((now() - spanBegan) / spanMs)
    if (spans === 0) return
    before = spans === 1 ? current : new Map()
    current = new Map()
    spanBegan += spans * spanMs
  }
  new Gauge({
    name: 'action_gate_system_calls',
    help: `Calls of the last five to ten minutes by tenant, system and result: of the ${namedMax} systems with the most that failed.`,
    labelNames: ['tenant', 'system', 'result'],
    registers: [registry],
    collect() {
      turnSpan()
      this.reset()
      for (const { tenant, system, succeeded, failed } of failingMost([before, current])) {
        this.set({ tenant, system, result: 'succeeded' }, succeeded)
        this.set({ tenant, system, result: 'failed' }, failed)
      }
    },
  })
  return {
    systemCalled(tenant: string, system: string, result: 'succeeded' | 'failed'): void {
      turnSpan()
      const calls = current.get(nameOf(tenant, system)) ?? { tenant, system, succeeded: 0, failed: 0 }
      calls[result] += 1
      if (current.size < countedMax) current.set(nameOf(tenant, system), calls)
    },
  }
}

function failingMost(spans: readonly ReadonlyMap<string, Calls>[]): Calls[] {
  const sums = new Map<string, Calls>()
  for (const [name, { tenant, system, succeeded, failed }] of spans.flatMap(span => [...span])) {
    const sum = sums.get(name)
    const [more, moreFailed] = [sum?.succeeded ?? 0, sum?.failed ?? 0]
    sums.set(name, { tenant, system, succeeded: succeeded + more, failed: failed + moreFailed })
  }
  return [...sums.values()]
    .filter(({ failed }) => failed > 0)
    .sort((one, other) => other.failed - one.failed)
    .slice(0, namedMax)
}

function nameOf(tenant: string, system: string): string {
  return `${tenant}\n${system}`
}
