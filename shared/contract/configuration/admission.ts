import { z } from 'zod'
import { proposalSchema } from '../action/proposal-schema.ts'
import { identifierSchema } from '../base/identifier.ts'
import { documentSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { catalogOperationSchema } from './catalog.ts'
import { gateModeSchema } from './verification-schema.ts'

/**
 * The draft of a catalog. Open schemas and statements that a reviewer left out are reported as holes; they are not
 * refused.
 */
export const admissionCatalogSchema = z
  .strictObject({
    operations: z
      .array(catalogOperationSchema.partial({ minimum_risk: true, effects: true, reversibility: true }))
      .max(limits.policy_operations_max),
  })
  .meta({
    id: 'AdmissionCatalog',
    title: 'Admission catalog',
    description:
      'A draft of a catalog, in which a reviewer may have left out risk, effects and reversibility.',
  })
export type AdmissionCatalog = z.infer<typeof admissionCatalogSchema>

/** The body of policy/admit: drafts to examine instead of the documents in force (specification.md#endpoints). */
export const admissionRequestSchema = z
  .strictObject({
    policy: documentSchema('Policy').optional(),
    catalog: documentSchema('AdmissionCatalog').optional(),
    mode: gateModeSchema.optional().describe('That of the service where not given.'),
  })
  .meta({
    id: 'AdmissionRequest',
    title: 'Admission request',
    description: 'Drafts to look for holes in; without one, the document in force is looked at.',
  })
export type AdmissionRequest = z.infer<typeof admissionRequestSchema>

/** The codes of all holes. Holes of one severity are listed in this order (specification.md#admission-holes). */
export const holeSeverities = {
  'COV-1': 'blocking',
  'COV-2': 'blocking',
  'COV-3': 'blocking',
  'COV-4': 'warning',
  'COV-5': 'warning',
  'COV-6': 'warning',
  'COV-7': 'info',
  'COV-8': 'blocking',
  'COV-9': 'warning',
  'COV-10': 'blocking',
  'SCH-1': 'blocking',
  'SCH-2': 'blocking',
  'SCH-3': 'warning',
  'SCH-4': 'blocking',
  'SCH-5': 'blocking',
  'CAT-1': 'blocking',
  'CAT-2': 'warning',
  'CAT-3': 'blocking',
  'ACT-1': 'blocking',
  'ACT-2': 'blocking',
  'ACT-3': 'info',
  'IDM-1': 'blocking',
  'IDM-2': 'blocking',
  'IDM-3': 'warning',
  'DEP-1': 'blocking',
  'DEP-2': 'blocking',
  'DEP-3': 'warning',
} as const satisfies Record<string, HoleSeverity>
export type HoleCode = keyof typeof holeSeverities
export const holeCodes = Object.keys(holeSeverities) as [HoleCode, ...HoleCode[]]

const holeSeveritySchema = z.enum(['blocking', 'warning', 'info'])
export type HoleSeverity = z.infer<typeof holeSeveritySchema>

export const holeSchema = z
  .strictObject({
    code: z.enum(holeCodes),
    severity: holeSeveritySchema.describe('A tenant without a blocking hole is admitted.'),
    system: identifierSchema.nullable().describe('Null where it is about all.'),
    operation: identifierSchema.nullable().describe('Null where it is about the system or all.'),
    path: z
      .string()
      .nullable()
      .describe('Place in `policy`, `catalog` or `actuators`; null where it is none of these.'),
    message: z.string().describe('What is missing.'),
    fix: z.string().describe('What to do about it.'),
    witness: proposalSchema.optional().describe('A proposal that slips through.'),
  })
  .meta({ id: 'Hole', description: 'Something that keeps a tenant from strict admission, or weakens it.' })
export type Hole = z.infer<typeof holeSchema>

/** The maximum number of holes in one answer; `counts` covers all holes. */
export const holesListedMax = 1_000

/** The answer of policy/admit, which only reads (specification.md#admission-holes). */
export const admissionReportSchema = z
  .strictObject({
    admitted: z.boolean().describe('Whether no hole is blocking.'),
    holes: z
      .array(holeSchema)
      .describe(`The blocking ones first, in the order of codes and names, at most ${holesListedMax}.`),
    counts: z.strictObject({ blocking: z.int().min(0), warning: z.int().min(0), info: z.int().min(0) }),
    holes_omitted: z.int().min(0).describe('How many more there are.'),
  })
  .meta({
    id: 'AdmissionReport',
    title: 'Admission report',
    description: 'Every hole of coverage, catalog, schemas, actuators, idempotency and deployment.',
  })
export type AdmissionReport = z.infer<typeof admissionReportSchema>
