import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { run, type SoakReport } from './run.ts'

/**
 * `npm run soak -- [--minutes N] [--rate R] [--json FILE]`: exit code 0 when every line is flat and every acknowledged action
 * has settled, 1 with a finding, 2 for arguments that cannot be used.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
})
const minutes = Number(values.minutes)
const rate = Number(values.rate)
if (!(minutes > 0) || !(rate > 0) || !(rate <= 1_000)) {
  process.stderr.write('--minutes must be above 0, --rate above 0 and at most 1000\n')
  process.exit(2)
}
if (process.platform !== 'linux') {
  process.stderr.write('a soak reads memory and handles in /proc: it runs on Linux\n')
  process.exit(2)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const begun = performance.now()
const tell = (text: string): void => {
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0).padStart(5)
  process.stderr.write(`${seconds} s  ${text}\n`)
}
const report = await run({ minutes, rate, tell })
process.stdout.write(describe(report))
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
process.exit(report.findings.length === 0 ? 0 : 1)

function describe({ series, at_rest, bytes_an_action, findings, ...counts }: SoakReport): string {
  const rows = series.map(({ name, unit, verdict, begin, end, highest, rise, percent_an_hour, certainty }) =>
    [
      `${name}, ${unit}`.padEnd(32),
      ...[begin, end, highest, rise].map(value => value.toFixed(1).padStart(8)),
      `${percent_an_hour.toFixed(0)} %/h`.padStart(10),
      Math.min(999, certainty).toFixed(1).padStart(7),
      ` ${verdict}`,
    ].join(''),
  )
  const rest = Object.entries(at_rest).map(
    ([name, { before, after }]) =>
      `${name} at rest: ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`,
  )
  const sizes = Object.entries(bytes_an_action)
    .sort(([, one], [, other]) => other - one)
    .map(([name, bytes]) => `${name} ${bytes.toFixed(0)}`)
  return [
    `${counts.actions} actions, ${counts.requests} requests, ${counts.turned_away} of them turned away and sent again`,
    `${' '.repeat(32)}   begin     end highest    rise     drift  t`,
    ...rows,
    ...rest,
    `bytes an action, with indexes: ${sizes.join(', ')}`,
    ...findings.map(finding => `FINDING: ${finding}`),
    findings.length === 0 ? 'flat, nothing lost' : `${findings.length} findings`,
    '',
  ].join('\n')
}
