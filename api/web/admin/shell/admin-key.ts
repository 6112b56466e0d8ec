import { useSyncExternalStore } from 'react'
import type { ErrorCode, Problem } from '../../../../shared/contract/base/errors.ts'
import { call, setCredentials } from '../../lib/call.ts'
import { clockNow } from '../../lib/clock.ts'
import { forgetAnswers } from '../../lib/query.tsx'

/** Why the console is locked: nobody unlocked it yet, or somebody or something locked it. */
export type LockReason = 'fresh' | 'by_hand' | 'idle' | 'key_revoked' | 'key_expired' | 'key_refused'

/** Without use for so long, the console locks itself. */
export const idleMs = 30 * 60_000
const lookMs = 5_000

interface State {
  locked: boolean
  reason: LockReason
}

/** The key stands here and nowhere else: a reload forgets it. */
let key: string | null = null
let state: State = { locked: true, reason: 'fresh' }
let usedAt = 0
let timer: number | undefined
const listeners = new Set<() => void>()

/** Requests of `/admin` go with the admin key of the tab; a key that the service takes no longer locks it at once. */
export function startConsole(): void {
  setCredentials({ cookie: false, headers: withKey, renewal })
  for (const event of ['pointerdown', 'keydown', 'wheel'] as const)
    window.addEventListener(event, used, { passive: true, capture: true })
  document.addEventListener('visibilitychange', lockWhenIdle)
}

export function useLock(): State {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

/** Ask the service whether it is an admin key, and keep it. Throws what the call throws. */
export async function unlock(candidate: string): Promise<void> {
  await call('list_tenants', { query: { limit: '1' }, headers: { 'x-service-admin-key': candidate } })
  key = candidate
  usedAt = clockNow()
  timer = window.setInterval(lockWhenIdle, lookMs)
  set({ locked: false, reason: 'fresh' })
}

/** Forget the key and all that was read with it. */
export function lock(reason: LockReason): void {
  key = null
  window.clearInterval(timer)
  set({ locked: true, reason })
  forgetAnswers()
}

function withKey(): Record<string, string> {
  return key === null ? {} : { 'x-service-admin-key': key }
}

const refusals: Partial<Record<ErrorCode, LockReason>> = {
  key_revoked: 'key_revoked',
  key_expired: 'key_expired',
  invalid_key: 'key_refused',
  wrong_scope: 'key_refused',
}

/** An operator cannot renew a key: the console locks where it is still the one that was refused, and the request fails. */
function renewal(): (problem: Problem) => Promise<boolean> {
  const sentWith = key
  return async ({ code }) => {
    const reason = refusals[code]
    if (reason && !state.locked && key === sentWith) lock(reason)
    return false
  }
}

/** Who comes back too late does not keep it open: the timers of a sleeping machine have not looked yet. */
function used(): void {
  lockWhenIdle()
  usedAt = clockNow()
}

/** Also looked at when the tab is shown again: the timers of a sleeping machine sleep too. */
function lockWhenIdle(): void {
  if (!state.locked && clockNow() - usedAt >= idleMs) lock('idle')
}

function set(next: State): void {
  state = next
  for (const listener of listeners) listener()
}
