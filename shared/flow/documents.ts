import type { JsonSchemas } from '../contract/json-schema.ts'
import { version } from '../runtime/version.ts'
import type { Context } from './context.ts'

/** The public documents that clients generate code from (specification.md#versions). */
export interface Documents {
  /** In UTF-8: encoded once, not for every client that asks. */
  openapi: Buffer
  schemas: JsonSchemas
}

/** By the address that they name: a process has one. */
const made = new Map<string, Promise<Documents>>()

/**
 * Made when they are first asked for, and once: a start should not wait for what most processes are never asked. That
 * every endpoint can be described is what the contract tests show.
 */
export function documentsOf({ config: { base_url } }: Pick<Context, 'config'>): Promise<Documents> {
  const known = made.get(base_url) ?? makeDocuments(base_url)
  made.set(base_url, known)
  return known
}

async function makeDocuments(base_url: string): Promise<Documents> {
  const [{ openApiYaml }, { createJsonSchemas }] = await Promise.all([
    import('../contract/openapi.ts'),
    import('../contract/json-schema.ts'),
  ])
  return { openapi: Buffer.from(openApiYaml({ version, base_url })), schemas: createJsonSchemas(base_url) }
}
