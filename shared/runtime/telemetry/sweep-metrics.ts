import { Gauge, type Registry } from 'prom-client'
import { forgetGauge } from './process-metrics.ts'

const jobStates = ['pending', 'leased', 'unknown', 'needs_operator'] as const

type Measure<Names> = Readonly<Record<keyof Names, number>>

/**
 * Creates the gauges about the database, which only a sweeping process can report. A gauge has no value before the
 * first sweep, and loses its value `freshMs` after the last sweep, so that no stale number causes an alert or
 * scaling. Several workers may report the same number: read it with `max by ()`, never with a sum.
 */
export function createSweepMetrics(registry: Registry, freshMs: number, now: () => number) {
  let measuredAt = Number.NEGATIVE_INFINITY
  const gauge = (name: string, help: string, labelNames: string[] = []) => {
    const made = new Gauge({
      name: `action_gate_${name}`,
      help: `${help}, at the last sweep.`,
      labelNames,
      registers: [registry],
      collect() {
        if (now() - measuredAt > freshMs) forgetGauge(this)
      },
    })
    forgetGauge(made)
    return made
  }
  const jobs = gauge('jobs', 'Unsettled jobs by state', ['state'])
  const backlog = {
    due: gauge('due_jobs', 'Jobs that wait for a worker and are due'),
    oldest_due_ms: gauge(
      'due_age_seconds',
      'For how long the oldest job is due that no freeze or pause keeps',
    ),
    held: gauge('approvals_pending', 'Actions that wait for a person'),
    oldest_held_ms: gauge('approval_age_seconds', 'For how long the oldest action waits for a person'),
    hold_used: gauge(
      'approval_deadline_used_ratio',
      'The largest part of its time that a held action has waited',
    ),
    oldest_unknown_ms: gauge('unknown_age_seconds', 'For how long the oldest unknown outcome is unknown'),
    freezes: gauge('freezes', 'Freezes and pauses that are on'),
    workers: gauge('workers_seen', 'Workers that said a moment ago that they are there'),
  }
  const log = {
    waiting: gauge('log_waiting', 'Changes that wait for their place in a log'),
    oldest_ms: gauge('log_lag_seconds', 'Age of the oldest change that waits for its place in a log'),
    unsigned: gauge('logs_unsigned', 'Logs that have grown since their last signed checkpoint'),
  }
  const messages = {
    due: gauge('webhook_due', 'Messages to endpoints that are due'),
    oldest_due_ms: gauge('webhook_due_age_seconds', 'For how long the oldest message to an endpoint is due'),
    disabled: gauge('webhooks_disabled', 'Endpoints that were disabled because they are gone or failing'),
  }
  const replication = {
    unread_slots: gauge('replication_slots_unread', 'Replication slots that no replica reads'),
    wal_kept_bytes: gauge(
      'wal_kept_bytes',
      'WAL that Postgres keeps for the replication slot furthest behind',
    ),
  }
  return {
    measured(
      waiting: Measure<typeof backlog> & Record<(typeof jobStates)[number], number>,
      logs: Measure<typeof log>,
      sent: Measure<typeof messages>,
      slots: Measure<typeof replication>,
    ): void {
      measuredAt = now()
      for (const state of jobStates) jobs.set({ state }, waiting[state])
      setAll(backlog, waiting)
      setAll(log, logs)
      setAll(messages, sent)
      setAll(replication, slots)
    },
  }
}

function setAll<Name extends string>(
  gauges: Record<Name, Gauge>,
  values: Record<NoInfer<Name>, number>,
): void {
  for (const name of Object.keys(gauges) as Name[]) {
    gauges[name].set(name.endsWith('_ms') ? values[name] / 1000 : values[name])
  }
}
