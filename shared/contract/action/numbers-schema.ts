import { z } from 'zod'
import { timestampSchema } from '../base/identifier.ts'
import { limits } from '../base/limits.ts'
import type { ActionStatus } from './action-status.ts'
import type { ActionEventKind } from './audit.ts'

export const numberWindows = ['24h', '7d', '30d'] as const

export const numberWindowSchema = z
  .enum(numberWindows)
  .default('24h')
  .describe('How far back: hours of the last 24, or days in UTC with today as the last.')
export type NumberWindow = z.output<typeof numberWindowSchema>

const countSchema = z.int().min(0)

const verdictFields = {
  allowed: countSchema.describe('Verdicts `allow`.'),
  held: countSchema.describe('Verdicts `needs_approval`.'),
  denied: countSchema.describe('Verdicts `deny`.'),
}

const countFields = {
  ...verdictFields,
  approved: countSchema.describe('Held actions that people approved.'),
  rejected: countSchema.describe('Held actions that people rejected.'),
  edited: countSchema.describe('Held actions that people edited: a new action took their place.'),
  expired: countSchema.describe('Held actions that nobody decided in time.'),
  withdrawn: countSchema.describe('Held actions that their agents withdrew.'),
  executed: countSchema.describe('Executions that ended well.'),
  failed: countSchema.describe('Executions that had no effect.'),
  unknown: countSchema.describe('Executions whose outcome became unknown; it may have been found out later.'),
}

export const numberNames = [
  'allowed',
  'held',
  'denied',
  'approved',
  'rejected',
  'edited',
  'expired',
  'withdrawn',
  'executed',
  'failed',
  'unknown',
] as const satisfies readonly (keyof typeof countFields)[]
export type NumberName = (typeof numberNames)[number]

export const numbersSchema = z
  .strictObject({
    window: z.enum(numberWindows),
    step: z.enum(['hour', 'day']).describe('What one entry of `series` covers.'),
    since: timestampSchema.describe('Beginning of the first step.'),
    until: timestampSchema.describe('When this was read.'),
    behind: countSchema.describe('Events of the log that are not counted yet; 0 but for moments.'),
    decisions: countSchema.describe('Verdicts in all.'),
    ...countFields,
    time_to_decision: z
      .strictObject({
        decided: countSchema.describe('Decisions of people that were measured.'),
        p50_ms: countSchema.describe('Half of them took no longer; at most a twentieth too long.'),
        p95_ms: countSchema.describe('Of twenty, nineteen took no longer; at most a twentieth too long.'),
      })
      .nullable()
      .describe('From the verdict that held an action to the decision of people; null where there was none.'),
    series: z
      .array(z.strictObject({ at: timestampSchema, ...countFields }))
      .describe(
        'Every step of the window, the oldest first. An event counts in the step in which it was recorded.',
      ),
    agents: z
      .array(
        z.strictObject({
          agent_id: z
            .string()
            .nullable()
            .describe('As it calls itself; null where that was erased, or for the rest of many.'),
          ...verdictFields,
        }),
      )
      .max(limits.number_agents_listed_max)
      .describe('Those with the most verdicts, the busiest first.'),
    reasons: z
      .array(z.strictObject({ code: z.string().describe('Code of a blocking reason.'), count: countSchema }))
      .max(limits.number_reasons_listed_max)
      .describe(
        'Why verdicts denied, the most frequent first. A verdict with several reasons counts for each.',
      ),
  })
  .meta({
    id: 'Numbers',
    title: 'Numbers of an application',
    description:
      'Decisions, outcomes, agents and reasons of a window, counted by the hour from recorded events.',
  })
export type Numbers = z.infer<typeof numbersSchema>

/** One or more equal events, as they count in the statistics of their hour; times are ISO 8601. */
export interface CountedEvent {
  times: number
  kind: ActionEventKind
  status_from: ActionStatus | null
  status_to: ActionStatus
  /** The exact time of a decision by a person, which ends a wait. Other events have the start of their hour. */
  at: string
  /** The agent whose proposal got the verdict; null if it was erased. */
  agent_id: string | null
  reasons: readonly string[]
  held_at: string | null
}

export type Verdicts = [allowed: number, held: number, denied: number]

/** The stored statistics of one hour. They are lists rather than objects, because a name may be any text. */
export interface HourNumbers {
  counts: Partial<Record<NumberName, number>>
  waits: [step: number, count: number][]
  /** The verdicts per agent. All erased agents, and all agents beyond the maximum, are counted under null. */
  agents: [agent_id: string | null, ...Verdicts][]
  reasons: [code: string, count: number][]
}

export interface KeptHour {
  hour: string
  numbers: HourNumbers
}
