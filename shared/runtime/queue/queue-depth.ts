import { setTimeout as delay } from 'node:timers/promises'

/** Wake-ups by where they are. */
export type QueueDepth = Record<(typeof states)[number], number>

const states = ['waiting', 'delayed', 'active', 'failed'] as const
const answerMsMax = 500

/** As much of a queue as is counted. */
export interface CountedQueue {
  getJobCounts(...of: (typeof states)[number][]): Promise<Record<string, number>>
}

/** How many wake-ups a queue holds; null where it does not answer in time. */
export async function queueDepth(queue: CountedQueue): Promise<QueueDepth | null> {
  const answered = new AbortController()
  const late = delay(answerMsMax, null, { signal: answered.signal }).catch(() => null)
  const counts = await Promise.race([queue.getJobCounts(...states).catch(() => null), late])
  answered.abort()
  if (!counts) return null
  const { waiting = 0, delayed = 0, active = 0, failed = 0 } = counts
  return { waiting, delayed, active, failed }
}
