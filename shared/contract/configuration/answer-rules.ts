import { z } from 'zod'
import { headerNameSchema } from '../base/header-names.ts'
import { limits } from '../base/limits.ts'

export const statusesSchema = z.array(z.int().min(200).max(599)).max(100)

/**
 * The meaning of complete answers by their status. An answer with any other status may have had an effect
 * (specification.md#outcome-classes).
 */
export const statusMapSchema = z
  .strictObject({
    done: statusesSchema.optional().describe('It was done; every 2xx where not given.'),
    refused: statusesSchema
      .optional()
      .describe(
        'Nothing was done and never will be; where not given, 400, 401, 403 to 405, 409, 411 to 415, 417, 421, 422, 426, 428, 431, 501 and 505, and those of its preset. Where the key is honoured, a repeated delivery may get 409 or 412, and for DELETE 404 or 410: these then prove nothing unless they are given here.',
      ),
    busy: statusesSchema
      .optional()
      .describe(
        'Nothing was done, try again later, which uses up no attempt; beside those given, 429, and 503 with `Retry-After`, unless they are given above. `Retry-After` is followed.',
      ),
  })
  .describe('What statuses mean where no rule below holds; any other may have had an effect.')
export type StatusMap = z.infer<typeof statusMapSchema>

export const memberPathSchema = z
  .string()
  .max(limits.template_length_max)
  .regex(/^[A-Za-z0-9_$-]+(?:\.[A-Za-z0-9_$-]+)*$/)

const scalarSchema = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

const subjectFields = {
  path: memberPathSchema
    .optional()
    .describe('A member of the JSON body: names by dots, items of arrays by their number.'),
  header: headerNameSchema.optional().describe('A header, whose values are texts.'),
  body: z.enum(['empty', 'json']).optional().describe('What the body is; takes nothing beside it.'),
}
const comparisonFields = {
  equals: scalarSchema.optional(),
  one_of: z.array(scalarSchema).min(1).max(20).optional(),
  present: z.boolean().optional().describe('Whether it is there and not null.'),
  missing: z.boolean().optional().describe('Whether it is not there at all, which null is.'),
}
const testFields = { ...subjectFields, ...comparisonFields }
const [subjects, comparisons] = [subjectFields, comparisonFields].map(fields => Object.keys(fields)) as [
  (keyof typeof subjectFields)[],
  (keyof typeof comparisonFields)[],
]
const notOneTest = {
  message:
    'takes one of path, header and body, and for the first two one of equals, one_of, present and missing',
  params: { code: 'not_one_condition' },
}

const answerTestSchema = z.strictObject(testFields).refine(isOneTest, notOneTest)
export type AnswerTest = z.infer<typeof answerTestSchema>

const answerRuleSchema = z
  .strictObject({
    status: statusesSchema
      .min(1)
      .optional()
      .describe('Statuses that it judges; those of `done` where not given.'),
    ...testFields,
    all_of: z.array(answerTestSchema).min(1).max(10).optional().describe('Tests that must all hold.'),
  })
  .refine(isOneRule, {
    message: 'takes status, one test or all_of',
    params: { code: 'not_one_condition' },
  })
export type AnswerRule = z.infer<typeof answerRuleSchema>

export const answerRulesSchema = z.union([answerRuleSchema, z.array(answerRuleSchema).min(1).max(10)])
export type AnswerRules = z.infer<typeof answerRulesSchema>

export const answerFields = {
  statuses: statusMapSchema.optional(),
  response: z
    .enum(['json', 'ignored'])
    .optional()
    .describe(
      '`json`: the body of what was done must be empty or JSON, and becomes the result. Where not given, that of the preset.',
    ),
  success_when: answerRulesSchema
    .optional()
    .describe(
      'A rule, or several of which one must hold, for what was done. Of an answer with a status of `done` that fits none, the outcome is unknown.',
    ),
  failed_when: answerRulesSchema
    .optional()
    .describe('The same for where nothing was done and never will be.'),
  busy_when: answerRulesSchema
    .optional()
    .describe(
      'The same for where nothing was done and it may be tried again later, which uses up no attempt.',
    ),
}

export const rulesOf = (rules: AnswerRules | undefined): readonly AnswerRule[] =>
  rules === undefined ? [] : Array.isArray(rules) ? rules : [rules]

/**
 * Returns the tests of a rule, all of which must hold. The list is empty for a rule that only compares the status.
 */
export function testsOf({ status: _, all_of = [], ...test }: AnswerRule): readonly AnswerTest[] {
  return subjects.some(subject => test[subject] !== undefined) ? [...all_of, test] : all_of
}

type Given = Partial<Record<string, unknown>>

function isOneTest(test: Given): boolean {
  const [subject, ...more] = subjects.filter(name => test[name] !== undefined)
  if (subject === undefined || more.length > 0) return false
  const given = comparisons.filter(name => test[name] !== undefined)
  return subject === 'body' ? given.length === 0 : given.length === 1
}

function isOneRule(rule: Given): boolean {
  const { status, all_of, ...test } = rule
  const hasTest = [...subjects, ...comparisons].some(name => test[name] !== undefined)
  if (hasTest) return all_of === undefined && isOneTest(test)
  return status !== undefined || all_of !== undefined
}
