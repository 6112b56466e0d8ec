import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalStatuses } from '../../shared/lifecycle/status.ts'
import { transitions } from '../../shared/lifecycle/transition.ts'
import { settings } from '../../shared/runtime/settings.ts'
import { checklistTable } from '../security/checklist.ts'
import { productionPackages } from '../security/production-packages.ts'
import { repositoryRoot } from './repository-root.ts'

/** A part of a document that the code writes, between two comments that carry its name. */
export interface GeneratedPart {
  name: string
  document: string
  write: () => string
}

export const generatedParts: readonly GeneratedPart[] = [
  { name: 'state-table', document: 'README.md', write: stateDiagram },
  { name: 'settings', document: 'api/docs/configuration.md', write: settingsTable },
  { name: 'security-checklist', document: 'api/docs/security.md', write: checklistTable },
  { name: 'production-packages', document: 'api/docs/security.md', write: packageTable },
]

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

/** The state table as a Mermaid diagram: trigger, event and, in parentheses, statuses that are never committed. */
function stateDiagram(): string {
  const moves = transitions.map(({ from, trigger, via, to, event }) => {
    const passed = via.length > 0 ? ` (${via.join(', ')})` : ''
    return `    ${from ?? '[*]'} --> ${to} : ${trigger} / ${event}${passed}`
  })
  const ends = [...terminalStatuses].map(status => `    ${status} --> [*]`)
  return ['```mermaid', 'stateDiagram-v2', ...moves, ...ends, '```'].join('\n')
}

function settingsTable(): string {
  const rows = Object.values(settings).map(
    ({ env, preset, meaning }) => `| \`${env}\` | ${shownPreset(preset)} | ${cell(meaning)} |`,
  )
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

function packageTable(): string {
  const rows = Object.entries(productionPackages).map(([name, why]) => `| \`${name}\` | ${cell(why)} |`)
  return ['| package | what for |', '|---|---|', ...rows].join('\n')
}

function shownPreset(preset: string | undefined): string {
  if (preset === undefined) return 'not set'
  return preset === '' ? 'empty' : `\`${cell(preset)}\``
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
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
