import { z } from 'zod'
import { labelSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import { inboxFilters, inboxGroupingSchema } from './inbox-schema.ts'

/** What a person looks at in an inbox again and again. */
export const savedViewSchema = z
  .strictObject({
    name: labelSchema.describe('As the person calls it; no two of theirs are alike.'),
    by: inboxGroupingSchema.nullable().describe('What it is grouped by; null: by nothing.'),
    filters: z.strictObject(inboxFilters).describe('Filters of an inbox; each must hold.'),
  })
  .meta({ id: 'SavedView', description: 'Filters and grouping of an inbox, under a name.' })
export type SavedView = z.infer<typeof savedViewSchema>

/** The views of a person, all of them. */
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
