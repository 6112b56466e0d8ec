import { z } from 'zod'
import { idempotencySchema } from './actuator.ts'
import { hashSchema, identifierSchema, timestampSchema } from './identifier.ts'
import { documentSchema, jsonObjectSchema } from './json.ts'
import { limits } from './limits.ts'
import { riskLevelSchema } from './risk.ts'
import { authorSchema } from './tenant.ts'

/** What a reviewed operation means (specification section 2, contract section 8). */
export const catalogOperationSchema = z
  .strictObject({
    system: identifierSchema,
    operation: identifierSchema,
    title: z.string().min(1).max(limits.summary_length_max),
    parameter_schema: jsonObjectSchema.describe('JSON Schema 2020-12, closed at every object level.'),
    minimum_risk: riskLevelSchema.describe('The effective risk is never below it.'),
    effects: z
      .array(z.string().min(1).max(limits.identifier_length_max))
      .min(1)
      .max(limits.catalog_effects_max)
      .describe('What it does at least, as reviewed.'),
    reversibility: z.enum(['reversible', 'compensatable', 'irreversible']),
    actuator: z
      .strictObject({
        name: identifierSchema,
        kind: z.string().min(1).max(limits.identifier_length_max),
      })
      .describe('The registered actuator that it is bound to.'),
    idempotency: idempotencySchema,
    tool_schema_hash: hashSchema.nullable().describe('Commitment to the schema of the tool, or null.'),
  })
  .meta({ id: 'CatalogOperation', description: 'What a reviewed operation means.' })
export type CatalogOperation = z.infer<typeof catalogOperationSchema>

/** The reviewed operation catalog of a tenant. */
export const catalogSchema = z
  .strictObject({ operations: z.array(catalogOperationSchema).max(limits.policy_operations_max) })
  .meta({
    id: 'Catalog',
    title: 'Operation catalog',
    description: 'The reviewed operations of a tenant: a closed list.',
  })
export type Catalog = z.infer<typeof catalogSchema>

/** Body of POST and PUT catalog: wrapped with a note, or the bare catalog (contract section 8). */
export const catalogChangeSchema = z
  .strictObject({
    catalog: documentSchema('Catalog'),
    change_note: z.string().max(limits.change_note_length_max).optional(),
  })
  .meta({ id: 'CatalogChange', title: 'Catalog change', description: 'A catalog and why it is changed.' })

/** An immutable numbered revision of a catalog. */
export const catalogRevisionSchema = z
  .strictObject({
    revision: z.int().min(1),
    catalog: catalogSchema,
    catalog_hash: hashSchema,
    author: authorSchema,
    created_at: timestampSchema,
    change_note: z
      .string()
      .nullable()
      .meta({ examples: ['Refunds above 50 are for people.'] }),
  })
  .meta({
    id: 'CatalogRevision',
    title: 'Catalog revision',
    description: 'An immutable numbered revision of a catalog.',
  })
export type CatalogRevision = z.infer<typeof catalogRevisionSchema>
