import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { CountReporter } from './support/count-reporter.ts'
import { machinePatterns } from './support/machine-files.ts'

const pure = 'test/{pure,architecture}/**/*.test.ts'
const outside = ['dist/**', '**/node_modules/**']

/** What reads and writes tables in bulk: it runs on the oldest PostgreSQL that is promised as well as on the newest. */
const onOldestToo = [
  'test/store/**/*.test.ts',
  'test/service/log/log-*.test.ts',
  'test/service/{log/tenant-log,action/plans,log/database-check}.test.ts',
]

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ['default', new CountReporter()],
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: [pure], exclude: [...outside, ...machinePatterns] },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...outside, ...machinePatterns, pure],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'machines',
          include: [...machinePatterns],
          exclude: outside,
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'oldest-postgres',
          include: onOldestToo,
          globalSetup: ['test/support/servers/oldest-postgres.ts'],
          runner: 'test/support/skipping-runner.ts',
        },
      },
    ],
  },
})
