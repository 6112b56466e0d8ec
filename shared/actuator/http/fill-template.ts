import type { SecretReference } from '../../contract/base/credentials.ts'
import type { JsonValue } from '../../contract/base/json.ts'
import type { HttpOperation, HttpSettings } from '../../contract/configuration/http-actuator.ts'
import { type Filling, renderBody, renderHeader, renderPath, renderText } from './render-template.ts'

/** What a registration says of one request. */
export type Template = Pick<HttpOperation, 'method' | 'path' | 'query' | 'headers' | 'body'>

export const keyHeaderOf = ({ idempotency_header = 'Idempotency-Key' }: HttpSettings): string =>
  idempotency_header.toLowerCase()

export function operationOf({ operations }: HttpSettings, name: string): HttpOperation | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined
}

export function urlOf(
  base: string,
  { path, query = {} }: Template,
  filling: Filling,
  shown: (name: string, template: string) => string = (_, template) => renderText(template, filling),
): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/$/, '') + renderPath(path, filling)
  for (const [name, template] of Object.entries(query)) url.searchParams.set(name, shown(name, template))
  return url
}

/** The value whose RFC 8785 text is the body; undefined: there is none. */
export function bodyOf({ method, body }: Template, filling: Filling): JsonValue | undefined {
  if (body !== undefined) return renderBody(body, filling) ?? null
  return method === 'GET' || method === 'DELETE' ? undefined : filling.parameters
}

/** Headers of a registration and those of its operation, in small letters: the last of a name counts. */
export function headersOf<Value>(
  settings: HttpSettings,
  template: Template,
  {
    text,
    secret,
  }: { text(name: string, template: string): Value; secret(reference: SecretReference): Value },
): Record<string, Value> {
  const templates = Object.entries({ ...settings.headers, ...template.headers })
  return Object.fromEntries(
    templates.map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'string' ? text(name, value) : secret(value),
    ]),
  )
}

export const headerText =
  (filling: Filling) =>
  (name: string, template: string): string =>
    renderHeader(name, template, filling)
