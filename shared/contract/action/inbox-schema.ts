import { z } from 'zod'
import {
  hashSchema,
  identifierSchema,
  labelSchema,
  tenantIdSchema,
  timestampSchema,
} from '../base/identifier.ts'
import { jsonValueSchema } from '../base/json.ts'
import { limits } from '../base/limits.ts'
import { listLimitSchema, nextCursorSchema, timeCursorSchema } from '../endpoints/paging.ts'
import { heldActionSchema } from './action.ts'
import { riskLevelSchema } from './proposal-schema.ts'
import { evaluationSchema, keyPrincipalSchema } from './verdict.ts'

/** A text without NUL, because Postgres refuses NUL and no proposal can contain it. */
const withoutNul = /^[^\0]*$/

const filterSchema = z
  .string()
  .min(1)
  .max(limits.identifier_length_max)
  .regex(withoutNul, 'must not hold NUL')
  .optional()

export const inboxFilters = {
  agent_id: filterSchema.describe('Of this agent, as it calls itself.'),
  system: filterSchema.describe('For this system.'),
  operation: filterSchema.describe('Of this operation.'),
  risk: riskLevelSchema.optional().describe('Of this effective risk.'),
  review_route: filterSchema.describe('With this review route.'),
  search: z
    .string()
    .max(limits.search_length_max)
    .regex(withoutNul, 'must not hold NUL')
    .optional()
    .describe(
      'Words that all stand in the summary or the parameters, in any case; `amount:250` finds a parameter with its value.',
    ),
}

export const inboxQuerySchema = z.strictObject({
  ...inboxFilters,
  limit: listLimitSchema,
  cursor: timeCursorSchema.optional(),
})
export type InboxQuery = z.output<typeof inboxQuerySchema>

export const inboxGroupings = ['agent_id', 'operation', 'system', 'risk', 'review_route'] as const
export const inboxGroupingSchema = z.enum(inboxGroupings)
export type InboxGrouping = z.infer<typeof inboxGroupingSchema>

export const inboxGroupsQuerySchema = z.strictObject({
  by: inboxGroupingSchema.describe('What the groups have in common.'),
  ...inboxFilters,
})
export type InboxGroupsQuery = z.output<typeof inboxGroupsQuerySchema>
export type InboxFilters = Omit<InboxGroupsQuery, 'by'>

export const inboxGroupsSchema = z
  .strictObject({
    by: inboxGroupingSchema,
    groups: z
      .array(
        z.strictObject({
          value: z.string().describe('As the filter of that name takes it.'),
          count: z.int().min(1).describe('How many wait in it.'),
          ends_first: timestampSchema.describe('When the first of them ends.'),
        }),
      )
      .max(limits.inbox_groups_max)
      .describe('The largest first.'),
    complete: z
      .boolean()
      .describe(
        `False where an application has more than ${limits.inbox_looked_max} or there are more than ${limits.inbox_groups_max} groups: what ends soonest is counted.`,
      ),
  })
  .meta({
    id: 'InboxGroups',
    title: 'Inbox groups',
    description: 'How many wait, by what they have in common.',
  })
export type InboxGroups = z.infer<typeof inboxGroupsSchema>

export const inboxValueSchema = z
  .strictObject({
    path: z.array(z.string()).describe('The names that lead to it, and places in arrays.'),
    value: jsonValueSchema.describe(
      'A text, a number, true, false or null; or an object or array without members.',
    ),
    cut: z
      .literal(true)
      .optional()
      .describe(`Where a text is longer: it begins with these ${limits.inbox_value_length_max} characters.`),
  })
  .meta({ id: 'InboxValue', description: 'A value of the parameters of a held action.' })
export type InboxValue = z.infer<typeof inboxValueSchema>

export const inboxActionSchema = heldActionSchema
  .omit({ proposal: true, verdict: true })
  .extend({
    tenant_id: tenantIdSchema,
    agent_id: z.string().describe('As the agent calls itself.'),
    key: keyPrincipalSchema.pick({ key_id: true, name: true }).describe('The key that was checked.'),
    summary: z.string().describe('As the agent tells it.'),
    target_system: identifierSchema,
    operation: identifierSchema,
    values: z
      .array(inboxValueSchema)
      .max(limits.inbox_values_max)
      .describe('What a rule of the policy looks at first, then what is about money, then the rest.'),
    values_more: z.int().min(0).describe('How many values are not among them.'),
    effective_risk: evaluationSchema.shape.effective_risk,
    proposal_hash: hashSchema,
    request_hash: hashSchema.optional(),
  })
  .meta({
    id: 'InboxAction',
    title: 'Action of an inbox',
    description: 'What tells a held action from others, and what a decision about it names.',
  })
export type InboxAction = z.infer<typeof inboxActionSchema>

export const inboxSchema = z
  .strictObject({
    approvals: z
      .array(inboxActionSchema)
      .describe('What ends soonest first. With filters a page may be short, or empty, and others follow.'),
    waiting: z
      .int()
      .min(0)
      .max(limits.inbox_counted_max)
      .describe(
        `How many wait in all, whatever the filters; ${limits.inbox_counted_max} stands for as many or more.`,
      ),
    next_cursor: nextCursorSchema,
  })
  .meta({ id: 'Inbox', title: 'Inbox', description: 'What waits for a person, what ends soonest first.' })
export type Inbox = z.infer<typeof inboxSchema>

export const savedViewSchema = z
  .strictObject({
    name: labelSchema.describe('As the person calls it; no two of theirs are alike.'),
    by: inboxGroupingSchema.nullable().describe('What it is grouped by; null: by nothing.'),
    filters: z.strictObject(inboxFilters).describe('Filters of an inbox; each must hold.'),
  })
  .meta({ id: 'SavedView', description: 'Filters and grouping of an inbox, under a name.' })
export type SavedView = z.infer<typeof savedViewSchema>

export const savedViewsSchema = z
  .strictObject({
    views: z
      .array(savedViewSchema)
      .max(limits.saved_views_max)
      .superRefine((views, check) => {
        const seen = new Set<string>()
        for (const [at, { name }] of views.entries()) {
          const alike = name.normalize('NFKC').trim().toLowerCase()
          if (seen.has(alike))
            check.addIssue({
              code: 'custom',
              path: [at, 'name'],
              params: { code: 'duplicate_view' },
              message: 'is the name of another view',
            })
          seen.add(alike)
        }
      })
      .describe('In the order in which they are shown.'),
  })
  .meta({ id: 'SavedViews', title: 'Saved views', description: 'The views of an inbox that a person saved.' })
export type SavedViews = z.infer<typeof savedViewsSchema>
