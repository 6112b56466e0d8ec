import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { proposalSchema } from '../../shared/contract/action/proposal-schema.ts'
import {
  mockSettingsSchema,
  moduleSettingsSchema,
} from '../../shared/contract/configuration/actuator-schema.ts'
import { catalogSchema } from '../../shared/contract/configuration/catalog.ts'
import { httpSettingsSchema } from '../../shared/contract/configuration/http-actuator-schema.ts'
import {
  mcpServerSchema,
  mcpSettingsSchema,
} from '../../shared/contract/configuration/mcp-actuator-schema.ts'
import { constraintSchema, policySchema } from '../../shared/contract/configuration/policy.ts'
import { checklistTable } from '../security/checklist.ts'
import {
  endpointTable,
  errorsTable,
  limitsTable,
  packageTable,
  presetTable,
  rolesTable,
  settingsTable,
  stateDiagram,
  transitionTable,
} from './generated-tables.ts'
import { memberTable } from './member-table.ts'
import { repositoryRoot } from './repository-root.ts'

/** A part of a document that the code writes, between two comments that carry its name. */
export interface GeneratedPart {
  name: string
  document: string
  write: () => string
}

const actuators = 'api/docs/actuators.md'
const policies = 'api/docs/policies.md'
const specification = 'api/docs/specification.md'

/** Members that are those of another, which is in the table. */
const repeated = /(?:failed|busy)_when[.[]|success_when\[\]|all_of\[\]/

export const generatedParts: readonly GeneratedPart[] = [
  { name: 'state-table', document: 'README.md', write: stateDiagram },
  { name: 'settings', document: 'api/docs/configuration.md', write: settingsTable },
  { name: 'security-checklist', document: 'api/docs/security.md', write: checklistTable },
  { name: 'member-roles', document: 'api/docs/dashboard.md', write: rolesTable },
  { name: 'production-packages', document: 'api/docs/security.md', write: packageTable },
  { name: 'approval-bot', document: 'api/docs/approvals.md', write: approvalBot },
  { name: 'transitions', document: specification, write: transitionTable },
  { name: 'endpoints', document: specification, write: endpointTable },
  { name: 'errors', document: specification, write: errorsTable },
  { name: 'limits', document: specification, write: limitsTable },
  { name: 'proposal', document: specification, write: () => memberTable(proposalSchema) },
  { name: 'policy', document: policies, write: () => memberTable(policySchema, /<name>.<name>/) },
  { name: 'constraint', document: policies, write: () => memberTable(constraintSchema) },
  { name: 'catalog', document: policies, write: () => memberTable(catalogSchema) },
  { name: 'mock', document: actuators, write: () => memberTable(mockSettingsSchema) },
  { name: 'http', document: actuators, write: () => memberTable(httpSettingsSchema, repeated) },
  { name: 'answer-presets', document: actuators, write: presetTable },
  { name: 'mcp', document: actuators, write: () => memberTable(mcpSettingsSchema) },
  { name: 'mcp-server', document: actuators, write: () => memberTable(mcpServerSchema) },
  { name: 'module', document: actuators, write: () => memberTable(moduleSettingsSchema) },
]

/** The program that test/service/approval/approval-bot.test.ts runs. */
function approvalBot(): string {
  return `\`\`\`js\n${readFileSync(join(repositoryRoot, 'test/cases/approval-bot.mjs'), 'utf8')}\`\`\``
}

/** The text between the comments of a part, or null when its document has no such comments. */
export function readPart({ name, document }: GeneratedPart): string | null {
  return cut(readFileSync(join(repositoryRoot, document), 'utf8'), name)?.part ?? null
}

/** Replace the text between the comments of a part. */
export function writePart({ name, document }: GeneratedPart, text: string): void {
  const path = join(repositoryRoot, document)
  const around = cut(readFileSync(path, 'utf8'), name)
  if (!around) throw new Error(`${document} has no ${comment(name, 'begin')}`)
  writeFileSync(path, `${around.before}${text}${around.after}`)
}

function cut(text: string, name: string): { before: string; part: string; after: string } | null {
  const start = text.indexOf(`${comment(name, 'begin')}\n`)
  const end = text.indexOf(comment(name, 'end'))
  if (start < 0 || end < start) return null
  const inner = start + comment(name, 'begin').length + 1
  return { before: text.slice(0, inner), part: text.slice(inner, end), after: text.slice(end) }
}

function comment(name: string, edge: 'begin' | 'end'): string {
  return `<!-- ${name}:${edge} -->`
}
