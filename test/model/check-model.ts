import { parseArgs } from 'node:util'
import { type Checked, createChecker } from './check-configuration.ts'
import { broken, correct, reached } from './configurations.ts'
import { findTools } from './find-tools.ts'

/**
 * Checks the model in every configuration of the tests, with `--all` in the big ones as well (minutes, and gigabytes of
 * memory): one line each. Ends with 1 where something else was found than expected, with 2 where spin or gcc is missing.
 */
const { values } = parseArgs({ options: { all: { type: 'boolean', default: false } } })
const tools = await findTools()
if ('missing' in tools) {
  process.stderr.write(`${tools.missing}\n`)
  process.exit(2)
}
const begun = performance.now()
const check = createChecker(tools)
const chosen = [...correct, ...broken, ...reached].filter(({ big }) => values.all || !big)
const results = chosen.map(configuration => check(configuration))
for (const checked of results) print(await checked)
const surprises = (await Promise.all(results)).filter(({ expected, found }) => expected !== found)
const seconds = ((performance.now() - begun) / 1000).toFixed(0)
process.stdout.write(`${chosen.length} configurations, ${surprises.length} unexpected, ${seconds} s\n`)
process.exitCode = surprises.length === 0 ? 0 : 1

function print({ name, expected, found, states, errors, seconds }: Checked): void {
  const verdict = found === expected ? 'expected' : `UNEXPECTED, not ${expected}`
  const figures = `${states} states, ${errors} errors, ${seconds.toFixed(1)} s`
  process.stdout.write(`${name}: ${figures}: ${found} (${verdict})\n`)
}
