import { describe, expect, it } from 'vitest'
import { nextAttemptMs } from '../../../shared/flow/core/next-attempt.ts'
import { deliveryId, placeOf } from '../../../shared/flow/webhook/webhook-deliveries.ts'
import { readConfig } from '../../../shared/runtime/settings/config.ts'

const schedule = readConfig({}).webhook_retry_ms
const minutes = (ms: number) => ms / 60_000
const hours = (ms: number) => ms / 3_600_000

describe('the delays before a message is sent again', () => {
  it('are a table that spans three days', () => {
    const delays = schedule.map((_, at) =>
      nextAttemptMs(schedule, { attempts: at + 1, jitter: 0.5, retry_after_ms: null }),
    )
    const [first, second, third, ...rest] = delays.map(ms => ms ?? 0)
    expect([first, minutes(second ?? 0), minutes(third ?? 0)]).toEqual([5_000, 5, 30])
    expect(rest.map(hours)).toEqual([2, 5, 10, 14, 20, 24])
  })

  it('end', () => {
    const attempts = schedule.length + 1
    expect(nextAttemptMs(schedule, { attempts, jitter: 0.5, retry_after_ms: 1_000 })).toBe(null)
  })

  it.each([
    [0, 4_000],
    [0.5, 5_000],
    [1, 6_000],
  ])('are spread by a fifth: %d gives %d', (jitter, ms) => {
    expect(nextAttemptMs(schedule, { attempts: 1, jitter, retry_after_ms: null })).toBe(ms)
  })

  it.each([
    ['a shorter one changes nothing', 1_000, 5_000],
    ['a longer one is waited for', 90_000, 90_000],
    ['more than a day is a day', 1e12, 86_400_000],
  ])('heed what an endpoint asks for: %s', (_, retry_after_ms, ms) => {
    expect(nextAttemptMs(schedule, { attempts: 1, jitter: 0.5, retry_after_ms })).toBe(ms)
  })
})

describe('the id of a message', () => {
  it('names its webhook and its place in the log, and leads back', () => {
    const webhook_id = 'wh_4jq7m2xkd5ro3n6a'
    const place = { log_index: 12, reminder: 0 }
    const id = deliveryId({ webhook_id, ...place })
    expect(id).toBe('msg_4jq7m2xkd5ro3n6a_12')
    expect(placeOf(id, webhook_id)).toEqual(place)
    const second = { log_index: 12, reminder: 2 }
    expect(deliveryId({ webhook_id, ...second })).toBe(`${id}r2`)
    expect(placeOf(`${id}r2`, webhook_id)).toEqual(second)
    expect(placeOf(`${id}r0`, webhook_id)).toBe(null)
    expect(placeOf(id, 'wh_aaaaaaaaaaaaaaaa')).toBe(null)
    expect(placeOf('something', webhook_id)).toBe(null)
  })
})
