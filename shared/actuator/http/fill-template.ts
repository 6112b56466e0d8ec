import type { SecretReference } from '../../contract/base/http-auth.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { HttpOperation, HttpSettings } from '../../contract/configuration/http-actuator-schema.ts'
import {
  type ArrayStyle,
  type Filling,
  type Pair,
  renderBody,
  renderHeader,
  renderPath,
  renderPlainText,
  renderQuery,
} from './render-template.ts'

export type Template = Pick<
  HttpOperation,
  'method' | 'path' | 'query' | 'arrays' | 'headers' | 'content' | 'body'
>

export const keyHeaderOf = ({ idempotency_header = 'Idempotency-Key' }: HttpSettings): string =>
  idempotency_header.toLowerCase()

type ShowQuery = (name: string, template: string) => string | null

export function urlOf(
  base: string,
  { path, query = {}, arrays = 'repeat' }: Template,
  filling: Filling,
  show: ShowQuery = () => null,
): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/$/, '') + renderPath(path, filling)
  const pairs = Object.entries(query).flatMap(([name, template]) =>
    queryPairs(name, template, { filling, arrays, show }),
  )
  for (const [name, text] of pairs) url.searchParams.append(name, text)
  return url
}

function queryPairs(
  name: string,
  template: string | string[],
  { show, ...around }: { filling: Filling; arrays: ArrayStyle; show: ShowQuery },
): readonly Pair[] {
  return [template].flat().flatMap(each => {
    const hidden = show(name, each)
    return hidden === null ? renderQuery(name, each, around) : [[name, hidden] as const]
  })
}

/** Returns the body's value. It is undefined without a body, or if the body is one placeholder without a value. */
export function bodyOf({ method, body, content }: Template, filling: Filling): JsonValue | undefined {
  if (content === 'text' && typeof body === 'string') return renderPlainText(body, filling)
  if (body !== undefined) return renderBody(body, filling)
  return method === 'GET' || method === 'DELETE' ? undefined : filling.parameters
}

/**
 * Merges the headers of a registration and of its operation under lowercase names. The operation's headers
 * win.
 */
export function headersOf<Value>(
  settings: HttpSettings,
  template: Template,
  {
    text,
    secret,
  }: { text(name: string, template: string): Value | null; secret(reference: SecretReference): Value },
): Record<string, Value> {
  const templates = Object.entries({ ...settings.headers, ...template.headers })
  return Object.fromEntries(
    templates.flatMap(([name, value]) => {
      const shown = typeof value === 'string' ? text(name, value) : secret(value)
      return shown === null ? [] : [[name.toLowerCase(), shown] as const]
    }),
  )
}

export const headerText =
  (filling: Filling) =>
  (name: string, template: string): string | null =>
    renderHeader(name, template, filling)
