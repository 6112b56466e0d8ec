import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../chaos/faults/seeded-random.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import { type Area, areas } from './areas.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { isListed } from './verdicts.ts'

/** Every mutant of an area, in the order of its files. */
export function possibleMutants({ files }: Area): Mutant[] {
  return files.flatMap(file => mutantsOf(file, readFileSync(join(repositoryRoot, file), 'utf8')))
}

/** As many of every area as its row says, or `count`: the same ones for the same seed and sources. */
export function chosenMutants(seed: number, from: readonly Area[] = areas, count?: number): Mutant[] {
  return from.flatMap(area =>
    seededRandom(seed, area.name)
      .shuffled(possibleMutants(area))
      .slice(0, count ?? area.count),
  )
}

/**
 * Those that the list has a verdict about as long as their lines are there, and for others drawn ones: a line that changed
 * changes no other choice.
 */
export function keptMutants(from: readonly Area[] = areas): Mutant[] {
  return from.flatMap(area => {
    const drawn = seededRandom(seedPreset, area.name).shuffled(possibleMutants(area))
    const listed = drawn.filter(isListed)
    return [...listed, ...drawn.filter(mutant => !isListed(mutant))].slice(0, area.count)
  })
}

const seedPreset = 1
