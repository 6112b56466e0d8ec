import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import type * as wire from '../../../shared/client/wire.ts'
import type * as action from '../../../shared/contract/action/action.ts'
import {
  type ActionOutcome,
  type ActionStatus,
  actionStatuses,
} from '../../../shared/contract/action/action-status.ts'
import type { Proposal } from '../../../shared/contract/action/proposal-schema.ts'
import type { Evaluation, Verdict } from '../../../shared/contract/action/verdict.ts'
import type { Problem } from '../../../shared/contract/base/errors.ts'
import { openApiDocument } from '../../../shared/contract/openapi/openapi.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

/** What the service sends fits the client's types, and what the client sends those of the service: the compiler says so. */
export const received = [
  (sent: Verdict): wire.Verdict => sent,
  (sent: action.Trace): wire.Trace => sent,
  (sent: action.HeldAction): wire.HeldAction => sent,
  (sent: action.DecisionResponse): wire.DecisionResponse => sent,
  (sent: action.ActionSummary): wire.ActionSummary => sent,
  (sent: Problem): wire.Problem => sent,
  (sent: ActionOutcome): wire.ActionOutcome => sent,
  (sent: Omit<Evaluation, 'review_route'>): wire.Evaluation => sent,
  (sent: wire.Proposal): Proposal => sent,
  (sent: wire.ActionStatus): ActionStatus => sent,
]

interface Shape {
  required?: string[]
  properties?: Record<string, unknown>
}

const { components } = openApiDocument({ version: '0', base_url: '' }) as unknown as {
  components: { schemas: Record<string, Shape> }
}

/** Names of the client's types as the document calls them, and those of which the client reads a part. */
const documented: readonly { type: string; schema: string; part?: true }[] = [
  { type: 'Proposal', schema: 'Proposal' },
  { type: 'ActionOutcome', schema: 'ActionOutcome' },
  { type: 'ActuatorResult', schema: 'ActuatorResult' },
  { type: 'Check', schema: 'Check' },
  { type: 'RevisionReference', schema: 'RevisionReference' },
  { type: 'KeyPrincipal', schema: 'KeyPrincipal' },
  { type: 'Principal', schema: 'Principal' },
  { type: 'Verdict', schema: 'Verdict' },
  { type: 'RecordedVerdict', schema: 'RecordedVerdict', part: true },
  { type: 'TraceEvent', schema: 'Event' },
  { type: 'ApprovalRecord', schema: 'ApprovalRecord' },
  { type: 'ExecutionRecord', schema: 'ExecutionRecord' },
  { type: 'Trace', schema: 'ActionTrace', part: true },
  { type: 'ActionSummary', schema: 'ActionSummary' },
  { type: 'HeldAction', schema: 'HeldAction' },
  { type: 'DecisionResponse', schema: 'DecisionResponse' },
  { type: 'Issue', schema: 'Issue' },
  { type: 'Problem', schema: 'Problem' },
]

const path = join(repositoryRoot, 'shared/client/wire.ts')
const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
const interfaces = new Map(
  source.statements.filter(ts.isInterfaceDeclaration).map(one => [one.name.text, one]),
)

/** The members of a type and of those it extends, with whether each must be there. */
function membersOf(name: string): Map<string, boolean> {
  const declared = interfaces.get(name)
  const above = declared?.heritageClauses?.flatMap(({ types }) => types.map(type => type.getText())) ?? []
  const own = declared?.members.filter(ts.isPropertySignature) ?? []
  return new Map([
    ...above.flatMap(parent => [...membersOf(parent)]),
    ...own.map(member => [member.name.getText(), !member.questionToken] as const),
  ])
}

test.each(documented)('$type has the members that the document gives $schema', ({ type, schema, part }) => {
  const { required = [], properties = {} } = components.schemas[schema] ?? {}
  const wanted = Object.keys(properties).map(name => [name, required.includes(name)] as const)
  const found = membersOf(type)
  expect(found.size).toBeGreaterThan(1)
  const compared = wanted.filter(([name]) => !part || found.has(name))
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(compared))
})

test('the statuses are those of the contract', () => {
  const declared = source.statements.filter(ts.isTypeAliasDeclaration)
  const statuses = declared.find(({ name }) => name.text === 'ActionStatus')?.type.getText() ?? ''
  expect([...statuses.matchAll(/'(\w+)'/g)].map(([, name]) => name)).toEqual([...actionStatuses])
})
