import type { JsonValue } from '../../contract/base/json.ts'
import {
  type AnswerRule,
  type AnswerRules,
  type AnswerTest,
  rulesOf,
  testsOf,
} from '../../contract/configuration/answer-rules.ts'
import type { Answer } from '../exchange.ts'
import type { Body } from './read-body.ts'

export const stances = ['success_when', 'failed_when', 'busy_when'] as const
export type Stance = (typeof stances)[number]
export type StatedRules = { [Name in Stance]?: AnswerRules | undefined }

export interface Subject {
  answer: Answer
  body: Body
  isDone: boolean
}

export function holding(rules: StatedRules, subject: Subject): ReadonlyMap<Stance, string> {
  const held = stances.flatMap(stance => {
    const stated = rules[stance]
    const at = rulesOf(stated).findIndex(rule => holds(rule, subject))
    if (at < 0) return []
    return [[stance, Array.isArray(stated) ? `${stance}[${at}]` : stance] as const]
  })
  return new Map(held)
}

/** Returns true if a rule for this status tests a body member, but the body cannot be read. */
export function isUnreadable(rules: StatedRules, subject: Subject): boolean {
  if (membersOf(subject.body).readable) return false
  return stances
    .flatMap(stance => rulesOf(rules[stance]))
    .some(rule => judges(rule, subject) && testsOf(rule).some(({ path }) => path !== undefined))
}

/** Returns true if a success rule lists the status. That status alone then proves no refusal. */
export function isNamed(status: number, { success_when }: StatedRules): boolean {
  return rulesOf(success_when).some(rule => rule.status?.includes(status))
}

function judges({ status }: AnswerRule, { answer, isDone }: Subject): boolean {
  return status === undefined ? isDone : status.includes(answer.status)
}

function holds(rule: AnswerRule, subject: Subject): boolean {
  return judges(rule, subject) && testsOf(rule).every(test => passes(test, subject))
}

function passes(test: AnswerTest, { answer, body }: Subject): boolean {
  if (test.body === 'empty') return body.kind === 'empty'
  if (test.body === 'json') return body.kind === 'exact' || body.kind === 'inexact'
  if (test.header !== undefined) return compares(test, headerTexts(answer, test.header))
  const { readable, value } = membersOf(body)
  const member = memberAt(value, test.path ?? '')
  return readable && compares(test, member === undefined ? [] : [member])
}

function compares({ equals, one_of, present, missing }: AnswerTest, values: readonly JsonValue[]): boolean {
  if (missing !== undefined) return missing === (values.length === 0)
  if (present !== undefined) return present === values.some(value => value !== null)
  const wanted = one_of ?? [equals]
  return values.some(value => wanted.some(one => one === value))
}

function headerTexts({ headers }: Answer, name: string): readonly string[] {
  const value = headers[name.toLowerCase()]
  return value === undefined ? [] : [value].flat()
}

/** Returns the value of a body. An empty body has no members. Duplicate names make a body unreadable. */
function membersOf(body: Body): { readable: boolean; value?: JsonValue | undefined } {
  if (body.kind === 'empty') return { readable: true }
  return 'value' in body ? { readable: true, value: body.value } : { readable: false }
}

export function memberAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let at = value
  for (const name of path.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    if (Array.isArray(at) && !/^\d{1,9}$/.test(name)) return undefined
    at = (at as Record<string, JsonValue>)[name]
  }
  return at
}
