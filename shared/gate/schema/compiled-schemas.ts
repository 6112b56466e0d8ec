import type { JsonObject } from '../../contract/json.ts'
import { type CompiledSchema, compileSchema } from './compile-schema.ts'

/** Compiled schemas of the process: a schema is compiled at the first proposal that it judges, and kept. */
export interface CompiledSchemas {
  /** `text` is the canonical text of the schema: revisions and tenants that share a schema share its compiled form. */
  get(text: string): CompiledSchema
}

/** Compiled, a schema takes about forty times the room of its text: 8 million characters come to 300 MB at most. */
const textMax = 8_000_000

/** Beyond the bound the oldest are forgotten, and compiled again when they are needed. */
export function createCompiledSchemas(charactersMax: number = textMax): CompiledSchemas {
  const compiled = new Map<string, CompiledSchema>()
  let characters = 0
  return {
    get(text) {
      const known = compiled.get(text)
      if (known) return known
      const fresh = compileSchema(JSON.parse(text) as JsonObject)
      compiled.set(text, fresh)
      characters += text.length
      for (const oldest of compiled.keys()) {
        if (characters <= charactersMax || oldest === text) break
        compiled.delete(oldest)
        characters -= oldest.length
      }
      return fresh
    },
  }
}
