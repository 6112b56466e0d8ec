import { createJsonSchemas, type JsonSchemas } from '../contract/json-schema.ts'
import { openApiYaml } from '../contract/openapi.ts'
import type { Config } from '../runtime/config.ts'
import { version } from '../runtime/version.ts'
import type { Context } from './context.ts'

/** The public documents that clients generate code from (specification section 9). */
export interface Documents {
  openapi: string
  schemas: JsonSchemas
}

const made = new WeakMap<Config, Documents>()

/** Made once in a process, at start-up: an endpoint that cannot be described ends the start, not a request. */
export function documentsOf({ config }: Context): Documents {
  const known = made.get(config)
  if (known) return known
  const { base_url } = config
  const documents = { openapi: openApiYaml({ version, base_url }), schemas: createJsonSchemas(base_url) }
  made.set(config, documents)
  return documents
}
