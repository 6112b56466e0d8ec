import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Checkout, makeCheckout } from '../guards/checkout.ts'
import { runTests } from '../guards/test-run.ts'
import { type Area, areas } from './areas.ts'
import { chosenMutants, keptMutants } from './choose.ts'
import { createControl, judgeMutant, type Tries, type Verdict } from './judge-mutant.ts'
import { type Mutant, mutated } from './mutate.ts'
import { createReach } from './reach.ts'
import { stagesOf, testsMaxPreset } from './stages.ts'
import { reasonOf } from './survivors.ts'
import { killerOf, record } from './verdicts.ts'

/** Old servers are asked the same again. */
const projects = ['pure', 'service', 'machines', 'machines-together']

/**
 * `npm run mutants [-- --seed N | --area name[,name] | --count N | --tests N | --only file:line:column | --list | --record]`:
 * puts mutants into a copy of the repository, one after the other, and runs the tests that reach each until one fails: first
 * the one that killed it before, then the quickest. Without a seed they are those of `verdicts.json`, and others where their
 * lines are gone; `--record` writes the verdicts down. One that is listed as a survivor is told and not tried. Ends with 1
 * where another survives.
 */
const { chosen, list, testsMax, records } = readArguments()
if (list) for (const mutant of chosen) say(shown(mutant))
else process.exitCode = (await tryAll(chosen)) ? 0 : 1

async function tryAll(mutants: readonly Mutant[]): Promise<boolean> {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  const checkout = await makeCheckout()
  const tries: Tries = (tests, to) => {
    const bail = to === 'failure' ? 1 : 0
    return runTests(checkout.directory, { tests, projects, bail }, interrupted.signal)
  }
  try {
    return await judged(mutants, checkout, tries)
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    say('interrupted')
    return false
  } finally {
    await checkout.remove()
  }
}

async function judged(mutants: readonly Mutant[], checkout: Checkout, tries: Tries): Promise<boolean> {
  const reach = createReach()
  const control = createControl(tries, say)
  const counts = { killed: 0, listed: 0, survived: 0 }
  for (const [at, mutant] of mutants.entries()) {
    const reason = reasonOf(mutant)
    if (reason !== null) {
      counts.listed += 1
      say(`${at + 1}/${mutants.length} ${shown(mutant)}\n    listed: ${reason}`)
      continue
    }
    const begun = performance.now()
    const { file } = mutant
    const source = readFileSync(join(checkout.directory, file), 'utf8')
    const texts = new Map([[file, mutated(source, mutant)]])
    const verdict = await judgeMutant(stages(reach(file), mutant), control, (tests, to) =>
      checkout.changed(texts, () => tries(tests, to)),
    )
    if (records) record(mutant, verdict.killed ? verdict.by : null)
    counts[verdict.killed ? 'killed' : 'survived'] += 1
    say(`${at + 1}/${mutants.length} ${shown(mutant)}\n    ${told(verdict)} (${since(begun)})`)
  }
  say(
    `${counts.killed} killed, ${counts.survived} survived, ${counts.listed} listed as survivors and not tried`,
  )
  return counts.survived === 0
}

/** What killed it before comes first, where it still reaches it. */
function stages(tests: readonly string[], mutant: Mutant): string[][] {
  const [before = ''] = killerOf(mutant)?.split(':') ?? []
  return [...(tests.includes(before) ? [[before]] : []), ...stagesOf(tests, mutant.file, testsMax)]
}

function told(verdict: Verdict): string {
  return verdict.killed ? `killed by ${verdict.by}` : `SURVIVED ${verdict.ran} files`
}

function shown({ file, line, column, from, to, text }: Mutant): string {
  return `${file}:${line}:${column} ${JSON.stringify(from)} → ${JSON.stringify(to)} in: ${text}`
}

function since(begun: number): string {
  return `${((performance.now() - begun) / 1_000).toFixed(1)} s`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function readArguments(): { chosen: readonly Mutant[]; list: boolean; testsMax: number; records: boolean } {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string' },
      area: { type: 'string' },
      count: { type: 'string' },
      tests: { type: 'string', default: String(testsMaxPreset) },
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  })
  const from = values.area === undefined ? areas : values.area.split(',').map(areaOf)
  const count = values.only === undefined ? values.count : '1e9'
  const drawn =
    values.seed === undefined && count === undefined
      ? keptMutants(from)
      : chosenMutants(Number(values.seed ?? 1), from, count === undefined ? undefined : Number(count))
  const chosen = drawn.filter(
    ({ file, line, column }) => values.only === undefined || values.only === `${file}:${line}:${column}`,
  )
  return { chosen, list: values.list, testsMax: Number(values.tests), records: values.record }
}

function areaOf(name: string): Area {
  const area = areas.find(area => area.name === name)
  if (area) return area
  process.stderr.write(
    `--area: there is none called ${name}; there are ${areas.map(({ name }) => name).join(', ')}\n`,
  )
  return process.exit(2)
}
