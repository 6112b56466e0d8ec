import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { Invocation } from '../actuator.ts'

export type Filling = Pick<Invocation, 'parameters' | keyof typeof fixed>

/** The error thrown if a template cannot hold a proposal's value, so that nothing is sent. */
export class CannotRender extends Error {
  readonly code = 'request_not_renderable'
}

/** The most characters of a rendered text, because a template may repeat one long value many times. */
const textLengthMax = 1_048_576
const placeholder = /\{\{|\}\}|\{([^{}]+)\}/g
const onePlaceholder = /^\{([^{}]+)\}$/

/** Replaces placeholders and unescapes doubled braces. `escaped` is applied to each inserted value. */
export function renderText(
  template: string,
  filling: Filling,
  escaped: (text: string) => string = text => text,
): string {
  let length = template.length
  return template.replace(placeholder, (brace, name: string | undefined) => {
    if (name === undefined) return brace.slice(1)
    const text = escaped(scalarAt(name, filling))
    length += text.length
    if (length > textLengthMax) throw new CannotRender(`a text of more than ${textLengthMax} characters`)
    return text
  })
}

/** Renders a URL path. An inserted value cannot add or remove a segment; `.` and `..` are refused. */
export function renderPath(template: string, filling: Filling): string {
  const path = renderText(template, filling, escapeSegment)
  const climbs = path.split('/').some(segment => /^(?:\.|%2e){1,2}$/i.test(segment))
  if (climbs) throw new CannotRender(`the path ${path.slice(0, 200)} has a segment that climbs`)
  return path
}

/** Returns a header value, or null if an optional value is missing. Throws unless the text is printable ASCII. */
export function renderHeader(name: string, template: string, filling: Filling): string | null {
  if (isLeftOut(template, filling)) return null
  const value = renderText(template, filling)
  if (!/^[\t -~]*$/.test(value)) throw new CannotRender(`header ${name} would hold more than printable ASCII`)
  return value
}

export type ArrayStyle = 'repeat' | 'brackets' | 'comma'
export type Pair = readonly [name: string, text: string]

export function renderQuery(
  name: string,
  template: string | readonly string[],
  { filling, arrays }: { filling: Filling; arrays: ArrayStyle },
): readonly Pair[] {
  if (typeof template !== 'string')
    return template.flatMap(each => renderQuery(name, each, { filling, arrays }))
  if (isLeftOut(template, filling)) return []
  const value = onlyValue(template, filling)
  return Array.isArray(value) ? pairsOf(name, value, arrays) : [[name, renderText(template, filling)]]
}

/**
 * Writes an array as pairs. It refuses an empty array, and items with commas where commas separate the items,
 * because either would change the request.
 */
export function pairsOf(name: string, items: readonly JsonValue[], arrays: ArrayStyle): readonly Pair[] {
  if (items.length === 0) throw new CannotRender(`{${name}} is an empty array`)
  const texts = items.map(item => scalarText(name, item))
  if (arrays === 'brackets') return texts.map(text => [`${name}[]`, text])
  if (arrays === 'repeat') return texts.map(text => [name, text])
  if (texts.some(text => text.includes(','))) throw new CannotRender(`an item of {${name}} holds a comma`)
  return [[name, texts.join(',')]]
}

/** Renders a text body. A value within a longer text may hold no control character, so that it adds no line. */
export function renderPlainText(template: string, filling: Filling): string {
  if (onePlaceholder.test(template)) return renderText(template, filling)
  return renderText(template, filling, text => {
    if (/\p{Cc}/u.test(text)) throw new CannotRender('a value within a text would hold a control character')
    return text
  })
}

/** Renders a JSON body. A string that is one placeholder becomes its value. Parts without a value are left out. */
export function renderBody(template: JsonValue, filling: Filling): JsonValue | undefined {
  if (typeof template === 'string') {
    const [, name] = onePlaceholder.exec(template) ?? []
    return name === undefined ? renderText(template, filling) : valueAt(name, filling)
  }
  if (Array.isArray(template)) return template.flatMap(item => renderBody(item, filling) ?? [])
  if (typeof template !== 'object' || template === null) return template
  const members = Object.entries(template).flatMap(([name, inner]) => {
    const value = renderBody(inner, filling)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}

function escapeSegment(text: string): string {
  if (text === '') throw new CannotRender('an empty value in the path')
  return encodeURIComponent(text)
}

function scalarAt(name: string, filling: Filling): string {
  return scalarText(name, valueAt(name, filling))
}

export function scalarText(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const found = value === undefined ? 'is missing' : 'is not a text, a number or a truth value'
  throw new CannotRender(`{${name}} ${found}`)
}

function onlyValue(template: string, filling: Filling): JsonValue | undefined {
  const [, name] = onePlaceholder.exec(template) ?? []
  return name === undefined ? undefined : valueAt(name, filling)
}

function isLeftOut(template: string, filling: Filling): boolean {
  if (!template.endsWith('?}')) return false
  const value = onlyValue(template, filling)
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

/** Reads own members of plain objects only, as the gate does (specification.md#the-gate). */
function valueAt(name: string, filling: Filling): JsonValue | undefined {
  const [root = '', ...path] = name.replace(/\?$/, '').split('.')
  if (root !== 'parameters') return filling[root as keyof typeof fixed] ?? nowhereToCall()
  let value: JsonValue | undefined = filling.parameters
  for (const member of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    value = Object.hasOwn(value, member) ? (value as JsonObject)[member] : undefined
  }
  return value
}

function nowhereToCall(): never {
  throw new CannotRender(
    '{callback_url} is only for attempts, and takes SERVICE_BASE_URL as a URL and SERVICE_WEBHOOK_KEY',
  )
}

const fixed = {
  idempotency_key: true,
  action_id: true,
  tenant_id: true,
  operation: true,
  not_after: true,
  callback_url: true,
} satisfies Partial<Record<keyof Invocation, true>>
