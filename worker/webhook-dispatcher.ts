import type { Context } from '../shared/flow/core/context.ts'
import { claimDeliveries, createDeliver } from '../shared/flow/webhook/deliver-message.ts'
import { makeDeliveries } from '../shared/flow/webhook/make-deliveries.ts'
import { createEnding } from '../shared/runtime/deadline.ts'
import { newName } from '../shared/runtime/ids.ts'
import { createResetMailer } from './reset-mailer.ts'

/**
 * Sends webhook messages, at most 4 at once per endpoint, so that a slow endpoint delays no other. The same
 * wake-ups also send the e-mails about forgotten passwords, which belong to no tenant.
 */
export interface WebhookDispatcher {
  /** Creates messages from the logs of these tenants, or of all tenants for null. It returns at once. */
  logsGrown(tenantIds: readonly string[] | null): void
  wake(): void
  /** Stops claiming messages. After `ms` it aborts the messages being sent, which are sent again later. */
  close(ms: number): Promise<void>
}

const slots = 64
const slotsEach = 4

type Claimed = Awaited<ReturnType<typeof claimDeliveries>>['messages'][number]

export function createWebhookDispatcher(context: Context): WebhookDispatcher {
  const deliver = createDeliver(context)
  const ending = createEnding()
  const underWay = new Set<Promise<void>>()
  const busy = new Map<string, number>()
  let stopped = false
  let woken = false
  let claiming: Promise<void> | null = null
  let after = ''

  /** Claims messages in rounds over all endpoints, until a round finds no due message and no wake-up came. */
  const claim = async (): Promise<void> => {
    while ((woken || after !== '') && !stopped && underWay.size < slots) {
      if (after === '') woken = false
      const limit = slots - underWay.size
      const claimed = await claimDeliveries(context, { limit, after, each: slotsEach, busy })
      for (const due of claimed.messages) start(due)
      if (claimed.messages.length === limit) shareTheRest()
      woken ||= claimed.messages.length > 0 || claimed.dropped > 0
      after = claimed.after
    }
  }

  /** Wakes another worker, because more messages may be due than this process can send. */
  const shareTheRest = (): void =>
    context.doorbell.ring([{ id: newName('ring'), delayMs: 0, due: 'messages' }])

  const wake = (): void => {
    woken = true
    if (claiming || stopped) return
    claiming = claim()
      .catch(error => context.events.failed('claim_messages', error))
      .finally(() => {
        claiming = null
      })
  }

  const start = (due: Claimed): void => {
    count(busy, due, 1)
    const sending = deliver(due, ending.signal)
      .catch(error => context.events.failed('deliver_message', error))
      .finally(() => {
        underWay.delete(sending)
        count(busy, due, -1)
        wake()
      })
    underWay.add(sending)
  }

  const maker = createMaker(context, wake)
  const resetMailer = createResetMailer(context)

  return {
    wake() {
      wake()
      resetMailer.wake()
    },
    logsGrown: maker.look,
    async close(ms) {
      stopped = true
      const late = setTimeout(() => ending.abort(new Error('the worker is shutting down')), ms)
      await maker.close()
      await claiming
      await Promise.all([...underWay, resetMailer.close(ms)])
      clearTimeout(late)
    },
  }
}

function count(busy: Map<string, number>, { webhook_id }: Claimed, more: 1 | -1): void {
  const now = (busy.get(webhook_id) ?? 0) + more
  if (now === 0) busy.delete(webhook_id)
  else busy.set(webhook_id, now)
}

/**
 * Creates messages from new log entries, one pass at a time. Tenants that grow during a pass share the next pass.
 */
function createMaker(context: Context, onMade: () => void) {
  const grown = new Set<string>()
  let all = false
  let stopped = false
  let making: Promise<void> | null = null

  const make = async (): Promise<void> => {
    while ((all || grown.size > 0) && !stopped) {
      const tenantIds = all ? null : [...grown]
      grown.clear()
      all = false
      if (await makeDeliveries(context, tenantIds)) onMade()
    }
  }

  return {
    look(tenantIds: readonly string[] | null): void {
      if (tenantIds === null) all = true
      else for (const tenantId of tenantIds) grown.add(tenantId)
      if (stopped) return
      making ??= make()
        .catch(error => context.events.failed('make_messages', error))
        .finally(() => {
          making = null
        })
    },
    async close(): Promise<void> {
      stopped = true
      await making
    },
  }
}
