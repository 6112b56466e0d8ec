import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inOwnGroup, type Program } from '../../../shared/actuator/mcp/own-group.ts'
import type { Outcome } from '../../../shared/contract/configuration/actuator-schema.ts'
import type { McpServer, McpSettings } from '../../../shared/contract/configuration/mcp-actuator-schema.ts'
import { openDeadline } from '../../../shared/runtime/deadline.ts'
import { type Caller, callerOf, configured, sameUser } from '../../support/fixtures/mcp-callers.ts'
import { repositoryRoot } from '../../support/repository-root.ts'

const transport = { type: 'stdio', server: 'refunds' } as const
// Programs start slowly where other work is going on.
vi.setConfig({ testTimeout: 120_000 })
const opened: Caller[] = []
let place: string
let held: string

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'mcp-programs-'))
  held = join(place, 'held')
})
afterEach(async () => {
  for (const { around } of opened.splice(0)) await around.mcpSessions.close()
  await rm(place, { recursive: true })
})

function open(server: Partial<McpServer> = {}, settings: Partial<McpSettings> = {}): Caller {
  const env = { MCP_HELD: held, ...server.env }
  const patient = { timeout_ms: 60_000, ...settings }
  const caller = callerOf(transport, patient, configured({ user: sameUser, ...server, env }))
  opened.push(caller)
  return caller
}

interface Whereabouts {
  pid: number
  cwd: string
  uid: number
  home: string
}

function whereabouts(outcome: Outcome): Whereabouts {
  const { detail } = outcome as unknown as { detail: { content: [{ text: string }] } }
  return JSON.parse(detail.content[0].text) as Whereabouts
}

/** A call that waits in the program, and the process that it waits in. */
async function callUnderWay({ call }: Caller): Promise<{ answer: Promise<Outcome>; pid: number }> {
  const answer = call('held')
  await expect.poll(() => existsSync(`${held}.called`), { timeout: 60_000 }).toBe(true)
  return { answer, pid: Number(readFileSync(`${held}.called`, 'utf8')) }
}

const isRoot = process.getuid?.() === 0

/** Whether everybody may read what is there. */
function mayRead(path: string): boolean {
  return (statSync(path).mode & 0o5) === 0o5 && (dirname(path) === path || mayRead(dirname(path)))
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)

describe('a program that was started', () => {
  it('serves the calls of its tenant one after another, and those of no other', async () => {
    const { call, around } = open()
    const first = whereabouts(await call('where'))
    expect(whereabouts(await call('where')).pid).toBe(first.pid)
    expect(whereabouts(await call('where', { tenant_id: 'other' })).pid).not.toBe(first.pid)
    expect(around.mcpSessions.size()).toBe(2)
  })

  it('serves calls side by side, up to as many as it takes', async () => {
    const caller = open({ calls_max: 2 })
    const { answer, pid } = await callUnderWay(caller)
    expect(whereabouts(await caller.call('where')).pid).toBe(pid)
    const [one, two] = await Promise.all([caller.call('where'), caller.call('where')])
    expect(new Set([whereabouts(one).pid, whereabouts(two).pid]).size).toBe(2)
    await writeFile(`${held}.released`, '')
    expect(await answer).toMatchObject({ class: 'ok' })
  })

  it('that is killed in a call leaves that unknown, and the next has another', async () => {
    const caller = open()
    const { answer, pid } = await callUnderWay(caller)
    process.kill(pid, 'SIGKILL')
    expect(await answer).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    const next = await caller.call('where')
    expect(whereabouts(next).pid).not.toBe(pid)
  })

  it('that is killed between two calls is started again for the second', async () => {
    const { call, around } = open()
    const { pid } = whereabouts(await call('where'))
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => around.mcpSessions.size(), { timeout: 10_000 }).toBe(0)
    const next = await call('where')
    expect(next).toMatchObject({ class: 'ok' })
    expect(whereabouts(next).pid).not.toBe(pid)
  })

  it('that does not answer in time takes no other call, and ends others first', async () => {
    const caller = open()
    const { answer, pid } = await callUnderWay(caller)
    const controller = new AbortController()
    const late = caller.call('never', { signal: controller.signal })
    expect(whereabouts(await caller.call('where')).pid).toBe(pid)
    controller.abort(new Error('it took too long'))
    expect(await late).toMatchObject({ class: 'unknown', code: 'no_complete_answer' })
    expect(whereabouts(await caller.call('where')).pid).not.toBe(pid)
    expect(isRunning(pid)).toBe(true)
    await writeFile(`${held}.released`, '')
    expect(await answer).toMatchObject({ class: 'ok' })
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
  })

  it('that hangs before the call did nothing', async () => {
    const { call } = open({}, { confirm_ms: 0 })
    const { pid } = whereabouts(await call('where'))
    process.kill(pid, 'SIGSTOP')
    const deadline = openDeadline(new AbortController().signal, 1_000)
    const hung = await call('ch_1', { signal: deadline.signal })
    expect(hung).toMatchObject({ class: 'retry', code: 'mcp_not_ready' })
    await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
    expect(await call('ch_1')).toMatchObject({ class: 'ok' })
  })

  it('that starts slower than an attempt goes on starting, for the next one', async () => {
    const starts = join(place, 'starts')
    const { call, around } = open({ env: { MCP_STARTS: starts } })
    const impatient = () => openDeadline(new AbortController().signal, 200).signal
    expect(await call('where', { signal: impatient() })).toMatchObject({
      class: 'retry',
      code: 'mcp_not_ready',
    })
    expect(await call('where', { signal: impatient() })).toMatchObject({
      class: 'retry',
      code: 'mcp_not_ready',
    })
    expect(around.mcpSessions.size()).toBe(1)
    await writeFile(starts, '')
    expect(await call('where')).toMatchObject({ class: 'ok' })
    expect(around.mcpSessions.size()).toBe(1)
  })

  it('that starts slower than the deadline of a request serves a later call', async () => {
    const starts = join(place, 'starts')
    const { call, around } = open({ env: { MCP_STARTS: starts } }, { timeout_ms: 100 })
    let isLate = false
    expect(await call('where', { isLate: () => isLate })).toMatchObject({ code: 'mcp_not_ready' })
    isLate = true
    await writeFile(starts, '')
    await expect.poll(() => call('where'), { timeout: 60_000 }).toMatchObject({ class: 'ok' })
    expect(around.mcpSessions.size()).toBe(1)
  })

  it('ends with the sessions of its worker', async () => {
    const { call, around } = open()
    const { pid } = whereabouts(await call('where'))
    await around.mcpSessions.close()
    expect(isRunning(pid)).toBe(false)
  })
})

describe('a program that tells that its tools changed', () => {
  it('is asked for them again before the next call, and a swapped one is not called', async () => {
    const { call } = open()
    expect(await call('redefine')).toMatchObject({ class: 'ok' })
    expect(await call('ch_1')).toMatchObject({ class: 'failed', code: 'tool_schema_mismatch' })
  })
})

describe('a program runs', () => {
  it('in an empty directory of its own, which ends with it', async () => {
    const { call, around } = open()
    const { cwd } = whereabouts(await call('where'))
    expect(cwd).toContain('action-gate-mcp-')
    await around.mcpSessions.close()
    expect(existsSync(cwd)).toBe(false)
  })

  it('in the directory that is configured, which stays', async () => {
    const { call, around } = open({ cwd: place })
    expect(whereabouts(await call('where')).cwd).toBe(place)
    await around.mcpSessions.close()
    expect(existsSync(place)).toBe(true)
  })

  it.runIf(isRoot && mayRead(repositoryRoot))('as an unused user, where the worker is root', async () => {
    const caller = callerOf(transport, { timeout_ms: 60_000 }, configured())
    opened.push(caller)
    const [first, other] = await Promise.all([
      caller.call('where'),
      caller.call('where', { tenant_id: 'other' }),
    ])
    const { uid, cwd, home } = whereabouts(first)
    expect(uid).toBeGreaterThanOrEqual(61_184)
    expect(uid).toBeLessThan(65_520)
    expect(home).toBe(cwd)
    expect(whereabouts(other).uid).not.toBe(uid)
    await caller.around.mcpSessions.close()
    expect(existsSync(cwd)).toBe(false)
  })

  it.runIf(isRoot && mayRead(repositoryRoot))('as the user that is configured', async () => {
    const { call } = open({ user: { uid: 65_534, gid: 65_534 } })
    expect(whereabouts(await call('where')).uid).toBe(65_534)
  })
})

/** What a program left in a session of its own, and two programs that get users from few. */
describe.runIf(process.platform === 'linux')('what a program began', () => {
  const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8')
  const uidOf = (pid: number) => Number(/^Uid:\s+(\d+)/m.exec(statusOf(pid))?.[1])

  function start(user: Program['user'], script: string) {
    const { command, args } = inOwnGroup({ command: 'sh', args: ['-c', script], cwd: '/', user, given: [] })
    const launcher = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    const output = createInterface({ input: launcher.stdout })
    return {
      launcher,
      line: new Promise<string>(resolve => output.once('line', resolve)),
      exit: new Promise<number | null>(resolve => launcher.once('exit', resolve)),
    }
  }

  it.each<[string, Program['user']]>([
    ['the user of the worker', null],
    ...(isRoot
      ? ([['a user of its own', { first: 61_184, count: 4_336 }]] as [string, Program['user']][])
      : []),
  ])('ends with it, also in another session: %s', async (_name, user) => {
    const begun = start(user, 'setsid sleep 300 & echo $!; wait')
    const left = Number(await begun.line)
    await expect.poll(() => statusOf(left)).toMatch(/^Name:\s+sleep$/m)
    begun.launcher.stdin.end()
    await begun.exit
    await expect.poll(() => isRunning(left)).toBe(false)
  })

  it.runIf(isRoot)('has a user that no other program has, of whichever worker', async () => {
    const few = { first: 61_184 + 4_336, count: 3 }
    const three = Array.from({ length: few.count }, () => start(few, 'echo $$; cat'))
    const pids = (await Promise.all(three.map(({ line }) => line))).map(Number)
    expect(new Set(pids.map(uidOf)).size).toBe(few.count)
    expect(await start(few, 'echo $$; cat').exit).toBe(126)
    for (const { launcher } of three) launcher.stdin.end()
    await Promise.all(three.map(({ exit }) => exit))
    const again = start(few, 'echo $$; cat')
    expect(uidOf(Number(await again.line))).toBeGreaterThanOrEqual(few.first)
    again.launcher.stdin.end()
    expect(await again.exit).toBe(0)
  })
})
