import { z } from 'zod'
import { riskLevelSchema } from '../action/proposal-schema.ts'
import { regressionsSchema } from '../action/verdict.ts'
import { warningsSchema } from '../base/errors.ts'
import { hashSchema, identifierSchema, timestampSchema, visibleText } from '../base/identifier.ts'
import { documentSchema, jsonObjectSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { idempotencySchema } from './actuator-schema.ts'
import { authorSchema, changeNoteSchema, executeWithinSchema } from './tenant.ts'

/**
 * A parameter schema. The gate checks it as a whole, so that one answer reports every problem with its path and
 * code (specification.md#catalogs).
 */
const parameterSchemaSchema = jsonObjectSchema.meta({
  id: 'ParameterSchema',
  title: 'Parameter schema',
  description:
    'JSON Schema 2020-12 of the parameters, closed: every object says `additionalProperties: false` (or `unevaluatedProperties: false` beside `allOf` and `$ref`), every array what its items are, and every value has a type. References stay under `#/$defs/` and do not recur, patterns are those that run in linear time, and keywords that would check nothing are refused.',
  allOf: [{ required: ['type'], properties: { type: { const: 'object' } } }],
})

export const readsOnly = 'reads data'

/** A reviewed operation (specification.md#catalogs). */
export const catalogOperationSchema = z
  .strictObject({
    system: identifierSchema,
    operation: identifierSchema,
    title: visibleText(z.string().min(1).max(limits.summary_length_max)).describe('For a human reader.'),
    parameter_schema: parameterSchemaSchema,
    minimum_risk: riskLevelSchema.describe('The effective risk is never below it.'),
    effects: z
      .array(visibleText(z.string().min(1).max(limits.identifier_length_max)))
      .max(limits.catalog_effects_max)
      .describe(`What it does at least, as reviewed; \`${readsOnly}\` alone says that it changes nothing.`),
    reversibility: z
      .enum(['reversible', 'compensatable', 'irreversible'])
      .describe('Whether it can be undone: by itself, by another operation, or not at all.'),
    actuator: z
      .strictObject({
        name: identifierSchema,
        kind: z.string().min(1).max(limits.identifier_length_max).describe('Such as `mock` or `module`.'),
      })
      .describe('The registered actuator that it is bound to.'),
    idempotency: idempotencySchema,
    tool_schema_hash: hashSchema.nullable().describe('Commitment to the schema of the tool, or null.'),
    execute_within_ms: executeWithinSchema,
  })
  .meta({ id: 'CatalogOperation', description: 'What a reviewed operation means.' })
export type CatalogOperation = z.infer<typeof catalogOperationSchema>

/**
 * Returns true if the review states that the operation only reads. Without stated effects, the operation counts as
 * writing.
 */
export function isReading({ effects }: Pick<CatalogOperation, 'effects'>): boolean {
  return effects.length > 0 && effects.every(effect => effect === readsOnly)
}

export const catalogSchema = z
  .strictObject({
    operations: z
      .array(catalogOperationSchema)
      .max(limits.policy_operations_max)
      .describe('Each operation of a system once; in answers in the order of their names.'),
  })
  .meta({
    id: 'Catalog',
    title: 'Operation catalog',
    description: 'The reviewed operations of a tenant: a closed list.',
  })
export type Catalog = z.infer<typeof catalogSchema>

/** The body of POST and PUT catalog: the bare catalog, or the catalog and a note (specification.md#catalogs). */
export const catalogChangeSchema = z
  .strictObject({
    catalog: documentSchema('Catalog'),
    change_note: changeNoteSchema,
  })
  .meta({ id: 'CatalogChange', title: 'Catalog change', description: 'A catalog and why it is changed.' })

export const catalogRevisionSchema = z
  .strictObject({
    revision: z.int().min(1),
    catalog: catalogSchema,
    catalog_hash: hashSchema.describe('Over the canonical JSON of `catalog`.'),
    author: authorSchema,
    created_at: timestampSchema,
    change_note: z
      .string()
      .nullable()
      .meta({ description: 'Why it was made.', examples: ['Refunds reviewed with finance.'] }),
  })
  .meta({
    id: 'CatalogRevision',
    title: 'Catalog revision',
    description: 'An immutable numbered revision of a catalog.',
  })
export type CatalogRevision = z.infer<typeof catalogRevisionSchema>

export const changedCatalogSchema = catalogRevisionSchema
  .extend({ warnings: warningsSchema, regressions: regressionsSchema })
  .meta({
    id: 'ChangedCatalog',
    title: 'Changed catalog',
    description:
      'The catalog in force after a change, what is odd about it, and what it breaks of what was proved.',
  })
