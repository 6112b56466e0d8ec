import type { PlannedHeader, PlannedRequest } from '../../contract/action/planned-request.ts'
import { operationOf } from '../../contract/actuator-kind/http-kind.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { HttpSettings } from '../../contract/configuration/http-actuator-schema.ts'
import type { PlannedCall } from '../actuator.ts'
import type { ShowLiteral } from '../recorded-text.ts'
import { type Content, encodeBody } from './encode-body.ts'
import { bodyOf, headersOf, headerText, keyHeaderOf, type Template, urlOf } from './fill-template.ts'
import type { Filling } from './render-template.ts'

/** Placeholders that a plan leaves unfilled, because their values differ in every attempt. */
const ofAttempt = { not_after: '{not_after}', callback_url: '{callback_url}' }

export function planHttp(settings: HttpSettings, call: PlannedCall, show: ShowLiteral): PlannedRequest {
  const template = operationOf(settings, call.operation)
  if (!template) {
    const message = `no request is registered for ${call.operation}`
    return { kind: 'none', code: 'operation_not_registered', message }
  }
  const filling = { ...call, ...ofAttempt }
  const body = bodyOf(template, filling)
  const renewed = templatesOf(settings, template).filter(text =>
    Object.values(ofAttempt).some(own => text.includes(own)),
  )
  const query = (name: string, text: string): string | null => show(name, text)?.hidden ?? null
  return {
    kind: 'http',
    method: template.method,
    url: urlOf(settings.base_url, template, filling, query).href,
    headers: plannedHeaders(settings, template, { filling, show }),
    auth: settings.auth ?? null,
    ...(body === undefined ? {} : { body, ...encodingOf(template, body) }),
    ...(renewed.length === 0 ? {} : { each_attempt: renewed }),
  }
}

/** Throws if a body other than JSON cannot be encoded, so that the plan says that nothing is sent. */
function encodingOf({ content, arrays }: Template, body: JsonValue): { content?: Content } {
  if (content === undefined || content === 'json') return {}
  encodeBody(body, { content, arrays })
  return { content }
}

/** Leaves out the headers that the service itself sets for each attempt, even if the registration states them. */
function plannedHeaders(
  settings: HttpSettings,
  template: Template,
  { filling, show }: { filling: Filling; show: ShowLiteral },
): Record<string, PlannedHeader> {
  const rendered = headerText(filling)
  const headers = headersOf<PlannedHeader>(settings, template, {
    text: (name, text) => show(name, text) ?? rendered(name, text),
    secret: reference => ({ ...reference }),
  })
  const own = new Set([keyHeaderOf(settings), settings.not_after_header?.toLowerCase()])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))
}

/** Returns the texts of templates before filling, because a filled-in value could look like a placeholder. */
function templatesOf({ headers }: HttpSettings, template: Template): string[] {
  const { path, query = {}, body = null } = template
  return [path, query, { ...headers, ...template.headers }, body].flatMap(textsIn)
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}
