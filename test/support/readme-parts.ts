import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { terminalStatuses } from '../../shared/lifecycle/status.ts'
import { transitions } from '../../shared/lifecycle/transition.ts'
import { settings } from '../../shared/runtime/settings.ts'
import { checklistTable } from '../security/checklist.ts'
import { productionPackages } from '../security/production-packages.ts'
import { repositoryRoot } from './repository-root.ts'

const readme = join(repositoryRoot, 'README.md')

/** The parts of the README that the code writes, each between two comments that carry its name. */
export const readmeParts: Readonly<Record<string, () => string>> = {
  'state-table': stateDiagram,
  settings: settingsTable,
  'security-checklist': checklistTable,
  'production-packages': packageTable,
}

/** What stands between the comments of a part, or null when the README has no such comments. */
export function readPart(name: string): string | null {
  return cut(readFileSync(readme, 'utf8'), name)?.part ?? null
}

/** Replace what stands between the comments of a part. */
export function writePart(name: string, text: string): void {
  const around = cut(readFileSync(readme, 'utf8'), name)
  if (!around) throw new Error(`README.md has no ${comment(name, 'begin')}`)
  writeFileSync(readme, `${around.before}${text}${around.after}`)
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
