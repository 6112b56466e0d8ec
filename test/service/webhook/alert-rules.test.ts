import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { createSweepMetrics } from '../../../shared/runtime/telemetry/sweep-metrics.ts'
import { alertRulesFile, readAlertRules, readDashboard } from '../../support/alert-rules.ts'
import { anchorsOf } from '../../support/documents.ts'
import { findPrometheus } from '../../support/servers/prometheus.ts'

const programs = await findPrometheus()
const promtool = programs?.promtool ?? ''
const run = promisify(execFile)

describe('the alert rules', () => {
  it('say each how bad it is, how long it lasts, what it is and where to read on', () => {
    const rules = readAlertRules()
    expect(rules.length).toBeGreaterThan(10)
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
    for (const { alert, for: lasts, labels: told, annotations } of rules) {
      expect([alert, told.severity]).toEqual([alert, expect.stringMatching(/^(critical|warning)$/)])
      expect([alert, lasts]).toEqual([alert, expect.stringMatching(/^\d+m$/)])
      expect([alert, annotations.summary.length > 20]).toEqual([alert, true])
      expect([alert, annotations.runbook]).toEqual([
        alert,
        expect.stringMatching(/^\/docs\/runbook#[a-z-]+$/),
      ])
    }
  })

  it('have each a paragraph in the run-book that says what to do', () => {
    const headings = anchorsOf('api/docs/runbook.md')
    const without = readAlertRules().filter(
      ({ annotations }) => !headings.includes(annotations.runbook.split('#')[1] ?? ''),
    )
    expect(without).toEqual([])
  })

  it('read two minutes of what a sweep measures, so that a gap begins none anew', async () => {
    const registry = new Registry()
    createSweepMetrics(registry, 1, () => 0)
    const measures = registry.getMetricsAsArray().map(({ name }) => name)
    const reads = (expr: string) => (expr.match(/\w+/g) ?? []).some(word => measures.includes(word))
    const bridged = /\b(?:min|absent)_over_time\(\w+(?:\{[^}]*\})?\[2m\]\)/g
    const reading = readAlertRules().filter(({ expr }) => reads(expr))
    expect(reading.length).toBeGreaterThan(8)
    expect(reading.filter(({ expr }) => reads(expr.replace(bridged, '')))).toEqual([])
  })

  it.skipIf(programs === null)('are in order, says promtool', async () => {
    const checked = await run(promtool, ['check', 'rules', alertRulesFile])
    expect(checked.stdout).toContain(`${readAlertRules().length} rules found`)
  })
})

it('the panels of the dashboard are told apart, and none lies upon another', () => {
  const { panels } = readDashboard()
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const places = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  )
  expect(new Set(places).size).toBe(places.length)
})

/** What is scraped, once a minute unless it is said, and what of it is firing at a time. */
interface Course {
  name: string
  interval?: string
  series: Record<string, string>
  at: string
  alert: string
  firing: { labels?: Record<string, string>; summary: string } | null
}

/** A worker that sweeps and, so short of time, tells what it measured once in 105 seconds alone. */
const nowAndThen = (value: number): string => Array(20).fill(`${value} stale _ _ _ _ _`).join(' ')
const gap = { interval: '15s', at: '30m' }

const courses: Course[] = [
  {
    ...gap,
    name: 'an age that is told now and then is late',
    series: { 'action_gate_due_age_seconds{instance="a"}': nowAndThen(90) },
    alert: 'ActionGateActionsLate',
    firing: { summary: 'For two minutes the oldest due action has waited for 1m 30s or longer.' },
  },
  {
    ...gap,
    name: 'logs that are unsigned whenever they are looked at are unsigned',
    series: {
      'action_gate_logs_unsigned{instance="a"}': nowAndThen(3),
      'action_gate_log_checkpoints_total{instance="a"}': '9x140',
    },
    alert: 'ActionGateLogUnsigned',
    firing: { summary: 'Logs have grown and no checkpoint was signed for 15 minutes.' },
  },
  {
    ...gap,
    name: 'outcomes that are unknown whenever they are looked at are one',
    series: { 'action_gate_unknown_age_seconds{instance="a"}': nowAndThen(1_200) },
    alert: 'ActionGateOutcomesUnknown',
    firing: { summary: 'The outcome of an action is unknown for 20m 0s: nobody knows whether it happened.' },
  },
  {
    name: 'nothing measured for two minutes is one at once, whatever was measured before',
    interval: '15s',
    series: {
      'action_gate_worker_slots{instance="a"}': '50x60',
      'action_gate_due_age_seconds{instance="a"}': `0 stale ${Array(30).fill('_').join(' ')} 0`,
    },
    at: '4m',
    alert: 'ActionGateNotMeasured',
    firing: {
      summary:
        'Workers are there and none of them can sweep: held actions do not end, lost leases are not judged, backlog is unknown.',
    },
  },
  {
    name: 'one process of several that is down is told by its name',
    series: {
      'up{job="action-gate-api",instance="a"}': '1x10',
      'up{job="action-gate-api",instance="b"}': '1 0x10',
      'up{job="other",instance="c"}': '0x10',
    },
    at: '5m',
    alert: 'ActionGateProcessDown',
    firing: {
      labels: { job: 'action-gate-api', instance: 'b' },
      summary: 'action-gate-api does not answer its scrape at b.',
    },
  },
  {
    name: 'a system of one tenant that fails is told by its name, summed over the workers',
    series: {
      'action_gate_system_calls{instance="a",tenant="acme",system="crm",result="failed"}': '2x10',
      'action_gate_system_calls{instance="b",tenant="acme",system="crm",result="failed"}': '1x10',
      'action_gate_system_calls{instance="b",tenant="acme",system="crm",result="succeeded"}': '1x10',
      'action_gate_system_calls{instance="a",tenant="acme",system="pay",result="failed"}': '9x10',
      'action_gate_system_calls{instance="a",tenant="acme",system="pay",result="succeeded"}': '90x10',
    },
    at: '6m',
    alert: 'ActionGateSystemFails',
    firing: {
      labels: { tenant: 'acme', system: 'crm' },
      summary: '75% of the calls to crm of the tenant acme do not succeed.',
    },
  },
  {
    name: 'calls that a downstream accepts are no failures',
    series: {
      'action_gate_attempts_total{instance="a",outcome="ok"}': '0+1x20',
      'action_gate_attempts_total{instance="a",outcome="accepted"}': '0+9x20',
    },
    at: '15m',
    alert: 'ActionGateAttemptsFail',
    firing: null,
  },
  {
    name: 'a disk of Postgres that is nearly full is one',
    series: {
      'node_filesystem_avail_bytes{job="action-gate-postgres",instance="db",mountpoint="/data"}': '10x10',
      'node_filesystem_size_bytes{job="action-gate-postgres",instance="db",mountpoint="/data"}': '100x10',
    },
    at: '6m',
    alert: 'ActionGateDiskFills',
    firing: {
      labels: { job: 'action-gate-postgres', instance: 'db', mountpoint: '/data' },
      summary: '10% of the disk of Postgres is free (/data); when it is full, nothing is accepted.',
    },
  },
  {
    name: 'two workers that tell the same age are one alert',
    series: {
      'action_gate_due_age_seconds{instance="a"}': '90x10',
      'action_gate_due_age_seconds{instance="b"}': '90x10',
    },
    at: '3m',
    alert: 'ActionGateActionsLate',
    firing: { summary: 'For two minutes the oldest due action has waited for 1m 30s or longer.' },
  },
  {
    name: 'an age that falls in time is none',
    series: { 'action_gate_due_age_seconds{instance="a"}': '90 90 3 3 3' },
    at: '4m',
    alert: 'ActionGateActionsLate',
    firing: null,
  },
  {
    name: 'a measure that is not told any more is not measured',
    series: {
      'action_gate_worker_slots{instance="a"}': '50x20',
      'action_gate_due_age_seconds{instance="a"}': '0 0 stale',
    },
    at: '10m',
    alert: 'ActionGateNotMeasured',
    firing: {
      summary:
        'Workers are there and none of them can sweep: held actions do not end, lost leases are not judged, backlog is unknown.',
    },
  },
  {
    name: 'no worker at all is another alert',
    series: { 'action_gate_queue_up{instance="api"}': '1x20' },
    at: '10m',
    alert: 'ActionGateNotMeasured',
    firing: null,
  },
  {
    name: 'a pool without a connection is told by its name',
    series: {
      'action_gate_pool_connections{instance="a",pool="transactions",state="waiting"}': '7x10',
      'action_gate_pool_connections{instance="a",pool="statements",state="waiting"}': '0x10',
    },
    at: '5m',
    alert: 'ActionGatePoolExhausted',
    firing: {
      labels: { pool: 'transactions' },
      summary: 'Callers wait for a connection to the database (transactions).',
    },
  },
  {
    name: 'logs that grow and are signed are none',
    series: {
      'action_gate_logs_unsigned{instance="a"}': '3x40',
      'action_gate_log_checkpoints_total{instance="a"}': '0+1x40',
    },
    at: '30m',
    alert: 'ActionGateLogUnsigned',
    firing: null,
  },
  {
    name: 'logs that grow and are not signed are one',
    series: {
      'action_gate_logs_unsigned{instance="a"}': '3x40',
      'action_gate_log_checkpoints_total{instance="a"}': '9x40',
    },
    at: '30m',
    alert: 'ActionGateLogUnsigned',
    firing: { summary: 'Logs have grown and no checkpoint was signed for 15 minutes.' },
  },
  {
    name: 'a tenant that fills four fifths of the slots fills them',
    series: {
      'action_gate_worker_calls{instance="a"}': '40x20',
      'action_gate_worker_slots{instance="a"}': '50x20',
      'action_gate_due_age_seconds{instance="a"}': '20x20',
    },
    at: '6m',
    alert: 'ActionGateWorkersFull',
    firing: { summary: 'More than two thirds of the slots of all workers are taken while actions wait.' },
  },
  {
    name: 'slots that are taken while nothing waits are none',
    series: {
      'action_gate_worker_calls{instance="a"}': '40x20',
      'action_gate_worker_slots{instance="a"}': '50x20',
      'action_gate_due_age_seconds{instance="a"}': '1x20',
    },
    at: '10m',
    alert: 'ActionGateWorkersFull',
    firing: null,
  },
  {
    name: 'calls that end by their own time-out, and of which the next hang as well, are one',
    interval: '15s',
    series: {
      'action_gate_worker_call_deadline_used_ratio{instance="a"}': '0.35 0.85 1x40',
      'action_gate_worker_call_deadline_used_ratio{instance="b"}': '0.01x40',
    },
    at: '4m',
    alert: 'ActionGateCallsHang',
    firing: { summary: 'Calls of actuators take most of the time they are given, or all of it.' },
  },
  {
    name: 'a single call that takes all of its time is none',
    interval: '15s',
    series: { 'action_gate_worker_call_deadline_used_ratio{instance="a"}': '0.01 0.85 1x5 0.01x40' },
    at: '4m',
    alert: 'ActionGateCallsHang',
    firing: null,
  },
  {
    name: 'an API that is ended in turn answers 503 to its probe, which is no error',
    series: {
      'action_gate_request_seconds_count{instance="a",route="/v1/ready",status="503"}': '7+30x20',
      'action_gate_request_seconds_count{instance="a",route="/v1/ready",status="200"}': '0+30x20',
      'action_gate_request_seconds_count{instance="a",route="/v1/actions",status="202"}': '0+30x20',
    },
    at: '15m',
    alert: 'ActionGateErrors',
    firing: null,
  },
  {
    name: 'requests that fail are errors, however often probes succeed',
    series: {
      'action_gate_request_seconds_count{instance="a",route="/v1/ready",status="200"}': '0+9000x20',
      'action_gate_request_seconds_count{instance="a",route="/v1/actions",status="202"}': '0+30x20',
      'action_gate_request_seconds_count{instance="a",route="/v1/actions",status="503"}': '0+30x20',
    },
    at: '15m',
    alert: 'ActionGateErrors',
    firing: { summary: '50% of the requests fail by the fault of the service.' },
  },
]

describe.skipIf(programs === null)('in the course of time', () => {
  it.each(courses)('$name', async course => {
    const directory = await mkdtemp(join(tmpdir(), 'action-gate-rules-'))
    try {
      const file = join(directory, 'course.json')
      await writeFile(file, JSON.stringify(asked(course)))
      expect((await run(promtool, ['test', 'rules', file])).stdout).toContain('SUCCESS')
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
})

/** As `promtool test rules` wants it; JSON is YAML. */
function asked({ interval = '1m', series, at, alert, firing }: Course): object {
  const rule = readAlertRules().find(one => one.alert === alert)
  const expected = firing && {
    exp_labels: { ...rule?.labels, ...firing.labels },
    exp_annotations: { ...rule?.annotations, summary: firing.summary },
  }
  return {
    rule_files: [alertRulesFile],
    tests: [
      {
        interval,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected ? [expected] : [] }],
      },
    ],
  }
}
