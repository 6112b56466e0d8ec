import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../support/repository-root.ts'
import type { Report } from './check/check.ts'
import { type FaultKind, faultKinds } from './faults/schedule.ts'
import type { Incident } from './supervised.ts'
import type { LeftOut } from './world.ts'

const seed = 20_261_121
const minutes = 2
/** Beside the faults: start-up, the time until everything has settled, and the exports, on a busy machine. */
const runMsMax = (minutes + 12) * 60_000

/** Faults that some machines cannot do; the run names those that it left out. */
const optional: FaultKind[] = ['clock_step', 'postgres_disk_full']

type Told = Report & { incidents: Incident[]; left_out: LeftOut[] }

it(
  `${minutes} minutes of faults leave nothing lost, doubled, illegal or unproven`,
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'action-gate-chaos-test-'))
    try {
      const json = join(directory, 'report.json')
      const { code, output } = await runChaos('--seed', `${seed}`, '--minutes', `${minutes}`, '--json', json)
      expect(code, output).toBe(0)
      const report = JSON.parse(await readFile(json, 'utf8')) as Told
      expect(report).toMatchObject({ seed, passed: true, says_nothing: [], incidents: [] })
      expect(Object.values(report.problems).flat()).toEqual([])
      expect(report.faults.total).toBeGreaterThanOrEqual(60)
      const leftOut = report.left_out.map(({ kind }) => kind)
      expect(optional).toEqual(expect.arrayContaining(leftOut))
      const dealt = faultKinds.filter(kind => !leftOut.includes(kind))
      expect(Object.keys(report.faults.by_kind)).toEqual(dealt.sort())
      expect(report.kills.share).toBeGreaterThanOrEqual(0.3)
      expect(report.actions.total).toBeGreaterThan(500)
      expect(report.calls.effects).toBeGreaterThan(300)
      expect(report.unknown.actions).toBeGreaterThan(0)
      expect(report.unknown.reconciled).toBeGreaterThan(0)
      process.stderr.write(output)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
  runMsMax,
)

async function runChaos(...parameters: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(repositoryRoot, 'dist/test/chaos/main.js'), ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(runMsMax - 10_000),
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
