import { z } from 'zod'
import { identifierSchema } from '../base/identifier.ts'

const accessAnswers = ['allowed', 'held', 'denied', 'open'] as const

/** What comes of proposals for an operation, as the gate itself answers (specification.md#what-is-allowed). */
export const operationAccessSchema = z
  .strictObject({
    answer: z
      .enum(accessAnswers)
      .describe(
        '`allowed`: a call that claims low risk runs alone, and one that does is known. `held`: every call that is accepted waits for a person. `denied`: no call is accepted. `open`: that was not settled beforehand.',
      ),
    code: z
      .string()
      .nullable()
      .describe(
        'Why it is held, denied or open: the code of the check of the gate, `no_parameters` where no parameters are accepted, `not_proved` where the proof ended early.',
      ),
    review_route: z.string().nullable().describe('Who decides what is held; null where nothing is.'),
    message: z.string().describe('The same in words, as every page, terminal and tool list says it.'),
    unavailable: z
      .strictObject({ code: z.enum(['paused', 'not_registered']), message: z.string() })
      .nullable()
      .describe('Why nothing executes now what is accepted; null where it is executed.'),
  })
  .meta({
    id: 'OperationAccess',
    title: 'Access to an operation',
    description: 'Whether proposals for an operation are allowed, held or denied, and why.',
  })
export type OperationAccess = z.infer<typeof operationAccessSchema>

/** An operation in a list of answers. */
export const listedAccessSchema = operationAccessSchema.extend({
  system: identifierSchema,
  operation: identifierSchema
    .nullable()
    .describe('Null: any other operation of the system, where the policy lists none.'),
})
export type ListedAccess = z.infer<typeof listedAccessSchema>

/** The answers in two or three words. */
export const accessLabels: Readonly<Record<OperationAccess['answer'], string>> = {
  allowed: 'allowed',
  held: 'held for a person',
  denied: 'denied',
  open: 'decided call by call',
}

/** The whole of it in words. */
export function accessWords({ message, unavailable }: OperationAccess): string {
  return unavailable ? `${message} ${unavailable.message}` : message
}

/** How many operations of each answer there are, in words: `3 allowed, 1 denied`. */
export function accessCounts(counts: Readonly<Record<OperationAccess['answer'], number>>): string {
  const told = accessAnswers.filter(answer => counts[answer] > 0)
  return told.map(answer => `${counts[answer]} ${accessLabels[answer]}`).join(', ')
}

/** What tools take of the list that a model reads, in words: `34.1 kB in tools/list, about 8,500 tokens for a model`. */
export function weightWords(weights: readonly { bytes: number; tokens: number }[]): string {
  const bytes = weights.reduce((sum, weight) => sum + weight.bytes, 0)
  const tokens = weights.reduce((sum, weight) => sum + weight.tokens, 0)
  return `${(bytes / 1000).toFixed(1)} kB in tools/list, about ${tokens.toLocaleString('en')} tokens for a model`
}
