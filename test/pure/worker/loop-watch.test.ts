import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { monitorEventLoop } from '../../../worker/event-loop-monitor.ts'

const lagMsMax = 40

function standStill(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

it('knows that the loop stood still, at once and for a while, then trusts it again', async () => {
  const watch = monitorEventLoop(lagMsMax)
  expect(watch.stalled()).toBe(false)
  standStill(lagMsMax * 3)
  expect(watch.stalled()).toBe(true)
  await delay(lagMsMax / 2)
  expect(watch.stalled()).toBe(true)
  await expect.poll(watch.stalled, { interval: 5 }).toBe(false)
  watch.close()
})
