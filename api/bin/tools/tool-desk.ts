import type { Problem } from '../../../shared/contract/base/errors.ts'
import type { JsonValue } from '../../../shared/contract/base/json.ts'
import type { ServiceAccess } from '../../../shared/runtime/settings/config.ts'
import { Refusal } from './terminal.ts'

export class Refused extends Refusal {
  private readonly codes: ReadonlySet<string>

  constructor({ title, detail, errors = [] }: Pick<Problem, 'title' | 'errors'> & { detail?: string }) {
    const places = errors.map(({ path, message }) => (path === '' ? message : `  ${path}: ${message}`))
    super([detail || title, ...places.filter(place => place.trim() !== `source: ${detail}`)].join('\n'))
    this.codes = new Set(errors.map(({ code }) => code))
  }

  has(code: string): boolean {
    return this.codes.has(code)
  }
}

type Method = 'GET' | 'POST' | 'PUT'

export interface ToolDesk {
  tenant: string
  /** Calls a path, which is the tenant's unless it begins with `/v1`. */
  call<Answer>(method: Method, path: string, json?: object): Promise<Answer>
}

export async function openDesk({ url, admin_key: key, tenant: named }: ServiceAccess): Promise<ToolDesk> {
  if (key === undefined)
    throw new Refusal('export ACTION_GATE_ADMIN_KEY: the key of an operator, which start-up prints')
  const ask = (method: Method, path: string, json?: object) =>
    request(new URL(`${url.replace(/\/+$/, '')}${path}`), { method, key, json })
  const tenant = named ?? (await onlyTenant(ask))
  const base = `/v1/tenants/${encodeURIComponent(tenant)}`
  return {
    tenant,
    async call<Answer>(method: Method, path: string, json?: object) {
      return (await ask(method, path.startsWith('/v1') ? path : `${base}${path}`, json)) as Answer
    },
  }
}

async function onlyTenant(ask: (method: Method, path: string) => Promise<unknown>): Promise<string> {
  const { tenants } = (await ask('GET', '/v1/tenants')) as { tenants: { tenant_id: string }[] }
  const [only, ...others] = tenants.map(({ tenant_id }) => tenant_id)
  if (only === undefined) throw new Refusal('the service has no tenant: create one first')
  if (others.length === 0) return only
  throw new Refusal(`say which tenant with --tenant: ${[only, ...others].slice(0, 20).join(', ')}`)
}

async function request(
  url: URL,
  { method, key, json }: { method: Method; key: string; json: object | undefined },
): Promise<JsonValue> {
  const headers = { 'x-service-admin-key': key, 'content-type': 'application/json' }
  const body = json === undefined ? {} : { body: JSON.stringify(json) }
  const response = await fetch(url, { method, headers, ...body }).catch(error => {
    throw new Refusal(`no service answers at ${url.origin}: start it, or give --url (${reasonOf(error)})`)
  })
  const text = await response.text()
  const read = readJson(text)
  if (response.ok && read !== null) return read
  throw new Refused(isProblem(read) ? read : { title: `${url.origin} answers ${response.status}` })
}

function readJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return null
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === 'object' && value !== null && 'code' in value && 'title' in value
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
