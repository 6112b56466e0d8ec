import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '../support/repository-root.ts'
import type { Mutant } from './mutate.ts'
import { reasonOf, type Survivor } from './survivors.ts'

/** A mutant that was tried, and the test that failed with it. */
export interface Verdict extends Omit<Survivor, 'reason'> {
  killed_by: string
}

const path = join(repositoryRoot, 'test/mutants/verdicts.json')

let known: Verdict[] | null = null

/** What was tried before, in the order of the files. */
export function verdicts(): readonly Verdict[] {
  known ??= JSON.parse(readFileSync(path, 'utf8')) as Verdict[]
  return known
}

/** The test that killed it when it was tried last; null where none did. */
export function killerOf(mutant: Mutant): string | null {
  return verdicts().find(verdict => isOf(verdict, mutant))?.killed_by ?? null
}

/** It was killed, or is equivalent. */
export function isListed(mutant: Mutant): boolean {
  return killerOf(mutant) !== null || reasonOf(mutant) !== null
}

/** Writes a verdict in the place of the one before; null: it survived. */
export function record(mutant: Mutant, killedBy: string | null): void {
  const { file, text, place, from, to } = mutant
  const others = verdicts().filter(verdict => !isOf(verdict, mutant))
  const more = killedBy === null ? [] : [{ file, text, place, from, to, killed_by: killedBy }]
  const name = (verdict: Verdict) => [verdict.file, verdict.text, verdict.place, verdict.to].join(' ')
  known = [...others, ...more].sort((one, other) => (name(one) < name(other) ? -1 : 1))
  writeFileSync(path, `${JSON.stringify(known, null, 2)}\n`)
}

function isOf(verdict: Verdict, { file, text, place, from, to }: Mutant): boolean {
  return (
    verdict.file === file &&
    verdict.text === text &&
    verdict.place === place &&
    verdict.from === from &&
    verdict.to === to
  )
}
