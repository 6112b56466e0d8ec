import { z } from 'zod'
import { actionStatusSchema } from './action/action-status.ts'
import { actionIdSchema, identifierSchema, tenantIdSchema, timestampSchema } from './base/identifier.ts'
import { limits } from './base/limits.ts'
import { freezeSchema } from './configuration/freeze-schema.ts'

/** The answer of /health, which depends on no other service (specification.md#endpoints). */
export const healthSchema = z
  .strictObject({ status: z.literal('ok'), version: z.string().meta({ examples: ['0.1.0'] }) })
  .meta({ id: 'Health', title: 'Health', description: 'The process answers.' })

const reachableSchema = z.enum(['ok', 'down'])

/** The answer of /v1/ready (specification.md#endpoints). */
export const readinessSchema = z
  .strictObject({
    status: z
      .enum(['ready', 'degraded', 'draining', 'unavailable'])
      .describe(
        '`degraded`: the queue is out, accepting still works. `draining`: this process ends; send no more to it.',
      ),
    checks: z.strictObject({ database: reachableSchema, queue: reachableSchema }),
  })
  .meta({
    id: 'Readiness',
    title: 'Readiness',
    description: 'What the service needs and whether it is there.',
  })
export type Readiness = z.infer<typeof readinessSchema>

/** A count that stops at `limits.queue_count_max`, so that a snapshot of a long queue does not cost more. */
const countSchema = z
  .int()
  .min(0)
  .max(limits.queue_count_max)
  .describe(`How many; ${limits.queue_count_max} stands for that many or more.`)

const oldestSchema = timestampSchema.nullable().describe('Of the oldest; null where there is none.')

const seenWorkerSchema = z
  .strictObject({
    worker_id: z.string(),
    started_at: timestampSchema,
    seen_at: timestampSchema,
    alive: z.boolean().describe('Whether it was seen within the time in which a living worker reports.'),
    leases: countSchema.describe('Jobs it holds a lease on now.'),
  })
  .meta({ id: 'SeenWorker', description: 'A worker that runs or ran not long ago.' })
export type SeenWorker = z.infer<typeof seenWorkerSchema>

const codeSchema = z.string().describe('Code of the error.')

const failureSchema = z
  .strictObject({
    target_system: identifierSchema,
    code: codeSchema,
    last_5_minutes: countSchema,
    last_hour: countSchema,
    latest_at: timestampSchema,
  })
  .meta({
    id: 'QueueFailures',
    description: 'Actions that the service ended as `execution_failed`, of one system with one code.',
  })
export type QueueFailures = z.infer<typeof failureSchema>

const denialsSchema = z
  .strictObject({
    tenant_id: tenantIdSchema,
    key_id: z.string(),
    agent_id: z.string().nullable().describe('As the latest proposal says; null where it was erased.'),
    target_system: identifierSchema,
    operation: identifierSchema,
    code: z.string().describe('Code of the first blocking reason.'),
    count: z.int().min(limits.denials_in_a_row_min).max(100).describe('100 stands for 100 and more.'),
    since: timestampSchema.describe('When the first of them was proposed.'),
    latest_at: timestampSchema,
    latest_action_id: actionIdSchema,
  })
  .meta({
    id: 'QueueDenials',
    description:
      'Actions of one key and one operation that the gate denied one after another for the same reason.',
  })
export type QueueDenials = z.infer<typeof denialsSchema>

const retriesSchema = z
  .strictObject({ target_system: identifierSchema, code: codeSchema, count: countSchema })
  .meta({
    id: 'QueueRetries',
    description: 'Jobs that wait for their next try after the same error of one system.',
  })

const callsSchema = z
  .strictObject({
    target_system: identifierSchema,
    count: countSchema,
    deadline_used: z
      .number()
      .min(0)
      .describe(
        'Which part of its time half of them, at least, have used: of the `timeout_ms` of their actuator, at most `SERVICE_EXECUTION_MS_MAX`.',
      ),
    oldest_ms: z.int().min(0),
  })
  .meta({ id: 'QueueCalls', description: 'Calls to one system that are under way.' })
export type QueueCalls = z.infer<typeof callsSchema>

/**
 * The queue in the operator's console (specification.md#web-pages). The jobs come from Postgres, which is
 * authoritative; the wake-ups are shown beside them.
 */
export const queueSnapshotSchema = z
  .strictObject({
    at: timestampSchema.describe("The database's clock."),
    jobs: z.strictObject({
      due: countSchema.describe('Pending and due now.'),
      overdue: countSchema.describe('Due for longer than `overdue_ms`.'),
      later: countSchema.describe('Pending, and due only later: retries that wait.'),
      leased: countSchema,
      lease_expired: countSchema.describe('Leased, and the lease has run out: a sweep takes them over.'),
      unknown: countSchema.describe('Outcome unknown, and still looked into by the service.'),
      needs_operator: countSchema.describe('Outcome unknown, and left to an operator.'),
      stopped: countSchema.describe('Due, and kept back by a freeze or a pause.'),
    }),
    overdue_ms: z.int().min(1),
    oldest_due_at: oldestSchema,
    oldest_unknown_at: oldestSchema,
    failures: z
      .array(failureSchema)
      .max(50)
      .describe(
        `Of the latest ${limits.queue_looked_max} failures of the last hour, the most frequent first, at most 50.`,
      ),
    retries: z
      .array(retriesSchema)
      .max(50)
      .describe(
        `Of at most ${limits.queue_looked_max} jobs that wait after an error, the most frequent first, at most 50.`,
      ),
    denials: z
      .array(denialsSchema)
      .max(50)
      .describe(
        `Of the latest ${limits.queue_recent_max} actions, the longest row first, at most 50: agents that run against a wall.`,
      ),
    calls: z
      .array(callsSchema)
      .max(50)
      .describe(
        `Of at most ${limits.queue_looked_max} calls whose lease runs, those that used most of their time first, at most 50.`,
      ),
    approvals: z.strictObject({ held: countSchema, oldest_at: oldestSchema, next_expiry_at: oldestSchema }),
    workers: z.array(seenWorkerSchema).describe('Last seen first, at most 200.'),
    doorbell: z
      .strictObject({
        waiting: z.int().min(0),
        delayed: z.int().min(0),
        active: z.int().min(0),
        failed: z.int().min(0),
      })
      .nullable()
      .describe(
        'Wake-ups in BullMQ; null where the queue does not answer. A lost one costs a sweep interval.',
      ),
    audit_log: z.strictObject({
      waiting: countSchema.describe('Changes that wait for their place in a log.'),
      oldest_waiting_at: oldestSchema,
      unsigned_logs: countSchema.describe('Logs that have grown since their last signed checkpoint.'),
      last_signed_at: timestampSchema
        .nullable()
        .describe('When the last checkpoint was signed; null: none was.'),
      signing_keys: z.int().min(0).describe('Active signing keys.'),
    }),
    contradicted: z
      .strictObject({
        count: countSchema,
        latest: z
          .array(
            z.strictObject({
              tenant_id: tenantIdSchema,
              action_id: actionIdSchema,
              received_at: timestampSchema,
            }),
          )
          .describe('Newest first, at most 10.'),
      })
      .describe(
        'Actions recorded as failed of which a result that came late, in the last 7 days, says that they were executed.',
      ),
    freezes: z
      .array(z.strictObject({ tenant_id: tenantIdSchema, ...freezeSchema.shape }))
      .describe('What is frozen or paused in any tenant, newest first, at most 200.'),
  })
  .meta({
    id: 'QueueSnapshot',
    title: 'Queue snapshot',
    description: 'Why actions are or are not executing: jobs, workers, doorbell, freezes and the audit log.',
  })
export type QueueSnapshot = z.infer<typeof queueSnapshotSchema>

export const queueSampleSchema = z
  .strictObject({
    at: timestampSchema,
    due: z.int().min(0),
    later: z.int().min(0),
    leased: z.int().min(0),
    unknown: z.int().min(0),
    held: z.int().min(0),
    workers: z.int().min(0),
  })
  .meta({ id: 'QueueSample', title: 'Queue sample', description: 'Counts of the queue in one minute.' })
export type QueueSample = z.infer<typeof queueSampleSchema>

export const jobViews = ['due', 'later', 'leased', 'unknown', 'needs_operator', 'stopped', 'failed'] as const

export const queuedJobSchema = z
  .strictObject({
    action_id: actionIdSchema,
    tenant_id: tenantIdSchema,
    target_system: identifierSchema,
    operation: identifierSchema,
    status: actionStatusSchema,
    state: z.enum(['pending', 'leased', 'unknown', 'done']),
    attempt: z.int().min(0),
    max_attempts: z.int().min(1),
    next_run_at: timestampSchema.describe(
      'Of a pending job its next try, of an unknown one its next look-up, of one that is done its end.',
    ),
    lease_owner: z.string().nullable(),
    lease_expires_at: timestampSchema.nullable(),
    lookups: z.int().min(0).describe('Rounds of looking up that were made.'),
    needs_operator: z.boolean(),
    stopped: z.boolean().describe('Whether a freeze or a pause keeps it back.'),
    last_error: z.string().nullable(),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({
    id: 'QueuedJob',
    title: 'Queued job',
    description: 'An execution job that is not done, or failed.',
  })
export type QueuedJob = z.infer<typeof queuedJobSchema>
