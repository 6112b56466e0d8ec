import { hex, sha256 } from '../../canon/digest.ts'
import type { Audience } from '../../contract/endpoints/endpoint.ts'
import type { JsonSchemas } from '../../contract/openapi/json-schema.ts'
import { version } from '../../runtime/version.ts'
import type { Context } from '../core/context.ts'

/** A public document from which clients generate code (specification.md#versions). */
export interface PublicDocument {
  /** UTF-8, encoded once instead of for every request. */
  bytes: Buffer
  tag: string
}

type Form = 'yaml' | 'json'

/** Documents are built on first use, so that a start does not wait for them. */
const made = new Map<string, Promise<PublicDocument>>()
const schemas = new Map<string, Promise<JsonSchemas>>()

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
