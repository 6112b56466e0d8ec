import {
  accessCounts,
  accessLabels,
  accessWords,
  weightWords,
} from '../../../shared/contract/access/access-words.ts'
import { kindOf } from '../../../shared/contract/actuator-kind/kinds.ts'
import type { RegisteredActuator } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { ToolProposal, ToolSummary } from '../../../shared/contract/configuration/tool-import.ts'
import type { Terminal } from './terminal.ts'
import type { ToolDesk } from './tool-desk.ts'

export async function listTools(desk: ToolDesk, terminal: Terminal): Promise<void> {
  const { tools } = await desk.call<{ tools: ToolSummary[] }>('GET', '/tools')
  const rows = tools.map(({ system, kind, address, operations }) => [
    system,
    kind ?? 'no actuator',
    address ?? '',
    accessCounts(operations),
  ])
  const lines = aligned(rows).flatMap((row, at) => [row, ...accessLines((tools[at] as ToolSummary).access)])
  terminal.say(tools.length === 0 ? `${desk.tenant} has no tools` : lines.join('\n'))
}

function accessLines(access: ToolSummary['access']): string[] {
  const names = new Map<string, string[]>()
  for (const { operation, ...told } of access) {
    const words = `${accessLabels[told.answer]}: ${accessWords(told)}`
    names.set(words, [...(names.get(words) ?? []), operation ?? 'any other operation'])
  }
  return [...names].flatMap(([words, operations]) => [`  ${operations.join(', ')}`, `    ${words}`])
}

export function proposalLines(proposal: ToolProposal): string[] {
  const { title, system, actuator, operations, refused, gone, denied, credentials, warnings } = proposal
  const changed = operations.filter(({ changes }) => changes.length > 0)
  const rows = changed.map(one => [
    isNew(one) ? '+' : '~',
    one.operation,
    one.source,
    `${one.entry?.minimum_risk ?? 'unknown'} risk`,
    standing(one),
  ])
  const lines = aligned(rows).flatMap((row, at) => [
    row,
    ...detailsOf(changed[at] as (typeof changed)[number]),
  ])
  return [
    `${title} as ${system}, at ${addressOf(actuator)}`,
    '',
    ...lines,
    ...gone.map(name => `-  ${name}  is gone from the source`),
    ...(operations.length > changed.length ? [`   ${operations.length - changed.length} unchanged`] : []),
    '',
    `allowed tools: ${weightWords(operations.filter(({ allowed }) => allowed).map(({ weight }) => weight))}`,
    ...section('not imported:', [
      ...aligned(refused.map(({ operation, source, message }) => [` ${operation}`, source, message])),
    ]),
    ...section(firstCatalog, [
      ...denied.map(
        ({ system: name, operations }) =>
          ` ${name}: ${operations?.join(', ') ?? (name === system ? 'every other operation' : 'every operation')}`,
      ),
    ]),
    ...section('what it asks for:', [
      ...credentials.map(({ name, source, message }) => ` ${name}, ${message} (${places[source]})`),
    ]),
    ...section('', [...warnings.map(({ path, message }) => `warning: ${path}: ${message}`)]),
  ]
}

const firstCatalog = 'denied from now on, since the first catalog has no entry for it:'

const places = { tenant: 'a secret of the tenant', workers: 'a variable of the workers' } as const

type Operation = ToolProposal['operations'][number]

function isNew({ changes }: Operation): boolean {
  return changes.some(({ code }) => code === 'new')
}

function standing({ allowed, access }: Operation): string {
  return accessLabels[allowed ? access.answer : 'denied']
}

function detailsOf(operation: Operation): string[] {
  const { changes, left_out, access, allowed } = operation
  const isPlain = access.answer === 'allowed' || access.answer === 'held'
  const why = isPlain || !allowed ? [] : [`     ${access.message}`]
  const told = isNew(operation) ? [] : changes.map(({ message }) => `     ${message}`)
  return [...why, ...told, ...left_out.map(({ path, message }) => `     left out: ${path}: ${message}`)]
}

function section(heading: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...(heading === '' ? [] : [heading]), ...lines]
}

export function addressOf(actuator: RegisteredActuator): string {
  return kindOf(actuator).address(actuator.settings) ?? actuator.kind
}

function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map(row => (row[column] ?? '').length).map(width => Math.min(width, 60))),
  )
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
