import { mailResets } from '../shared/flow/account/mail-resets.ts'
import type { Context } from '../shared/flow/core/context.ts'
import { createEnding } from '../shared/runtime/deadline.ts'

export interface ResetMailer {
  wake(): void
  close(ms: number): Promise<void>
}

export function createResetMailer(context: Context): ResetMailer {
  const ending = createEnding()
  let stopped = false
  let woken = false
  let mailing: Promise<void> | null = null

  const mail = async (): Promise<void> => {
    while (woken && !stopped) {
      woken = false
      if (await mailResets(context, ending.signal)) woken = true
    }
  }

  return {
    wake() {
      woken = true
      if (stopped) return
      mailing ??= mail()
        .catch(error => context.events.failed('mail_resets', error))
        .finally(() => {
          mailing = null
        })
    },
    async close(ms) {
      stopped = true
      const late = setTimeout(() => ending.abort(new Error('the worker is shutting down')), ms)
      await mailing
      clearTimeout(late)
    },
  }
}
