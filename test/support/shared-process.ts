import { afterAll, beforeAll, expect, vi } from 'vitest'

/**
 * Test files that share a process leave it as they found it. Whatever one of them changed for good the next would see,
 * and the order of the files would matter.
 */
let before: ReturnType<typeof stateOfProcess>
beforeAll(() => {
  before = stateOfProcess()
})
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  expect(vi.isFakeTimers(), 'the timers are real again').toBe(false)
  expect(stateOfProcess(), 'this file leaves the process as it found it').toEqual(before)
})

const events = ['SIGTERM', 'SIGINT', 'SIGHUP', 'uncaughtException', 'unhandledRejection', 'warning', 'exit']

function stateOfProcess() {
  return {
    directory: process.cwd(),
    environment: { ...process.env },
    exitCode: process.exitCode,
    listeners: Object.fromEntries(events.map(name => [name, process.listenerCount(name)])),
    globals: Object.getOwnPropertyNames(globalThis).sort(),
    replaceable: [fetch, performance.now, Date, setTimeout, process.stdout.write, process.stderr.write],
  }
}
