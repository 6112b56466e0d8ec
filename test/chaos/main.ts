import { rm, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { describe } from './describe.ts'
import { run } from './run.ts'

/**
 * `npm run chaos -- [--seed N] [--minutes M] [--rate R] [--json FILE] [--keep]`: exit code 0 when the run found nothing and says
 * something, 1 when it found a problem or says nothing, 2 for arguments that cannot be used. The evidence of a run that
 * did not pass is kept, with `--keep` that of every run.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '3' },
    rate: { type: 'string', default: '20' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : Number(values.seed)
const minutes = Number(values.minutes)
const rate = Number(values.rate)
if (!Number.isSafeInteger(seed) || !(minutes > 0) || !(rate > 0)) {
  process.stderr.write('--seed must be a whole number, --minutes and --rate must be above 0\n')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const begun = performance.now()
const tell = (text: string): void => {
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1).padStart(6)
  process.stderr.write(`${seconds} s  ${text}\n`)
}
const { report, incidents, leftOut, directory } = await run({ seed, minutes, rate, tell })
const passed = report.passed && incidents.length === 0
process.stdout.write(describe(report, incidents, leftOut))
if (values.json !== undefined)
  await writeFile(
    values.json,
    `${JSON.stringify({ seed, minutes, rate, ...report, incidents, left_out: leftOut }, null, 2)}\n`,
  )
if (passed && !values.keep) await rm(directory, { recursive: true })
tell(passed ? 'passed' : `NOT passed; evidence in ${directory}`)
tell(`the same faults again: npm run chaos -- --seed ${seed} --minutes ${minutes} --rate ${rate}`)
process.exit(passed ? 0 : 1)
