import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LineStream } from '../../../shared/runtime/telemetry/line-stream.ts'
import { systemProgram } from '../../support/helper-programs.ts'

let directory: string
let pipe: string
let open: number[]
/** Each stream waits for the end of the process; those of a test wait no longer than it. */
let waiting: NodeJS.ExitListener[]

beforeEach(() => {
  waiting = process.listeners('exit')
  directory = mkdtempSync(join(tmpdir(), 'action-gate-lines-'))
  pipe = join(directory, 'pipe')
  open = []
  execFileSync(systemProgram('mkfifo'), [pipe])
})

afterEach(() => {
  for (const listener of process.listeners('exit'))
    if (!waiting.includes(listener)) process.off('exit', listener)
  for (const fd of open) closeSync(fd)
  rmSync(directory, { recursive: true })
})

function openPipe(flags: number): number {
  const fd = openSync(pipe, flags | constants.O_NONBLOCK)
  open.push(fd)
  return fd
}

function hangUp(fd: number): void {
  open.splice(open.indexOf(fd), 1)
  closeSync(fd)
}

/** Reads until it has read the text; the whole is put together once, since it may be megabytes. */
async function readUntil(fd: number, text: string): Promise<string> {
  const read: string[] = []
  for (let end = ''; !end.endsWith(text); await setImmediate()) {
    const more = drain(fd)
    read.push(more)
    end = (end + more).slice(-text.length)
  }
  return read.join('')
}

/** Everything that is in the pipe by now. */
function drain(fd: number): string {
  const bytes = Buffer.alloc(65_536)
  let text = ''
  try {
    for (;;) {
      const read = readSync(fd, bytes)
      if (read === 0) return text
      text += bytes.toString('utf8', 0, read)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return text
    throw error
  }
}

test('a full pipe is waited for: nothing is lost, doubled or disordered', async () => {
  const reader = openPipe(constants.O_RDONLY)
  const writer = openPipe(constants.O_WRONLY)
  const stream = new LineStream(() => writer)
  const lines = Array.from({ length: 3_000 }, (_, at) => `${at} ${'x'.repeat(100)}\n`)
  for (const line of lines.slice(0, 2_000)) stream.write(line)
  const begin = await readUntil(reader, 'x')
  for (const line of lines.slice(2_000)) stream.write(line)
  expect(begin + (await readUntil(reader, lines.at(-1) ?? ''))).toBe(lines.join(''))
})

test('without a reader lines are lost; the next reader is told how many, once', async () => {
  const first = openPipe(constants.O_RDONLY)
  const writer = openPipe(constants.O_WRONLY)
  const stream = new LineStream(() => writer)
  stream.write('before\n')
  await stream.written()
  expect(drain(first)).toBe('before\n')

  hangUp(first)
  for (const line of ['one\n', 'two\n']) stream.write(line)
  await stream.written()
  stream.write('three\n')
  await stream.written()

  const second = openPipe(constants.O_RDONLY)
  stream.write('after\n')
  await stream.written()
  const [told, ...rest] = drain(second).split('\n')
  expect(JSON.parse(told ?? '')).toMatchObject({ level: 40, lines: 3, msg: 'log lines were lost' })
  expect(rest).toEqual(['after', ''])
  stream.write('later\n')
  await stream.written()
  expect(drain(second)).toBe('later\n')
})

test('a reader that hangs does not fill the memory', async () => {
  const reader = openPipe(constants.O_RDONLY)
  const writer = openPipe(constants.O_WRONLY)
  const stream = new LineStream(() => writer)
  const line = `${'x'.repeat(1_048_575)}\n`
  for (let said = 0; said < 12; said += 1) stream.write(line)
  const begin = await readUntil(reader, 'x')
  stream.write('last\n')
  const [told, ...rest] = (begin + (await readUntil(reader, 'last\n'))).split('\n')
  expect(JSON.parse(told ?? '')).toMatchObject({ lines: 4 })
  expect(rest.map(({ length }) => length)).toEqual([...new Array(8).fill(line.length - 1), 4, 0])
})
