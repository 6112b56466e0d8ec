import { describe, expect, it } from 'vitest'
import { ageMs, diagnose, type FindingCode, type Known } from '../../../api/web/admin/queue/diagnose.ts'
import type {
  QueueCalls,
  QueueFailures,
  QueueSample,
  QueueSnapshot,
  SeenWorker,
} from '../../../shared/contract/service-state-schema.ts'

const at = '2026-11-21T13:00:00.000Z'
const ago = (seconds: number): string => new Date(Date.parse(at) - seconds * 1_000).toISOString()

const quiet: QueueSnapshot = {
  at,
  jobs: {
    due: 0,
    overdue: 0,
    later: 0,
    leased: 0,
    lease_expired: 0,
    unknown: 0,
    needs_operator: 0,
    stopped: 0,
  },
  overdue_ms: 10_000,
  failures: [],
  denials: [],
  retries: [],
  calls: [],
  oldest_due_at: null,
  oldest_unknown_at: null,
  approvals: { held: 0, oldest_at: null, next_expiry_at: null },
  workers: [worker('wrk_one', 0)],
  doorbell: { waiting: 0, delayed: 0, active: 0, failed: 0 },
  contradicted: { count: 0, latest: [] },
  audit_log: {
    waiting: 0,
    oldest_waiting_at: null,
    unsigned_logs: 0,
    last_signed_at: ago(5),
    signing_keys: 1,
  },
  freezes: [],
}

function worker(worker_id: string, leases: number, alive = true): SeenWorker {
  return { worker_id, started_at: ago(3_600), seen_at: ago(alive ? 1 : 300), alive, leases }
}

/** Calls to a system, each of which may take a minute. */
function calls(target_system: string, count: number, seconds: number): QueueCalls {
  return { target_system, count, deadline_used: seconds / 60, oldest_ms: (seconds + 1) * 1_000 }
}

function failures(code: string, last_5_minutes: number, last_hour: number): QueueFailures {
  return { target_system: 'crm', code, last_5_minutes, last_hour, latest_at: ago(9) }
}

function sample(workers: number): QueueSample {
  return { at, due: 0, later: 0, leased: 0, unknown: 0, held: 0, workers }
}

type Changes = Partial<Omit<QueueSnapshot, 'jobs'>> & { jobs?: Partial<QueueSnapshot['jobs']> }

function known(changes: Changes = {}, rest: Partial<Omit<Known, 'snapshot'>> = {}): Known {
  const snapshot = { ...quiet, ...changes, jobs: { ...quiet.jobs, ...changes.jobs } }
  return { snapshot, samples: [], ...rest }
}

const codes = (given: Known): FindingCode[] => diagnose(given).findings.map(({ code }) => code)

describe('the verdict on the queue', () => {
  it('is good where nothing waits, and where what waits is being executed', () => {
    expect(diagnose(known())).toEqual({
      weight: 'good',
      headline: 'Nothing is waiting to be executed',
      findings: [],
    })
    const busy = known({ jobs: { due: 3, leased: 2 }, oldest_due_at: ago(1) })
    expect(diagnose(busy)).toMatchObject({ weight: 'good', headline: 'Actions are executing', findings: [] })
  })

  it('stays good where there is only something to know', () => {
    const waits = known({
      jobs: { later: 2, unknown: 1 },
      approvals: { held: 1, oldest_at: ago(7_200), next_expiry_at: null },
    })
    expect(diagnose(waits).weight).toBe('good')
    expect(codes(waits)).toEqual(['looked_up', 'retries_wait', 'people_wait'])
    expect(diagnose(waits).findings[2]?.why).toContain('2 hours')
  })

  it('puts the heaviest finding first and makes it the headline', () => {
    const much = known({
      jobs: { due: 4, later: 1, needs_operator: 2 },
      workers: [worker('wrk_gone', 0, false)],
      doorbell: null,
      oldest_due_at: ago(60),
    })
    expect(codes(much)).toEqual(['no_worker', 'doorbell_down', 'needs_operator', 'retries_wait'])
    expect(diagnose(much)).toMatchObject({
      weight: 'bad',
      headline: 'No worker is alive, so nothing executes',
    })
  })

  it('says of every finding what to do next', () => {
    const { findings } = diagnose(
      known({
        jobs: { due: 9, overdue: 9, later: 1, stopped: 1, unknown: 1, needs_operator: 1, lease_expired: 1 },
        oldest_due_at: ago(90),
        doorbell: null,
        approvals: { held: 1, oldest_at: ago(9), next_expiry_at: null },
        audit_log: { ...quiet.audit_log, waiting: 5, oldest_waiting_at: ago(300) },
      }),
    )
    expect(findings).toHaveLength(9)
    for (const finding of findings)
      for (const text of [finding.title, finding.why, finding.next]) expect(text).toMatch(/^\S.{8,}/)
  })
})

it('an action that failed and was executed needs a person, who is told which', () => {
  const latest = [{ tenant_id: 'shop', action_id: `act_${'1'.repeat(36)}`, received_at: ago(60) }]
  const diagnosis = diagnose(known({ contradicted: { count: 1, latest } }))
  expect(diagnosis).toMatchObject({
    weight: 'person',
    headline: '1 action recorded as failed was executed after all',
  })
  expect(diagnosis.findings[0]?.why).toContain(`act_${'1'.repeat(36)} of shop`)
})

it('jobs that wait for a secret need a person, who is told of which system and why', () => {
  const wait = (code: string, count: number) => ({ target_system: 'crm', code, count })
  const given = known({
    jobs: { later: 3 },
    retries: [wait('secret_unconfirmed', 2), wait('secret_missing', 1)],
  })
  const [finding] = diagnose(given).findings
  expect(finding).toMatchObject({ code: 'secrets_lack', weight: 'person', title: '3 jobs wait for a secret' })
  expect(finding?.why).toContain('crm: it is bound to other addresses (2), crm: it is missing (1)')
  expect(codes(known({ jobs: { later: 1 }, retries: [wait('secret_not_read', 1)] }))).toEqual([
    'retries_wait',
  ])
})

describe('workers', () => {
  it('none is alive: nothing executes, whether or not something waits', () => {
    expect(codes(known({ workers: [] }))).toEqual(['no_worker'])
    const waits = diagnose(known({ workers: [], jobs: { due: 1 } }))
    expect(waits.findings[0]?.why).toBe('1 job waits in Postgres. Nothing is lost.')
  })

  it('fewer than within the last hour is told, and is an alarm where jobs are overdue', () => {
    const samples = [sample(1), sample(3), sample(2)]
    const late = { jobs: { due: 5, overdue: 5 }, oldest_due_at: ago(60), workers: [worker('wrk_one', 5)] }
    expect(diagnose(known({}, { samples }))).toMatchObject({ weight: 'good' })
    expect(codes(known({}, { samples }))).toEqual(['fewer_workers'])
    const found = diagnose(known(late, { samples })).findings.find(({ code }) => code === 'fewer_workers')
    expect(found).toMatchObject({
      weight: 'warn',
      title: '1 worker alive; there were 3 within the last hour',
    })
    expect(codes(known({}, { samples: [sample(1)] }))).toEqual([])
  })

  it('all busy and jobs overdue: the fleet is too small', () => {
    const jobs = { due: 40, overdue: 12, leased: 100 }
    const busy = known({
      jobs,
      oldest_due_at: ago(180),
      workers: [worker('wrk_one', 50), worker('wrk_two', 50), worker('wrk_gone', 0, false)],
    })
    expect(codes(busy)).toEqual(['fleet_too_small'])
    expect(diagnose(busy).headline).toBe('Workers are busy and the oldest due job waits for 3 minutes')
    expect(codes(known({ jobs: { ...jobs, overdue: 0 }, oldest_due_at: ago(3) }))).toEqual([])
  })

  it('idle and jobs overdue: a bound is met, or the worker is ill', () => {
    const idle = known({ jobs: { due: 3, overdue: 3 }, oldest_due_at: ago(30) })
    expect(codes(idle)).toEqual(['nothing_taken'])
  })
})

describe('freezes and pauses', () => {
  const stopped = { due: 5, overdue: 5, stopped: 5 }

  it('that hold everything which is due are why nothing executes', () => {
    const all = known({ jobs: stopped, oldest_due_at: ago(600) })
    expect(codes(all)).toEqual(['all_stopped'])
    expect(diagnose(all).weight).toBe('bad')
    expect(diagnose(known({ jobs: { ...stopped, leased: 1 } })).weight).toBe('warn')
  })

  it('that hold a part of it are no reason for the rest to be late', () => {
    expect(codes(known({ jobs: { ...stopped, due: 6 }, oldest_due_at: ago(600) }))).toEqual(['some_stopped'])
    expect(codes(known({ jobs: { ...stopped, due: 9, overdue: 9 }, oldest_due_at: ago(600) }))).toEqual([
      'nothing_taken',
      'some_stopped',
    ])
  })
})

describe('what failed', () => {
  it('in the last 5 minutes is the headline, by system and error, though nothing waits', () => {
    const all = diagnose(known({ failures: [failures('http_500', 15, 15)] }))
    expect(all).toMatchObject({ weight: 'warn', headline: '15 actions failed in the last 5 minutes' })
    expect(all.findings[0]?.why).toContain('crm: http_500 (15)')
  })

  it('in the hour is never called good', () => {
    const earlier = diagnose(known({ failures: [failures('http_500', 0, 2), failures('refused', 0, 1)] }))
    expect(earlier).toMatchObject({
      weight: 'info',
      headline: 'Nothing is waiting to be executed; 3 actions failed in the last hour',
      findings: [{ code: 'actions_fail', weight: 'info' }],
    })
    const many = diagnose(known({ failures: [failures('http_500', 0, 1_000)] }))
    expect(many.findings[0]?.why).toContain('In the last hour 1000 or more')
  })

  it('and is tried again is a warning where it is many jobs', () => {
    const waits = (count: number) =>
      diagnose(known({ jobs: { later: count }, retries: [{ target_system: 'crm', code: 'connect', count }] }))
    expect(waits(4)).toMatchObject({ weight: 'good', findings: [{ code: 'retries_wait' }] })
    expect(waits(5)).toMatchObject({ weight: 'warn', headline: '5 jobs wait for the next try' })
    expect(waits(5).findings[0]?.why).toContain('crm: connect (5)')
  })
})

describe('an actuator hangs', () => {
  const busy = { jobs: { leased: 25 }, workers: [worker('wrk_one', 25)] }

  it('is told before its calls end, by how much of their time they have used', () => {
    const hangs = diagnose(known({ ...busy, calls: [calls('erp', 25, 21), calls('crm', 2, 15)] }))
    expect(hangs).toMatchObject({ weight: 'warn', headline: '25 calls to erp at 35 % of their time' })
    expect(hangs.findings[0]?.why).toContain('has run for 22 seconds')
    expect(hangs.findings[0]?.why).toContain('2 calls to crm at 25 % of their time')
    const late = { ...busy, jobs: { due: 2, overdue: 2, leased: 25 }, oldest_due_at: ago(30) }
    expect(diagnose(known({ ...late, calls: [calls('erp', 25, 21)] }))).toMatchObject({ weight: 'bad' })
  })

  it('not where calls are fresh, and one alone only from half of its time on', () => {
    expect(codes(known({ ...busy, calls: [calls('erp', 25, 14)] }))).toEqual([])
    expect(codes(known({ ...busy, calls: [calls('erp', 1, 29)] }))).toEqual([])
    const alone = diagnose(known({ ...busy, calls: [calls('erp', 1, 30)] }))
    expect(alone.headline).toBe('1 call to erp at 50 % of its time')
  })
})

describe('what slows down, and what needs a person', () => {
  it('the doorbell: slower, not lost', () => {
    expect(diagnose(known({ doorbell: null })).headline).toBe(
      'The doorbell (Redis) does not answer: slower, not lost',
    )
  })

  it('leases that ran out', () => {
    expect(diagnose(known({ jobs: { leased: 2, lease_expired: 2 } })).headline).toBe('2 leases ran out')
  })

  it('the audit log, where changes wait long or checkpoints lack a signature', () => {
    const log = quiet.audit_log
    const waits = { ...log, waiting: 3, oldest_waiting_at: ago(120) }
    expect(diagnose(known({ audit_log: waits })).headline).toBe('The audit log lags by 2 minutes')
    expect(codes(known({ audit_log: { ...waits, oldest_waiting_at: ago(2) } }))).toEqual([])
    const unsigned = { ...log, unsigned_logs: 1, last_signed_at: ago(900) }
    expect(diagnose(known({ audit_log: unsigned })).headline).toBe('Checkpoints are not being signed')
    expect(codes(known({ audit_log: { ...unsigned, signing_keys: 0 } }))).toEqual([])
  })

  it('unknown outcomes that are left to a person', () => {
    const left = diagnose(known({ jobs: { needs_operator: 1 } }))
    expect(left).toMatchObject({ weight: 'person', headline: '1 unknown outcome needs a person' })
  })
})

describe('an age', () => {
  it('is that by the clock of the database, and never negative', () => {
    expect(ageMs(quiet, ago(90))).toBe(90_000)
    expect(ageMs(quiet, ago(-5))).toBe(0)
    expect(ageMs(quiet, null)).toBe(0)
  })
})
