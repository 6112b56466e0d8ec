import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { invoke } from '../../shared/actuator/invoke.ts'
import { openDeadline } from '../../shared/runtime/deadline.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** In a turn of its own: what was made in this one is kept until it ends. */
const collectGarbage = () => new Promise<void>(resolve => setImmediate(() => resolve(collect())))
const silent = { name: 'silent', idempotency: 'none', invoke: () => new Promise<never>(() => {}) } as const
const invocation = {
  tenant_id: 'demo',
  action_id: 'act_1',
  idempotency_key: 'key',
  attempt: 1,
  target_system: 'silent',
  operation: 'write',
  parameters: {},
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tool_schema_hash: null,
  not_after: '2026-11-21T00:00:30.000Z',
  callback_url: null,
  isLate: () => false,
  timeLeftMs: () => 30_000,
}

it('a call that never answers ends at the deadline that only the caller knows', async () => {
  const calls = Promise.all(
    Array.from({ length: 20 }, () => {
      const { signal } = openDeadline(new AbortController().signal, 200)
      return invoke(silent, { ...invocation, signal })
    }),
  )
  await collectGarbage()
  const outcomes = await calls
  expect(outcomes).toHaveLength(20)
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ class: 'unknown', code: 'no_answer_in_time' })
  }
})

it('a lost lease ends a call before its deadline, with its own reason', async () => {
  const lost = new AbortController()
  const { signal, clear } = openDeadline(lost.signal, 60_000)
  const call = invoke(silent, { ...invocation, signal }).finally(clear)
  await collectGarbage()
  lost.abort(new Error('the lease was lost'))
  expect(await call).toMatchObject({ class: 'unknown', message: 'the lease was lost' })
})

it('a lease that is lost already lets no call begin', async () => {
  const { signal, clear } = openDeadline(AbortSignal.abort(new Error('the lease was lost')), 60_000)
  expect(await invoke(silent, { ...invocation, signal }).finally(clear)).toMatchObject({ class: 'retry' })
})
