import { z } from 'zod'
import { numbersSchema, numberWindowSchema } from '../action/numbers-schema.ts'
import { actionIdSchema, tenantIdSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { freezeStateSchema } from '../configuration/freeze-schema.ts'
import { jobViews, queuedJobSchema, queueSampleSchema, queueSnapshotSchema } from '../service-state-schema.ts'
import { actionEndpoints } from './action-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { listLimitSchema, nextCursorSchema, wholeNumberSchema } from './paging.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const actionParams = z.strictObject({ tenant_id: tenantIdSchema, action_id: actionIdSchema })

/** Rows of the endpoint table for the operator's console (specification.md#web-pages, extensions). */
export const queueEndpoints = {
  read_queue: {
    method: 'GET',
    path: '/v1/queue',
    access: 'admin',
    summary:
      'Jobs by state, failures, calls, workers, doorbell, freezes and audit log of the whole deployment.',
    answers: { 200: { description: 'As it is now.', body: queueSnapshotSchema } },
    errors: [],
  },
  read_queue_history: {
    method: 'GET',
    path: '/v1/queue/history',
    access: 'admin',
    summary: 'Counts of the queue minute by minute, as workers wrote them down.',
    query: z.strictObject({
      minutes: wholeNumberSchema(limits.queue_history_minutes_max)
        .default(60)
        .meta({ description: 'How far back.', override: { default: 60 } }),
    }),
    answers: {
      200: {
        description: 'Oldest first; a minute without a worker has no sample.',
        body: z.strictObject({ samples: z.array(queueSampleSchema) }),
      },
    },
    errors: [],
  },
  list_jobs: {
    method: 'GET',
    path: '/v1/queue/jobs',
    access: 'admin',
    summary:
      'Jobs by view: those that are not done, oldest action first, or those that failed, last ended first.',
    description:
      '`failed` lists what the service ended as `execution_failed`; what an operator recorded as such, or whose content was erased, is not among it.',
    query: z.strictObject({
      view: z.enum(jobViews).describe('Which jobs.'),
      tenant_id: tenantIdSchema.optional().describe('Only of this tenant.'),
      limit: listLimitSchema,
      cursor: actionIdSchema.optional().describe('`next_cursor` of the page before.'),
    }),
    answers: {
      200: {
        description: 'One page.',
        body: z.strictObject({ jobs: z.array(queuedJobSchema), next_cursor: nextCursorSchema }),
      },
    },
    errors: [],
  },
  read_numbers: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/numbers',
    access: 'admin',
    summary: 'Decisions, time to decision, outcomes, top agents and top reasons of a tenant in a window.',
    description:
      'Workers count them from the log of the tenant, by the hour. `behind` tells how many events are not counted yet.',
    params: tenantParams,
    query: z.strictObject({ window: numberWindowSchema }),
    answers: { 200: { description: 'As far as they are counted.', body: numbersSchema } },
    errors: ['tenant_not_found'],
  },
  read_freezes: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/freezes',
    access: 'admin',
    summary: 'What is frozen or paused in a tenant.',
    params: tenantParams,
    answers: { 200: { description: 'As it is now.', body: freezeStateSchema } },
    errors: ['tenant_not_found'],
  },
  list_tenant_actions: {
    ...actionEndpoints.list_actions,
    path: '/v1/tenants/{tenant_id}/actions',
    access: 'admin',
    params: tenantParams,
    errors: ['tenant_not_found'],
  },
  read_tenant_action: {
    ...actionEndpoints.read_action,
    path: '/v1/tenants/{tenant_id}/actions/{action_id}',
    access: 'admin',
    params: actionParams,
  },
  export_tenant_audit: {
    ...actionEndpoints.export_audit,
    path: '/v1/tenants/{tenant_id}/actions/{action_id}/audit-export',
    access: 'admin',
    params: actionParams,
  },
} as const satisfies Record<string, Endpoint>
