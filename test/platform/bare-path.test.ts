import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readSources } from '../architecture/source-tree.ts'
import { helperPrograms, systemProgram } from '../support/helper-programs.ts'
import { machinePatterns } from '../support/machine-files.ts'
import { repositoryRoot } from '../support/repository-root.ts'

/** What the embedded database runs, beside its own programs. */
const ofTheSystem = ['chmod', 'cp', 'flock', 'id', 'sh'] as const

let bare: string

/** A folder with Node, npm and those programs alone, which is all of PATH. */
beforeAll(() => {
  bare = mkdtempSync(join(tmpdir(), 'action-gate-bare-'))
  symlinkSync(process.execPath, join(bare, 'node'))
  for (const name of ofTheSystem) symlinkSync(systemProgram(name), join(bare, name))
})
afterAll(() => rmSync(bare, { recursive: true }))

it('npm test passes where PATH has Node alone, and says what it skips', async () => {
  const files = startingPrograms()
  expect(files.length).toBeGreaterThan(15)
  const { status, output } = await vitest('--project', 'pure', '--project', 'service', ...files)
  const reasons = output.split('\n').filter(line => line.startsWith('skipped: '))
  const missing = new RegExp(`: (${helperPrograms.join('|')})( and \\S+)* missing on PATH$`)
  expect(reasons.filter(line => !missing.test(line))).toEqual([])
  expect(reasons.length).toBeGreaterThan(0)
  const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output) ?? []
  expect({ status, failed }, output.slice(-5_000)).toEqual({ status: 0, failed: '0' })
  expect(Number(passed)).toBeGreaterThan(100)
  expect(Number(skipped)).toBe(reasons.length)
}, 900_000)

/**
 * Of the files of `npm test` those that start programs themselves, and for each shared module that does the shortest file
 * that uses it: what is started is the same in all others.
 */
function startingPrograms(): string[] {
  const sources = readSources(['test'])
  const support = sources.filter(({ path }) => path.startsWith('test/support/'))
  const starters = new Set(support.filter(({ text }) => text.includes("'node:child_process'")))
  const uses = ({ text }: Source, { path }: Source) => text.includes(`/${basename(path)}'`)
  const startsItself = ({ text }: Source) => text.includes("'node:child_process'")
  const starts = (file: Source) => startsItself(file) || [...starters].some(starter => uses(file, starter))
  for (let before = -1; before < starters.size; ) {
    before = starters.size
    for (const file of support.filter(starts)) starters.add(file)
  }
  const machines = machinePatterns.map(pattern => pattern.replace('/**/*.test.ts', '/'))
  const files = sources
    .filter(({ path }) => path.endsWith('.test.ts'))
    // Those of test/architecture start programs of packages, by their paths.
    .filter(({ path }) => !path.startsWith('test/architecture/'))
    .filter(({ path }) => !machines.some(machine => path.startsWith(machine)))
    .sort((one, other) => one.text.length - other.text.length)
  const chosen = new Set(files.filter(startsItself))
  for (const starter of starters) {
    if ([...chosen].some(file => uses(file, starter))) continue
    const [shortest] = files.filter(file => uses(file, starter))
    if (shortest) chosen.add(shortest)
  }
  return [...chosen].map(({ path }) => path)
}

type Source = ReturnType<typeof readSources>[number]

interface Ended {
  status: number | null
  output: string
}

async function vitest(...parameters: string[]): Promise<Ended> {
  const program = join(repositoryRoot, 'node_modules/vitest/vitest.mjs')
  const child = spawn(
    process.execPath,
    [program, 'run', '--config', 'test/vitest.config.ts', ...parameters],
    {
      cwd: repositoryRoot,
      env: { PATH: bare, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const [output, status] = await Promise.all([text(child.stdout), ended])
  return { status, output }
}
