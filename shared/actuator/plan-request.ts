import type { PlannedRequest } from '../contract/action/planned-request.ts'
import type { JsonValue } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { HttpSettings } from '../contract/configuration/http-actuator-schema.ts'
import type { McpSettings } from '../contract/configuration/mcp-actuator-schema.ts'
import type { PlannedCall } from './actuator.ts'
import { planHttp } from './http/plan-http.ts'
import { CannotRender } from './http/render-template.ts'
import { planTool } from './mcp/tool-request.ts'
import { hidingCredentials, reasonOf } from './recorded-text.ts'

export interface Registration {
  name: string
  kind: string
  settings: unknown
}

/**
 * Plans the request that a registration would send for an action. This pure function runs when the action is
 * held and again at every claim. It never throws: a request that cannot be rendered gives a plan that says
 * so, and nothing is sent.
 */
export function planRequest(registration: Registration, call: PlannedCall): PlannedRequest {
  try {
    const planned = plan(registration, call)
    return isWithin(planned as JsonValue, limits.planned_request_length_max)
      ? planned
      : none('request_too_large', `the request has more than ${limits.planned_request_length_max} characters`)
  } catch (error) {
    return none('request_not_renderable', error instanceof CannotRender ? error.message : reasonOf(error))
  }
}

function plan({ name, kind, settings }: Registration, call: PlannedCall): PlannedRequest {
  const show = hidingCredentials(call.idempotency_key)
  if (kind === 'http') return planHttp(settings as HttpSettings, call, show)
  if (kind === 'mcp') return planTool(settings as McpSettings, call, show)
  const { operation } = call
  return kind === 'mock' ? { kind, operation } : { kind: 'module', name, operation }
}

function none(code: string, message: string): PlannedRequest {
  return { kind: 'none', code, message }
}

/** Measures the request value by value, so that a template that repeats a large value is never written out. */
function isWithin(request: JsonValue, lengthMax: number): boolean {
  let left = lengthMax
  const fits = (value: JsonValue): boolean => {
    left -= typeof value === 'string' ? value.length : 1
    if (left < 0) return false
    if (typeof value !== 'object' || value === null) return true
    return Object.entries(value).every(([name, inner]) => {
      left -= name.length
      return fits(inner)
    })
  }
  return fits(request)
}
