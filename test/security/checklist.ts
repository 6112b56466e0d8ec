import { accessItems } from './checklist-access.ts'
import { inputItems } from './checklist-input.ts'
import type { Item, Proof } from './checklist-item.ts'
import { operationItems } from './checklist-operation.ts'

export const checklist: readonly Item[] = [...accessItems, ...inputItems, ...operationItems]

/** The checklist as a table of api/docs/security.md. */
export function checklistTable(): string {
  const rows = checklist.map(
    ({ item, rule, tests, why }) =>
      `| ${item} | ${cell(rule)} | ${[...shown(tests), ...shownWhy(why)].join('<br>')} |`,
  )
  return ['| # | rule | tests, and what is otherwise |', '|---|---|---|', ...rows].join('\n')
}

function shown(tests: readonly Proof[]): string[] {
  const byFile = new Map<string, string[]>()
  for (const [file, title] of tests) byFile.set(file, [...(byFile.get(file) ?? []), title])
  return [...byFile].map(([file, titles]) => `\`${file}\`: ${titles.map(cell).join('; ')}`)
}

function shownWhy(why: string | undefined): string[] {
  return why === undefined ? [] : [cell(why)]
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
