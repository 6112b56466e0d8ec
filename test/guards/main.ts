import { parseArgs } from 'node:util'
import { type Checkout, makeCheckout } from './checkout.ts'
import type { Guard } from './guard.ts'
import { guards } from './guards.ts'
import { type Judgement, judgeRemoval } from './judge-removal.ts'
import { runTests, type TestRun } from './test-run.ts'

const shownMax = 4

/**
 * `npm run guards [-- --only name[,name] | --list]`: takes each guard away in a copy of the repository, one after the
 * other, and demands that its tests fail. Ends with 1 where one is not missed.
 */
const { chosen, list } = readArguments()
if (list) for (const guard of chosen) say(`${guard.name}  ${about(guard)}`)
else process.exitCode = await proveNeeded(chosen)

async function proveNeeded(chosen: readonly Guard[]): Promise<number> {
  const interrupted = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.abort())
  const checkout = await makeCheckout()
  const tries: Tries = what => runTests(checkout.directory, what, interrupted.signal)
  try {
    return (await allMissed(checkout, chosen, tries)) ? 0 : 1
  } catch (error) {
    if (!interrupted.signal.aborted) throw error
    say('interrupted')
    return 1
  } finally {
    await checkout.remove()
  }
}

type Tries = (what: Pick<Guard, 'tests' | 'named'>) => Promise<TestRun>

async function allMissed(checkout: Checkout, chosen: readonly Guard[], tries: Tries): Promise<boolean> {
  const impossible = await checkout.impossible(chosen)
  if (impossible.length > 0) {
    say(`these guards are no longer where the table of guards says:\n${impossible.join('\n')}`)
    return false
  }
  const control = await passingTests(chosen, tries)
  if (control === null) return false
  let missed = 0
  for (const guard of chosen) {
    const begun = performance.now()
    const judged = judgeRemoval(await checkout.without(guard, () => tries(guard)), control)
    tell(guard, judged, since(begun))
    if (judged.noticed) missed += 1
  }
  say(`${missed}/${chosen.length} removed guards were noticed by the tests`)
  return missed === chosen.length
}

/** The control: with every guard in place every test passes; null where one does not. */
async function passingTests(chosen: readonly Guard[], tries: Tries): Promise<ReadonlySet<string> | null> {
  const begun = performance.now()
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))]
  const { passed, failed, broken } = await tries({ tests: files })
  if (failed.length + broken.length > 0) {
    say(`with every guard in place there are failures:\n${[...broken, ...failed.map(shown)].join('\n')}`)
    return null
  }
  say(`with every guard in place: ${passed.length} tests of ${files.length} files pass (${since(begun)})`)
  return new Set(passed)
}

function tell(guard: Guard, judged: Judgement, took: string): void {
  const told = judged.noticed ? `noticed by ${judged.by.length} tests` : 'UNNOTICED'
  say(`${guard.name}  ${about(guard)}: ${told} (${took})`)
  for (const line of judged.noticed ? shortened(judged.by) : [judged.because]) say(`    ${line}`)
}

function about({ invariants, protects }: Guard): string {
  return `[${invariants.join(', ')}] ${protects}`
}

function shortened(names: readonly string[]): string[] {
  const more = names.length - shownMax
  return [...names.slice(0, shownMax), ...(more > 0 ? [`and ${more} more`] : [])]
}

function shown({ name, messages }: { name: string; messages: readonly string[] }): string {
  return `${name}: ${messages[0] ?? ''}`
}

function since(begun: number): string {
  return `${((performance.now() - begun) / 1_000).toFixed(1)} s`
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function readArguments(): { chosen: readonly Guard[]; list: boolean } {
  const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } })
  const names = values.only?.split(',') ?? guards.map(({ name }) => name)
  const unknown = names.filter(name => !guards.some(guard => guard.name === name))
  if (unknown.length > 0) {
    process.stderr.write(`--only: no guard is called ${unknown.join(', ')}; --list names them\n`)
    process.exit(2)
  }
  return { chosen: guards.filter(({ name }) => names.includes(name)), list: values.list ?? false }
}
