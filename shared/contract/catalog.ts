import { z } from 'zod'
import { idempotencySchema } from './actuator.ts'
import { hashSchema, identifierSchema, timestampSchema } from './identifier.ts'
import { jsonObjectSchema } from './json.ts'
import { limits } from './limits.ts'
import { riskLevelSchema } from './risk.ts'
import { authorSchema } from './tenant.ts'

/** What a reviewed operation means (specification section 2, contract section 8). */
export const catalogOperationSchema = z.strictObject({
  system: identifierSchema,
  operation: identifierSchema,
  title: z.string().min(1).max(limits.summary_length_max),
  parameter_schema: jsonObjectSchema,
  minimum_risk: riskLevelSchema,
  effects: z.array(z.string().min(1).max(limits.identifier_length_max)).min(1).max(limits.catalog_effects_max),
  reversibility: z.enum(['reversible', 'compensatable', 'irreversible']),
  actuator: z.strictObject({ name: identifierSchema, kind: z.string().min(1).max(limits.identifier_length_max) }),
  idempotency: idempotencySchema,
  tool_schema_hash: hashSchema.nullable(),
})
export type CatalogOperation = z.infer<typeof catalogOperationSchema>

/** The reviewed operation catalog of a tenant. */
export const catalogSchema = z.strictObject({
  operations: z.array(catalogOperationSchema).max(limits.policy_operations_max),
})
export type Catalog = z.infer<typeof catalogSchema>

/** Body of POST and PUT catalog: wrapped with a note, or the bare catalog (contract section 8). */
export const catalogChangeSchema = z.strictObject({
  catalog: jsonObjectSchema,
  change_note: z.string().max(limits.change_note_length_max).optional(),
})

/** An immutable numbered revision of a catalog. */
export const catalogRevisionSchema = z.strictObject({
  revision: z.int().min(1),
  catalog: catalogSchema,
  catalog_hash: hashSchema,
  author: authorSchema,
  created_at: timestampSchema,
  change_note: z.string().nullable(),
})
export type CatalogRevision = z.infer<typeof catalogRevisionSchema>
