import type { Proposal } from '../contract/action/proposal-schema.ts'
import { limits } from '../contract/base/limits.ts'
import type { Catalog, CatalogOperation } from '../contract/configuration/catalog.ts'
import type { NormalizedConstraint, Policy } from '../contract/configuration/policy.ts'
import type { OutcomeQuery } from '../contract/configuration/verification-schema.ts'
import type { CompiledPolicy } from '../gate/compiled-policy.ts'
import { evaluate } from '../gate/evaluate.ts'
import { exampleParameters } from '../gate/example-parameters.ts'
import { toolNames } from './tool-names.ts'
import { serviceTools, type Tool, type ToolOperation, toolOf } from './tools.ts'

/** What an agent's tools are made from: the documents in force, and the same compiled. */
export interface BookSource {
  policy: Policy
  catalog: Catalog | null
  compiled: CompiledPolicy
}

/** The tools of a tenant at one version of its rules. */
export interface ToolBook {
  /** Every operation that policy or catalog names, by the name of its tool: a call of each reaches the gate. */
  operations: ReadonlyMap<string, ToolOperation>
  /** Those that the policy could ever allow or hold, and the tools of the service, in a stable order, page by page. */
  pages: readonly ToolPage[]
}

/** A page of the list as it is sent: JSON in UTF-8, of as many tools as 256 kB hold (specification.md#model-context-protocol). */
export interface ToolPage {
  bytes: Uint8Array<ArrayBuffer>
  /** The name of its last tool; null on the last page. */
  next: string | null
}

const encoder = new TextEncoder()

/** Whether the policy could allow or hold a call; `unsure` is for a proof to say. */
export type Reach = 'reachable' | 'unreachable' | 'unsure'

/** Every operation that the documents name, in the order of their names. */
export function toolOperations({ policy, catalog, compiled }: BookSource): ToolOperation[] {
  const named = new Map<string, Target>()
  const name = (target: Target) => named.set(`${target.system}\n${target.operation}`, target)
  for (const [system, operations] of Object.entries(policy.allowed_operations))
    for (const operation of operations) name({ system, operation, entry: null })
  for (const entry of catalog?.operations ?? []) name({ ...pick(entry), entry })
  const targets = [...named].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, target]) => target)
  const names = toolNames(targets)
  return targets.map((target, at) => ({
    ...target,
    name: names[at] as string,
    approval_required_at: compiled.approvalRequiredAt,
  }))
}

/** What the gate says of an example: enough for most operations, without a proof. */
export function quickReach({ policy, compiled }: BookSource, operation: ToolOperation): Reach {
  const constraints = constraintsOf(policy, operation)
  const { decision, checks } = evaluate(exampleOf(operation, constraints), compiled)
  if (decision !== 'deny') return 'reachable'
  const aboutParameters = (check: string) => check === 'parameters_schema' || check.startsWith('parameter_')
  const failed = checks.filter(({ outcome }) => outcome === 'fail')
  if (!failed.every(({ check }) => aboutParameters(check))) return 'unreachable'
  // A schema alone that nothing meets is an error of its review, and no proof is spent on it.
  return Object.keys(constraints).length === 0 ? 'reachable' : 'unsure'
}

/** What a proof is asked about operations whose example is denied: two questions each, in their order. */
export function reachQueries(operations: readonly ToolOperation[]): OutcomeQuery[] {
  return operations.flatMap(({ name, system, operation }) =>
    (['allow', 'needs_approval'] as const).map(decision => ({
      name: `${name} ${decision}`,
      decision,
      system,
      operation,
    })),
  )
}

export function makeBook(operations: readonly ToolOperation[], reachable: ReadonlySet<string>): ToolBook {
  const listed = operations.filter(({ name }) => reachable.has(name)).map(toolOf)
  return {
    operations: new Map(operations.map(operation => [operation.name, operation])),
    pages: pagesOf([...listed, ...Object.values(serviceTools)]),
  }
}

function pagesOf(tools: readonly Tool[]): ToolPage[] {
  const pages: { texts: Uint8Array[]; bytes: number; last: string | null }[] = []
  for (const tool of tools) {
    const text = encoder.encode(JSON.stringify(tool))
    const bytes = text.length + 1
    const page = pages.at(-1)
    if (page && page.bytes + bytes < limits.tool_page_bytes_max) {
      page.texts.push(text)
      page.bytes += bytes
      page.last = tool.name
    } else pages.push({ texts: [text], bytes, last: tool.name })
  }
  return pages.map(({ texts, bytes, last }, at) => ({
    bytes: listOf(texts, bytes),
    next: at + 1 < pages.length ? last : null,
  }))
}

const [comma, opening, closing] = [0x2c, 0x5b, 0x5d]

/** A list of JSON of these texts; `bytes`: of all of them, and a sign after each. */
function listOf(texts: readonly Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const list = new Uint8Array(bytes + 1).fill(comma)
  let at = 1
  for (const text of texts) {
    list.set(text, at)
    at += text.length + 1
  }
  list[0] = opening
  list[bytes] = closing
  return list
}

type Constraints = Readonly<Record<string, NormalizedConstraint>>

function constraintsOf(policy: Policy, { system, operation }: ToolOperation): Constraints {
  const ofSystem = own(policy.parameter_constraints, system)
  return (ofSystem && own(ofSystem, operation)) ?? {}
}

function exampleOf({ system, operation, entry }: ToolOperation, constraints: Constraints): Proposal {
  const parameters = exampleParameters(entry?.parameter_schema ?? null, constraints)
  return {
    proposal_id: 'example-1',
    actor: { agent_id: 'any-agent' },
    summary: 'Example of a tool',
    action: { target_system: system, operation, parameters },
    risk: { level: 'low' },
  }
}

type Target = Pick<ToolOperation, 'system' | 'operation' | 'entry'>

function pick({ system, operation }: CatalogOperation): Omit<Target, 'entry'> {
  return { system, operation }
}

function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
