import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { systemProgram } from '../../support/helper-programs.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const built = (name: string) => JSON.stringify(join(repositoryRoot, `dist/shared/runtime/${name}.js`))

type Way = 'close' | 'hang' | 'fail' | 'crash'

/** A process whose last lines are held while it exits; `way` is what it does about SIGTERM. */
const program = (way: Way, filler: number, graceMs: number) => `
import { createLogger } from ${built('telemetry/logger')}
import { live } from ${built('process/process-life')}
const log = createLogger('info')
const ways = {
  close: async () => log.info('closed'),
  hang: () => { log.info('closing'); process.stdout.write('closing\\n'); return new Promise(() => undefined) },
  fail: async () => { throw new Error('it cannot close') },
}
const crash = () => {
  for (let nth = 0; nth < 600; nth += 1) log.error({ nth, filler: 'x'.repeat(700) }, 'burst')
  setTimeout(() => {
    const end = performance.now() + 30
    while (performance.now() < end);
    throw new Error('it crashes')
  }, 12)
  return {}
}
await live(async () => {
  if (${JSON.stringify(way)} === 'crash') return crash()
  log.info({ filler: 'x'.repeat(${filler}) }, 'started')
  setInterval(() => log.info('working'), 5)
  process.stdout.write('started\\n')
  return { graceMs: ${graceMs}, close: ways[${JSON.stringify(way)}] }
})`

let child: ChildProcess | undefined

afterEach(() => child?.kill('SIGKILL'))

function start(way: Way, { filler = 0, graceMs = 20_000, stderr = 'pipe' as 'pipe' | number } = {}) {
  const started = spawn(process.execPath, ['--input-type=module', '-e', program(way, filler, graceMs)], {
    stdio: ['ignore', 'pipe', stderr],
  })
  child = started
  return { process: started, stdout: started.stdout as Readable, stderr: started.stderr as Readable }
}

describe('the reader of standard error is gone', () => {
  it.each([
    { way: 'close', code: 0 },
    { way: 'fail', code: 1 },
  ] as const)('$way: a SIGTERM ends it with $code', async ({ way, code }) => {
    const { process: started, stdout, stderr } = start(way)
    await once(stdout, 'data')
    stderr.destroy()
    await once(stderr, 'close')
    started.kill('SIGTERM')
    expect(await once(started, 'exit')).toEqual([code, null])
  })

  it('a close that hangs is ended by a further SIGTERM', async () => {
    const { process: started, stdout, stderr } = start('hang')
    await once(stdout, 'data')
    stderr.destroy()
    await once(stderr, 'close')
    expect(await endBySignals(started)).toEqual([1, null])
  })
})

describe('a signal that comes again', () => {
  it('within a second is the same request, and after that ends the process at once', async () => {
    const { process: started, stdout, stderr } = start('hang')
    stderr.resume()
    await once(stdout, 'data')
    const begun = performance.now()
    expect(await endBySignals(started)).toEqual([1, null])
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_000)
  })
})

/** A signal every 50 ms until it ends. */
async function endBySignals(started: ChildProcess): Promise<unknown> {
  const ended = once(started, 'exit')
  const again = setInterval(() => started.kill('SIGTERM'), 50)
  try {
    return await ended
  } finally {
    clearInterval(again)
  }
}

it('a process ends though the reader of its blocking standard error hangs', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'action-gate-life-'))
  const pipe = join(directory, 'pipe')
  execFileSync(systemProgram('mkfifo'), [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(pipe, constants.O_WRONLY)
  try {
    const sharer = spawn(process.execPath, ['-e', 'process.stderr; process.stdin.resume()'], {
      stdio: ['pipe', 'ignore', writer],
    })
    const { process: started, stdout } = start('close', { filler: 2_000_000, stderr: writer })
    await once(stdout, 'data')
    sharer.stdin?.end()
    await once(sharer, 'exit')
    started.kill('SIGTERM')
    expect(await once(started, 'exit')).toEqual([0, null])
  } finally {
    closeSync(reader)
    closeSync(writer)
    rmSync(directory, { recursive: true })
  }
})

it('a close that does not end is cut off, and said', async () => {
  const { process: started, stdout, stderr } = start('hang', { graceMs: -7_500 })
  await once(stdout, 'data')
  started.kill('SIGTERM')
  const ended = once(started, 'exit')
  let said = ''
  for await (const text of stderr) said += text
  expect(said).toMatch(/\nnot closed within 500 ms: cut off\n/)
  expect(await ended).toEqual([1, null])
})

it('what is said last is written before the exit', async () => {
  const { process: started, stdout, stderr } = start('fail')
  await once(stdout, 'data')
  started.kill('SIGTERM')
  let said = ''
  for await (const text of stderr) said += text
  expect(said).toMatch(/^\{.*"started"\}\n(\{.*"working"\}\n)*fatal: Error: it cannot close\n/)
})

it('a crash loses no line that was said before it', async () => {
  const { stderr } = start('crash')
  let said = ''
  for await (const text of stderr) said += text
  const lines = said.split('\n')
  const crash = lines.indexOf('fatal: Error: it crashes')
  expect(lines.slice(0, crash).map(line => JSON.parse(line).nth)).toEqual(
    Array.from({ length: 600 }, (_, nth) => nth),
  )
})
