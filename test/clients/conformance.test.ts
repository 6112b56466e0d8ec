import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baseline } from './conformance-baseline.ts'
import { type ConformanceBed, openConformanceBed } from './conformance-bed.ts'

let bed: ConformanceBed

beforeAll(async () => {
  bed = await openConformanceBed()
})
afterAll(() => bed.close())

/** The suite waits for tasks of several seconds. */
const msMax = 90_000

const ofBoth = ['tools-list', 'tools-call-simple-text', 'tools-call-error', 'dns-rebinding-protection']

const scenarios: Record<string, readonly string[]> = {
  '2026-07-28': [
    ...ofBoth,
    'server-stateless',
    'caching',
    'http-header-validation',
    'http-custom-header-server-validation',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
    'input-required-result-ignore-extra-params',
    'prompts-list',
  ],
  '2025-11-25': [...ofBoth, 'server-initialize', 'server-session-lifecycle', 'ping', 'logging-set-level'],
}

const ofTasks = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-required-task-error',
  'tasks-mrtr-input',
  'tasks-mrtr-composition',
]

/** What failed for no reason that the baseline gives. */
async function unexplained(scenario: string, version?: string): Promise<string[]> {
  const checks = await bed.run(scenario, version)
  return checks
    .filter(({ id, status }) => status === 'FAILURE' && !baseline.some(({ failure }) => failure.test(id)))
    .map(({ id, errorMessage }) => `${id}: ${errorMessage}`)
}

describe.each(Object.entries(scenarios))('the conformance suite for %s', (version, names) => {
  test.each(names)(
    'finds nothing unexplained in %s',
    async name => {
      expect(await unexplained(name, version)).toEqual([])
    },
    msMax,
  )
})

describe('the conformance suite for the Tasks extension', () => {
  test.each(ofTasks)(
    'finds nothing unexplained in %s',
    async name => {
      expect(await unexplained(name)).toEqual([])
    },
    msMax,
  )
})
