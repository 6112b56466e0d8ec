import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { type Platform, startPlatform } from '../support/platform/platform.ts'
import { eventually } from '../support/platform/platform-waiting.ts'

let platform: Platform

beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(platform.output())))
afterEach(() => platform.stop())

it('a call that kills its workers is bounded, and then left to an operator', async () => {
  const attemptsMax = 2
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_ATTEMPTS_MAX: String(attemptsMax),
    SERVICE_LEASE_MS: '1000',
    SERVICE_SWEEP_MS: '100',
    SERVICE_RETRY_MS_MIN: '10',
    SERVICE_RECONCILE_MS_MIN: '10',
  })
  const api = await platform.startApi()
  const { body } = await api.client.submit({ proposal_id: 'kills', system: 'ledger_keyed' })
  for (let killed = 1; killed <= attemptsMax; killed += 1) {
    const doomed = platform.launchWorker({ SERVICE_FAILPOINT: 'call_answered:kill' })
    expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' })
    expect(platform.ledger()).toHaveLength(killed)
  }
  await platform.startWorker()
  const left = await eventually('an operator is asked', async () => {
    const { body: trace } = await api.client.trace(body.action_id)
    return trace.events.at(-1)?.body?.needs_operator === true ? trace : null
  })
  expect(left).toMatchObject({ status: 'outcome_unknown', job: { last_error: 'leases_lost' } })
  expect(platform.ledger()).toHaveLength(attemptsMax)
}, 120_000)

it('a look-up that kills its workers is bounded, and then left to an operator', async () => {
  const attemptsMax = 2
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_ATTEMPTS_MAX: String(attemptsMax),
    SERVICE_LEASE_MS: '1000',
    SERVICE_EXECUTION_MS_MAX: '500',
    SERVICE_SWEEP_MS: '100',
    SERVICE_RECONCILE_MS_MIN: '10',
  })
  const api = await platform.startApi()
  const { body } = await api.client.submit({
    proposal_id: 'kills',
    system: 'ledger_looked',
    parameters: { behave: 'throw' },
  })
  for (let killed = 1; killed <= attemptsMax; killed += 1) {
    const doomed = platform.launchWorker({ LOOKUP_KILLS: 'true' })
    expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' })
  }
  // This one would die of it too.
  await platform.startWorker({ LOOKUP_KILLS: 'true' })
  const left = await eventually('an operator is asked', async () => {
    const { body: trace } = await api.client.trace(body.action_id)
    return trace.events.at(-1)?.body?.needs_operator === true ? trace : null
  })
  expect(left).toMatchObject({ status: 'outcome_unknown', job: { last_error: 'lookups_lost' } })
  expect(left.events.at(-1)?.body?.error).toEqual({
    code: 'lookups_lost',
    message: `${attemptsMax} workers did not survive or report its look-up`,
  })
  expect(platform.ledger()).toHaveLength(1)
}, 120_000)

it('a worker that is killed before it looks up leaves that to the next one', async () => {
  platform = await startPlatform(inject('redisUrl'), {
    SERVICE_LEASE_MS: '1000',
    SERVICE_EXECUTION_MS_MAX: '500',
    SERVICE_SWEEP_MS: '100',
    SERVICE_RECONCILE_MS_MIN: '10',
    SERVICE_RECONCILE_MS_MAX: '1000',
  })
  const api = await platform.startApi()
  const looked = { proposal_id: 'looked', system: 'ledger_looked', parameters: { behave: 'throw' } }
  const { body } = await api.client.submit(looked)
  const doomed = platform.launchWorker({ SERVICE_FAILPOINT: 'reconcile_taken:kill' })
  expect(await doomed.exited).toMatchObject({ signal: 'SIGKILL' })
  await platform.startWorker()
  const left = await eventually('an operator is asked', async () => {
    const { body: trace } = await api.client.trace(body.action_id)
    return trace.events.at(-1)?.body?.needs_operator === true ? trace : null
  })
  expect(left.status).toBe('outcome_unknown')
  expect(platform.ledger()).toHaveLength(1)
}, 60_000)
