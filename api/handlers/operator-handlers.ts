import type { operatorEndpoints } from '../../shared/contract/endpoints/operator-endpoints.ts'
import { eraseAction, resolveAction } from '../../shared/flow/action/operate-on-action.ts'
import { freeze, pause, resume, unfreeze } from '../../shared/flow/execution/freezes.ts'
import { readActuators, replaceActuators } from '../../shared/flow/tenant/actuators.ts'
import type { Handlers } from './handler.ts'

export const operatorHandlers: Handlers<
  typeof operatorEndpoints,
  'pause' | 'resume' | 'freeze' | 'unfreeze'
> = {
  async read_actuators(context, { params }) {
    return { status: 200, body: await readActuators(context, params.tenant_id) }
  },
  async replace_actuators(context, { params, body, principal: author }) {
    const { actuators } = body
    return { status: 200, body: await replaceActuators(context, { ...params, actuators, author }) }
  },
  async freeze(context, { params, body: request, principal: author }) {
    return { status: 200, body: await freeze(context, { ...params, request, author }) }
  },
  async unfreeze(context, { params, body: request, principal: author }) {
    return { status: 200, body: await unfreeze(context, { ...params, request, author }) }
  },
  async pause(context, { params, body: request, principal: author }) {
    return { status: 200, body: await pause(context, { ...params, request, author }) }
  },
  async resume(context, { params, body: request, principal: author }) {
    return { status: 200, body: await resume(context, { ...params, request, author }) }
  },
  async resolve_action(context, { params, body: request, principal: operator }) {
    return { status: 200, body: await resolveAction(context, { ...params, request, operator }) }
  },
  async erase_action(context, { params, body: request, principal: admin }) {
    return { status: 200, body: await eraseAction(context, { ...params, request, admin }) }
  },
}
