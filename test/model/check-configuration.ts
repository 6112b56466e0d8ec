import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createBatcher } from '../../shared/runtime/batcher.ts'
import { repositoryRoot } from '../support/repository-root.ts'
import type { Configuration } from './configurations.ts'
import type { Tools } from './find-tools.ts'

const run = promisify(execFile)
export const modelFolder = join(repositoryRoot, 'test', 'model')
const memoryMbMax = 3000
/** Of a path, in steps; longer ones are an error, never cut off. */
const depthMax = 10_000
const outputBytesMax = 16 * 1024 * 1024

/** What came of one run. */
export interface Checked {
  name: string
  expected: string
  /** As in `expected`, or what spin, the compiler or the verifier said instead. */
  found: string
  states: number
  errors: number
  seconds: number
}

/** Checks configurations, two at once: a verifier may take some gigabytes. */
export function createChecker(tools: Tools): (configuration: Configuration) => Promise<Checked> {
  return createBatcher({
    size_max: 1,
    groups_max: 2,
    run: configurations => Promise.all(configurations.map(configuration => check(tools, configuration))),
  })
}

/** Check one configuration in a folder of its own: spin writes a verifier, the compiler builds it, it searches all states. */
async function check(tools: Tools, configuration: Configuration): Promise<Checked> {
  const folder = await mkdtemp(join(tmpdir(), 'model-'))
  const begun = performance.now()
  const report = await verify(tools, configuration, folder)
    .catch((error: unknown) => `failed: ${error instanceof Error ? error.message : String(error)}`)
    .finally(() => rm(folder, { recursive: true, force: true }))
  return {
    name: configuration.name,
    expected: configuration.expected,
    found: finding(report),
    states: Number(/^\s*(\d+) states, stored/m.exec(report)?.[1] ?? 0),
    errors: Number(/errors: (\d+)/.exec(report)?.[1] ?? 0),
    seconds: (performance.now() - begun) / 1000,
  }
}

/** The verifier's report. */
async function verify(
  tools: Tools,
  { flags, liveness, big }: Configuration,
  folder: string,
): Promise<string> {
  const sources = (await readdir(modelFolder)).filter(name => name.endsWith('.pml'))
  for (const name of sources) await cp(join(modelFolder, name), join(folder, name))
  const options = { cwd: folder, maxBuffer: outputBytesMax }
  await run(tools.spin, [...flags.map(flag => `-D${flag}`), '-a', 'gate.pml'], options)
  const kind = liveness ? '-DNFAIR=5' : '-DSAFETY'
  /** Optimising takes longer than most searches. */
  const level = big ? '-O2' : '-O0'
  await run(tools.compiler, [level, kind, `-DMEMLIM=${memoryMbMax}`, '-o', 'pan', 'pan.c'], options)
  const search = [`-m${depthMax}`, ...(liveness ? ['-a', '-f'] : [])]
  const { stdout } = await run(join(folder, 'pan'), search, options)
  return stdout
}

function finding(report: string): string {
  const violated = /assertion violated (\w+)/.exec(report)?.[1]
  if (violated !== undefined) return violated
  const other = /acceptance cycle|pan:\d+: invalid end state|max search depth too small|out of memory/.exec(
    report,
  )?.[0]
  if (other !== undefined) return other
  return /errors: 0/.test(report) && !/not completed/i.test(report) ? 'no error' : report.slice(0, 2000)
}
