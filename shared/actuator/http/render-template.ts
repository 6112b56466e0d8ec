import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Invocation } from '../actuator.ts'

/** A template has no place for what a proposal holds: nothing is sent. */
export class CannotRender extends Error {
  readonly code = 'request_not_renderable'
}

const placeholder = /\{([^{}]+)\}/g
const onePlaceholder = /^\{([^{}]+)\}$/

/** A text with its placeholders replaced; `escaped` is applied to what is put in. */
export function renderText(
  template: string,
  invocation: Invocation,
  escaped: (text: string) => string = text => text,
): string {
  return template.replace(placeholder, (_, name: string) => escaped(scalarAt(name, invocation)))
}

/** The path of a URL. What is put in never changes which segments there are. */
export function renderPath(template: string, invocation: Invocation): string {
  const path = renderText(template, invocation, escapeSegment)
  const climbs = path.split('/').some(segment => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (climbs) throw new CannotRender(`the path ${path.slice(0, 200)} has a segment that climbs`)
  return path
}

/** A header value: what it may not hold is refused, not removed. */
export function renderHeader(name: string, template: string, invocation: Invocation): string {
  const value = renderText(template, invocation)
  if (!/^[\t -~]*$/.test(value)) throw new CannotRender(`header ${name} would hold more than printable ASCII`)
  return value
}

/** A JSON body. A text that is one placeholder becomes the value; a member or item without a value is left out. */
export function renderBody(template: JsonValue, invocation: Invocation): JsonValue | undefined {
  if (typeof template === 'string') {
    const [, name] = onePlaceholder.exec(template) ?? []
    return name === undefined ? renderText(template, invocation) : valueAt(name, invocation)
  }
  if (Array.isArray(template)) return template.flatMap(item => renderBody(item, invocation) ?? [])
  if (typeof template !== 'object' || template === null) return template
  const members = Object.entries(template).flatMap(([name, inner]) => {
    const value = renderBody(inner, invocation)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}

function escapeSegment(text: string): string {
  if (text === '') throw new CannotRender('an empty value in the path')
  return encodeURIComponent(text)
}

function scalarAt(name: string, invocation: Invocation): string {
  const value = valueAt(name, invocation)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const found = value === undefined ? 'is missing' : 'is not a text, a number or a truth value'
  throw new CannotRender(`{${name}} ${found}`)
}

/** Own members of plain objects only, as in the gate (contract section 5). */
function valueAt(name: string, invocation: Invocation): JsonValue | undefined {
  const [root = '', ...path] = name.split('.')
  if (root !== 'parameters') return invocation[root as keyof typeof fixed] satisfies string
  let value: JsonValue | undefined = invocation.parameters
  for (const member of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, member) ? (value as JsonObject)[member] : undefined
  }
  return value
}

const fixed = {
  idempotency_key: true,
  action_id: true,
  tenant_id: true,
  operation: true,
  not_after: true,
} satisfies Partial<Record<keyof Invocation, true>>
