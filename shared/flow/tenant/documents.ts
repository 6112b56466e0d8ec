import { hex, sha256 } from '../../canon/digest.ts'
import type { Audience } from '../../contract/endpoints/endpoint.ts'
import type { JsonSchemas } from '../../contract/openapi/json-schema.ts'
import { version } from '../../runtime/version.ts'
import type { Context } from '../core/context.ts'

/** A public document that clients generate code from (specification.md#versions). */
export interface PublicDocument {
  /** In UTF-8: encoded once, not for every client that asks. */
  bytes: Buffer
  /** Of its entity, in quotes. */
  tag: string
}

type Form = 'yaml' | 'json'

/** Made when they are first asked for, and once: a start should not wait for what most processes are never asked. */
const made = new Map<string, Promise<PublicDocument>>()
const schemas = new Map<string, Promise<JsonSchemas>>()

/** The OpenAPI document for everybody, or for one audience. */
export function openApiOf(
  { config: { base_url } }: Pick<Context, 'config'>,
  form: Form,
  audience: Audience | undefined,
): Promise<PublicDocument> {
  return once(made, `${form} ${audience ?? ''} ${base_url}`, async () => {
    const { openApiJson, openApiYaml } = await import('../../contract/openapi/openapi.ts')
    const write = form === 'yaml' ? openApiYaml : openApiJson
    const bytes = Buffer.from(write({ version, base_url, ...(audience ? { audience } : {}) }))
    return { bytes, tag: `"${hex(sha256(bytes)).slice(0, 32)}"` }
  })
}

export function schemasOf({ config: { base_url } }: Pick<Context, 'config'>): Promise<JsonSchemas> {
  return once(schemas, base_url, async () => {
    const { createJsonSchemas } = await import('../../contract/openapi/json-schema.ts')
    return createJsonSchemas(base_url)
  })
}

function once<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make()
  known.set(key, value)
  return value
}
