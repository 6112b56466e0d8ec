import type { OperationAccess } from '../contract/access/access-schema.ts'
import type { Issue } from '../contract/base/errors.ts'
import { limits } from '../contract/base/limits.ts'
import type { FreezeSelector } from '../contract/configuration/freeze-schema.ts'
import type { ToolProposal } from '../contract/configuration/tool-import.ts'
import { isFrozen } from '../gate/freeze.ts'
import { type AccessTarget, type NamingDocuments, namedTargets } from '../gate/operation-access.ts'
import { toolNames } from './tool-names.ts'
import { serviceTools, type Tool, type ToolOperation, toolOf } from './tools.ts'

export interface ToolBook {
  /**
   * Every operation that policy or catalog names, by tool name. A call of any of these operations reaches the
   * gate.
   */
  operations: ReadonlyMap<string, ToolOperation>
  /**
   * Pages of tools in a stable order: the tools of operations that are not denied, and the service's own
   * tools.
   */
  pages: readonly ToolPage[]
  freezes: readonly FreezeSelector[]
}

/** A page of the tool list as JSON in UTF-8, at most 256 kB (specification.md#model-context-protocol). */
export interface ToolPage {
  bytes: Uint8Array<ArrayBuffer>
  /** The name of the last tool on the page; null on the last page. */
  next: string | null
}

const encoder = new TextEncoder()

/** Returns the operations that agents can see. Operations that only constraints name are left out. */
export function toolTargets({ policy, catalog }: NamingDocuments): AccessTarget[] {
  return namedTargets({
    policy: { ...policy, allowed_systems: [], parameter_constraints: {} },
    catalog,
    actuators: [],
  })
}

export function makeBook(
  targets: readonly AccessTarget[],
  answers: readonly OperationAccess[],
  freezes: readonly FreezeSelector[],
): ToolBook {
  const operations = namedOperations(targets, answers)
  return {
    operations: new Map(operations.map(operation => [operation.name, operation])),
    pages: listPages(operations),
    freezes: freezes.filter(({ key_id }) => key_id !== null),
  }
}

function namedOperations(
  targets: readonly AccessTarget[],
  answers: readonly OperationAccess[],
): ToolOperation[] {
  const names = toolNames(targets)
  return targets.map((target, at) => ({
    ...target,
    name: names[at] as string,
    access: answers[at] as OperationAccess,
  }))
}

export type ToolWeight = ToolProposal['operations'][number]['weight']

const bytesOfToken = 4

/**
 * Returns the weight of each tool. Tokens count only what clients show to a model: name, description,
 * parameters.
 */
export function toolWeights(
  targets: readonly AccessTarget[],
  answers: readonly OperationAccess[],
): ToolWeight[] {
  return namedOperations(targets, answers).map(operation => {
    const tool = toolOf(operation)
    const { name, description, inputSchema } = tool
    const shown = encoder.encode(JSON.stringify({ name, description, inputSchema })).length
    return { bytes: encoder.encode(JSON.stringify(tool)).length + 1, tokens: Math.ceil(shown / bytesOfToken) }
  })
}

export function weightWarnings(weights: readonly ToolWeight[]): Issue[] {
  const tokens = weights.reduce((sum, weight) => sum + weight.tokens, 0)
  const most = limits.import_tokens_warned
  if (tokens <= most) return []
  const message = `a model is given about ${tokens} tokens of these ${weights.length} tools, more than ${most}: import fewer with --only, or allow fewer`
  return [{ path: 'operations', code: 'tool_list_long', message }]
}

export function pagesFor({ operations, pages, freezes }: ToolBook, key_id: string): readonly ToolPage[] {
  const own = freezes.filter(freeze => freeze.key_id === key_id)
  if (own.length === 0) return pages
  return listPages(
    [...operations.values()].filter(({ system, operation }) => !isFrozen(own, { system, operation, key_id })),
  )
}

function listPages(operations: Iterable<ToolOperation>): ToolPage[] {
  const listed = [...operations].filter(({ access }) => access.answer !== 'denied').map(toolOf)
  return pagesOf([...listed, ...Object.values(serviceTools)])
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

/** Joins texts into a JSON list. `bytes` is the size of all texts plus one separator for each text. */
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
