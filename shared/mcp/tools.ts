import type { OperationAccess } from '../contract/access/access-schema.ts'
import { accessWords } from '../contract/access/access-words.ts'
import { toolResultJsonSchema } from '../contract/action/tool-result-schema.ts'
import { isPlainObject, type JsonObject } from '../contract/base/json.ts'
import { limits } from '../contract/base/limits.ts'
import type { CatalogOperation } from '../contract/configuration/catalog.ts'
import type { OperationName } from './tool-names.ts'

export interface Tool {
  name: string
  title: string
  description: string
  inputSchema: JsonObject & { type: 'object' }
  outputSchema: JsonObject & { type: 'object' }
  annotations: {
    title: string
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
  _meta?: Record<string, unknown>
}

/** An operation behind a tool. `entry` is its catalog entry, or null if it has none. */
export interface ToolOperation extends OperationName {
  name: string
  entry: CatalogOperation | null
  access: OperationAccess
}

/** The argument that makes it safe to repeat a call. It never reaches the downstream. */
export const proposalIdArgument = 'action_gate_proposal_id'

export const metaNames = {
  proposalId: 'io.action-gate/proposal-id',
  risk: 'io.action-gate/risk',
  agentId: 'io.action-gate/agent-id',
  runId: 'io.action-gate/run-id',
} as const

const outputSchema = toolResultJsonSchema

/** Describes an operation as a tool, only in the words of the service and the reviewed catalog. */
export function toolOf(operation: ToolOperation): Tool {
  const title = titleOf(operation)
  return {
    name: operation.name,
    title,
    description: descriptionOf(operation, title),
    inputSchema: inputSchemaOf(operation.entry),
    outputSchema,
    annotations: {
      title,
      readOnlyHint: false,
      destructiveHint: operation.entry?.reversibility !== 'reversible',
      idempotentHint: false,
      openWorldHint: true,
    },
    _meta: { 'io.action-gate/operation': { system: operation.system, operation: operation.operation } },
  }
}

function titleOf({ entry, system, operation }: ToolOperation): string {
  return entry?.title ?? `${operation} on ${system}`
}

function descriptionOf({ entry, access }: ToolOperation, title: string): string {
  return [
    `${title.replace(/[.!?]*$/, '')}.`,
    ...(entry && entry.effects.length > 0 ? [`Effects: ${entry.effects.join(', ')}.`] : []),
    ...(entry ? [reversibilityTexts[entry.reversibility]] : []),
    accessWords(access),
    'Action Gate decides by policy, executes the call itself and records it. Never do it another way.',
    `To repeat a call safely, send the same ${proposalIdArgument} again.`,
  ].join(' ')
}

const reversibilityTexts: Readonly<Record<CatalogOperation['reversibility'], string>> = {
  reversible: 'It can be undone.',
  compensatable: 'Another operation can make up for it.',
  irreversible: 'It cannot be undone.',
}

/** Adds the argument for repeated calls to the closed schema, unless a parameter has the same name. */
function inputSchemaOf(entry: CatalogOperation | null): Tool['inputSchema'] {
  const schema = entry?.parameter_schema ?? { type: 'object', additionalProperties: true }
  const properties = isPlainObject(schema.properties) ? schema.properties : {}
  if (Object.hasOwn(properties, proposalIdArgument)) return { ...schema, type: 'object' }
  return { ...schema, type: 'object', properties: { ...properties, [proposalIdArgument]: idSchema } }
}

const idSchema = {
  type: 'string',
  maxLength: limits.identifier_length_max,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]*$',
  description:
    'One for each intended action, chosen by you. A call with the same id never acts twice; leave it out for a new action.',
} satisfies JsonObject

const actionIdSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['action_id'],
  properties: { action_id: { type: 'string', description: 'The `action_id` of an earlier result.' } },
} satisfies JsonObject

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** The service's own tools, for clients that cannot wait for a task. */
export const serviceTools = {
  action_wait: {
    name: 'action_wait',
    title: 'Wait for an action',
    description:
      'Waits until an action ended, 45 seconds at most, and answers with its result or where it stands. Changes nothing.',
    inputSchema: actionIdSchema as Tool['inputSchema'],
    outputSchema,
    annotations: { title: 'Wait for an action', ...readOnly },
  },
  action_status: {
    name: 'action_status',
    title: 'Status of an action',
    description: 'Answers at once with the result of an action, or where it stands. Changes nothing.',
    inputSchema: actionIdSchema as Tool['inputSchema'],
    outputSchema,
    annotations: { title: 'Status of an action', ...readOnly },
  },
} as const satisfies Record<string, Tool>
