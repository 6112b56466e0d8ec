import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { CountReporter } from './support/count-reporter.ts'
import { machinePatterns, patternsAlone, patternsTogether } from './support/machine-files.ts'
import { SlowFirst } from './support/slow-first.ts'

const pure = 'test/{pure,architecture}/**/*.test.ts'
const outside = ['dist/**', '**/node_modules/**']

/**
 * One process of a worker runs file after file: a server is imported once and not for each file. What a file changes of
 * the process it gives back, which `shared-process` watches.
 */
const together = { isolate: false, setupFiles: ['test/support/shared-process.ts'] }

/** Three processes fill two cores, since a test waits for a third of its time. */
const forPeople = { ...together, maxWorkers: 3 }

/** On a machine that does nothing else meanwhile, and may be slow: a journey of a person has many steps. */
const forMachines = { maxWorkers: 2, sequence: { groupOrder: 1 }, testTimeout: 90_000 }

/** What reads and writes tables in bulk: it runs on the oldest PostgreSQL that is promised as well as on the newest. */
const onOldestToo = [
  'test/store/**/*.test.ts',
  'test/service/log/log-*.test.ts',
  'test/service/{log/tenant-log,action/plans,log/database-check}.test.ts',
]

function ofMachines(name: string, include: readonly string[], processes: Partial<typeof together>) {
  const globalSetup = ['test/support/global-setup.ts']
  return {
    extends: true as const,
    test: { ...forMachines, ...processes, name, include: [...include], exclude: outside, globalSetup },
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    sequence: { sequencer: SlowFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // What a poll waits for comes in milliseconds, but for a machine that others use too.
    expect: { poll: { timeout: 10_000 } },
    reporters: ['default', new CountReporter()],
    projects: [
      {
        extends: true,
        test: { ...forPeople, name: 'pure', include: [pure], exclude: [...outside, ...machinePatterns] },
      },
      {
        extends: true,
        test: {
          ...forPeople,
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...outside, ...machinePatterns, pure],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
      ofMachines('machines', patternsAlone, {}),
      ofMachines('machines-together', patternsTogether, together),
      {
        extends: true,
        test: {
          ...forMachines,
          ...together,
          name: 'oldest-postgres',
          include: onOldestToo,
          globalSetup: ['test/support/servers/oldest-postgres.ts'],
          runner: 'test/support/skipping-runner.ts',
        },
      },
    ],
  },
})
