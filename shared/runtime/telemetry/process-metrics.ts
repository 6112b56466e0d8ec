import { Gauge, type Registry } from 'prom-client'
import { version } from '../version.ts'

export interface PoolUse {
  size: number
  in_use: number
  waiting: number
}

/**
 * Functions that count at each scrape. Parts of the process supply them, so nothing is counted between scrapes.
 */
export interface Watched {
  pools?: () => Readonly<Record<string, PoolUse>>
  waits?: () => number
  queue?: () => 'ok' | 'down'
  worker?: () => { slots: number; in_flight: number; oldest_call_ms: number; call_deadline_used: number }
}

export function createProcessMetrics(registry: Registry) {
  const watched: Watched = {}
  const gauge = (name: string, help: string, collect: (gauge: Gauge) => void, labelNames: string[] = []) =>
    new Gauge({
      name: `action_gate_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        forgetGauge(this)
        collect(this)
      },
    })
  const ofWorker = (name: string, help: string, value: (worker: WorkerUse) => number) =>
    gauge(name, help, told => watched.worker && told.set(value(watched.worker())))

  new Gauge({
    name: 'action_gate_build_info',
    help: 'Version of the service and of Node.js; always 1.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1)
  gauge('queue_up', 'Whether the last wake-up got through to the queue.', told => {
    if (watched.queue) told.set(watched.queue() === 'ok' ? 1 : 0)
  })
  gauge(
    'pool_connections',
    'Connections to a database by pool and state; `waiting` are callers without one.',
    told => {
      for (const [pool, { in_use, waiting }] of Object.entries(watched.pools?.() ?? {})) {
        told.set({ pool, state: 'in_use' }, in_use)
        told.set({ pool, state: 'waiting' }, waiting)
      }
    },
    ['pool', 'state'],
  )
  gauge(
    'pool_size',
    'Connections that a pool may have.',
    told => {
      for (const [pool, { size }] of Object.entries(watched.pools?.() ?? {})) told.set({ pool }, size)
    },
    ['pool'],
  )
  gauge('waiting_requests', 'Requests that wait for an action to change.', told => {
    if (watched.waits) told.set(watched.waits())
  })
  ofWorker('worker_slots', 'Calls that this worker makes at once at most.', ({ slots }) => slots)
  ofWorker('worker_calls', 'Calls of actuators under way in this worker.', ({ in_flight }) => in_flight)
  ofWorker(
    'worker_call_age_seconds',
    'For how long the oldest call of this worker is under way.',
    ({ oldest_call_ms }) => oldest_call_ms / 1000,
  )
  ofWorker(
    'worker_call_deadline_used_ratio',
    'The largest part of its time that a call of this worker has taken, of those under way and those that ended a moment ago.',
    ({ call_deadline_used }) => call_deadline_used,
  )
  return { watch: (more: Watched): void => void Object.assign(watched, more) }
}

type WorkerUse = ReturnType<NonNullable<Watched['worker']>>

/**
 * Removes the value of a gauge. A `reset` alone is not enough, because a gauge without labels would then report
 * zero.
 */
export function forgetGauge(gauge: Gauge): void {
  gauge.reset()
  gauge.remove({})
}
