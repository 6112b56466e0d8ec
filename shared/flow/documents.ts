import { createJsonSchemas, type JsonSchemas } from '../contract/json-schema.ts'
import { openApiYaml } from '../contract/openapi.ts'
import { version } from '../runtime/version.ts'
import type { Context } from './context.ts'

/** The public documents that clients generate code from (specification section 9). */
export interface Documents {
  openapi: string
  schemas: JsonSchemas
}

/** By the address that they name: a process has one. */
const made = new Map<string, Documents>()

/** Made once in a process, at start-up: an endpoint that cannot be described ends the start, not a request. */
export function documentsOf({ config: { base_url } }: Pick<Context, 'config'>): Documents {
  const documents = made.get(base_url) ?? {
    openapi: openApiYaml({ version, base_url }),
    schemas: createJsonSchemas(base_url),
  }
  made.set(base_url, documents)
  return documents
}
