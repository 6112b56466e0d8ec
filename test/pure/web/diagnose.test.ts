import { describe, expect, it } from 'vitest'
import { ageMs, diagnose, type FindingCode, type Known } from '../../../api/web/admin/diagnose.ts'
import type { QueuedJob, QueueSample, QueueSnapshot, SeenWorker } from '../../../shared/contract/queue.ts'

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
  oldest_due_at: null,
  oldest_unknown_at: null,
  approvals: { held: 0, oldest_at: null, next_expiry_at: null },
  workers: [worker('wrk_one', 0)],
  doorbell: { waiting: 0, delayed: 0, active: 0, failed: 0 },
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

function lease(target_system: string, seconds: number): QueuedJob {
  return {
    action_id: `act_${'0'.repeat(36)}`,
    tenant_id: 'shop',
    target_system,
    operation: 'refund',
    status: 'executing',
    state: 'leased',
    attempt: 1,
    max_attempts: 5,
    next_run_at: at,
    lease_owner: 'wrk_one',
    lease_expires_at: at,
    lookups: 0,
    needs_operator: false,
    stopped: false,
    last_error: null,
    created_at: ago(seconds),
    updated_at: ago(seconds),
  }
}

function sample(workers: number): QueueSample {
  return { at, due: 0, later: 0, leased: 0, unknown: 0, held: 0, workers }
}

type Changes = Partial<Omit<QueueSnapshot, 'jobs'>> & { jobs?: Partial<QueueSnapshot['jobs']> }

function known(changes: Changes = {}, rest: Partial<Omit<Known, 'snapshot'>> = {}): Known {
  const snapshot = { ...quiet, ...changes, jobs: { ...quiet.jobs, ...changes.jobs } }
  return { snapshot, leased: [], samples: [], ...rest }
}

const codes = (given: Known): FindingCode[] => diagnose(given).findings.map(({ code }) => code)

describe('the verdict on the queue', () => {
  it('is good where nothing waits, and where what waits is being executed', () => {
    expect(diagnose(known())).toEqual({
      weight: 'good',
      headline: 'Nothing is waiting: every job that was due has been executed',
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

describe('an actuator hangs', () => {
  const busy = { jobs: { leased: 3 }, workers: [worker('wrk_one', 3)] }

  it('where every call under way is a long one to the same system', () => {
    const calls = [lease('erp', 16), lease('erp', 40), lease('erp', 90)]
    const hangs = diagnose(known(busy, { leased: calls }))
    expect(hangs).toMatchObject({ weight: 'warn', headline: 'Calls to erp hang' })
    expect(hangs.findings[0]?.why).toContain('more than 16 seconds')
    const late = { ...busy, jobs: { due: 2, overdue: 2, leased: 3 }, oldest_due_at: ago(30) }
    expect(diagnose(known(late, { leased: calls }))).toMatchObject({ weight: 'bad' })
  })

  it('not where a call is fresh, goes elsewhere, is alone, or nobody looked', () => {
    expect(codes(known(busy, { leased: [lease('erp', 40), lease('erp', 2)] }))).toEqual([])
    expect(codes(known(busy, { leased: [lease('erp', 40), lease('crm', 40)] }))).toEqual([])
    expect(codes(known(busy, { leased: [lease('erp', 40)] }))).toEqual([])
    expect(codes(known(busy, { leased: null }))).toEqual([])
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

  it('the audit log, where changes wait long or checkpoints are not signed though there is a key', () => {
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
