import { z } from 'zod'
import {
  erasureRequestSchema,
  erasureResponseSchema,
  resolutionRequestSchema,
  resolutionResponseSchema,
} from '../action/action.ts'
import { actionIdSchema, tenantIdSchema } from '../base/identifier.ts'
import { actuatorListSchema, replacedActuatorsSchema } from '../configuration/actuator-schema.ts'
import { freezeRequestSchema, freezeStateSchema, pauseRequestSchema } from '../configuration/freeze-schema.ts'
import type { Endpoint } from './endpoint.ts'

const tenantParams = z.strictObject({ tenant_id: tenantIdSchema })
const frozenNow = { 200: { description: 'What is frozen or paused now.', body: freezeStateSchema } } as const

const stopsAfterAnswer =
  'After the answer no matching job is claimed. A call that was claimed before goes on. A 503 that says so means that it ' +
  'is in force while a claim from before has not ended: send it again.'

/** Rows of the endpoint table for actuators and freezes (specification.md#actuators, extensions). */
export const operatorEndpoints = {
  read_actuators: {
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/actuators',
    access: 'admin',
    summary: 'Actuators registered for a tenant.',
    params: tenantParams,
    answers: { 200: { description: 'Every actuator, by name.', body: actuatorListSchema } },
    errors: ['tenant_not_found'],
  },
  replace_actuators: {
    method: 'PUT',
    path: '/v1/tenants/{tenant_id}/actuators',
    access: 'admin',
    summary: 'Replace the registered actuators, for the next proposal and the next execution.',
    description:
      'After the answer no job is claimed with the registrations of before; a call claimed before it goes on.',
    params: tenantParams,
    body: actuatorListSchema,
    answers: {
      200: { description: 'Every actuator, by name, and what workers lack.', body: replacedActuatorsSchema },
    },
    errors: ['tenant_not_found'],
  },
  freeze: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/freeze',
    access: 'admin',
    summary: 'Freeze a tenant, a system, an operation, a key, or what they have in common.',
    description:
      'Matching proposals are denied with `frozen`, approvals refused with 409 `frozen`, and queued jobs stay queued. ' +
      stopsAfterAnswer,
    params: tenantParams,
    body: freezeRequestSchema,
    answers: frozenNow,
    errors: ['tenant_not_found', 'too_many_freezes'],
  },
  unfreeze: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/unfreeze',
    access: 'admin',
    summary: 'Lift the freezes with exactly this selector; what was queued meanwhile runs.',
    params: tenantParams,
    body: freezeRequestSchema,
    answers: frozenNow,
    errors: ['tenant_not_found', 'freeze_not_found'],
  },
  pause: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/pause',
    access: 'admin',
    summary: 'Let queued jobs of the tenant, or of one actuator, wait; decisions and approvals go on.',
    description: stopsAfterAnswer,
    params: tenantParams,
    body: pauseRequestSchema,
    answers: frozenNow,
    errors: ['tenant_not_found', 'too_many_freezes'],
  },
  resume: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/resume',
    access: 'admin',
    summary: 'Lift a pause with exactly this selector; what was queued meanwhile runs.',
    params: tenantParams,
    body: pauseRequestSchema,
    answers: frozenNow,
    errors: ['tenant_not_found', 'freeze_not_found'],
  },
  resolve_action: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/actions/{action_id}/resolve',
    access: 'admin',
    summary: 'Record what became of an action whose outcome is unknown.',
    description:
      'Say `execution_failed` only when the action cannot happen any more: after the credential of the actuator was ' +
      'disabled, or the downstream refuses what arrives so late.',
    params: z.strictObject({ tenant_id: tenantIdSchema, action_id: actionIdSchema }),
    body: resolutionRequestSchema,
    answers: { 200: { description: 'Settled.', body: resolutionResponseSchema } },
    errors: ['action_not_found', 'action_not_resolvable', 'conflicting_evidence'],
  },
  erase_action: {
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/actions/{action_id}/erase',
    access: 'admin',
    summary: 'Erase the content of an action that is at its end (extension).',
    description:
      'What was proposed, decided and answered is removed for good, with the salts that its hashes need; every event, ' +
      'root and proof stands. The export goes on to be verifiable, and says what was erased.',
    params: z.strictObject({ tenant_id: tenantIdSchema, action_id: actionIdSchema }),
    body: erasureRequestSchema,
    answers: { 200: { description: 'Erased.', body: erasureResponseSchema } },
    errors: ['action_not_found', 'action_not_erasable'],
  },
} as const satisfies Record<string, Endpoint>
