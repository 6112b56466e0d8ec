import { useSyncExternalStore } from 'react'
import type { ErrorCode, Problem } from '../../../../shared/contract/base/errors.ts'
import { isAttended, watchInput } from '../attended.ts'
import { type Credentials, setCredentials } from '../call.ts'
import { clockNow } from '../clock.ts'
import { forgetAnswers } from '../query.tsx'

/** What kind of key opens a page: how it is sent, and a request that only such a key may make, which tells what it may. */
export interface TabKey {
  headers(key: string): Record<string, string>
  probe(headers: Record<string, string>): Promise<Opened>
}

/** What is known of the key that opened a page. */
export interface Opened {
  name: string | null
  readsOnly: boolean
  /** Whether a session opened it, and no key. */
  bySession: boolean
}

/** Why the page is locked: nobody unlocked it yet, or somebody or something locked it. */
export type LockReason =
  | 'fresh'
  | 'by_hand'
  | 'idle'
  | 'key_revoked'
  | 'key_expired'
  | 'key_refused'
  | 'session_ended'

/** Without use for so long, the page locks itself. */
export const idleMs = 30 * 60_000
const lookMs = 5_000

interface State {
  locked: boolean
  reason: LockReason
  opened: Opened
}

const nobody: Opened = { name: null, readsOnly: false, bySession: false }

/** The key stands here and nowhere else: a reload forgets it. */
let key: string | null = null
let kind: TabKey = { headers: () => ({}), probe: async () => nobody }
/** The token that writes of a session show, where one opened the page. */
let csrf: string | null = null
let state: State = { locked: true, reason: 'fresh', opened: nobody }
let usedAt = 0
let timer: number | undefined
const listeners = new Set<() => void>()

/** The requests of a page go with the key of the tab; one that the service takes no longer locks it at once. */
export function startTabKey(opens: TabKey): void {
  kind = opens
  setCredentials(byKey)
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

/** The public part of the key, as decisions are recorded under it; null while the page is locked. */
export function useTabKeyId(): string | null {
  return useLock().locked ? null : (key?.split('.')[0] ?? null)
}

/** Whether the key of the tab reads and changes nothing. */
export function useReadsOnly(): boolean {
  return useLock().opened.readsOnly
}

/** Ask the service whether the key opens the page, and keep it. Throws what the call throws. */
export async function unlock(candidate: string): Promise<void> {
  const opened = await kind.probe(kind.headers(candidate))
  key = candidate
  usedAt = clockNow()
  timer = window.setInterval(lockWhenIdle, lookMs)
  set({ locked: false, reason: 'fresh', opened })
}

const byKey: Credentials = { cookie: false, headers: withKey, renewal }
const bySession: Credentials = {
  cookie: true,
  headers: write => ({
    ...(write && csrf !== null ? { 'x-service-csrf': csrf } : {}),
    ...(isAttended() ? {} : { 'x-service-unattended': 'true' }),
  }),
  renewal: renewalOfSession,
}

/** A session opens the page: requests go with its cookie, and its end is that of the service. */
export function openBySession(csrfToken: string, opened: Omit<Opened, 'bySession'>): void {
  csrf = csrfToken
  watchInput()
  setCredentials(bySession)
  set({ locked: false, reason: 'fresh', opened: { ...opened, bySession: true } })
}

/** One request with the cookies of the browser, while no key and no session opened the page. */
export function asVisitor<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  setCredentials(bySession)
  const answer = ask()
  if (csrf === null) setCredentials(byKey)
  return answer
}

/** Forget the key and all that was read with it. */
export function lock(reason: LockReason): void {
  key = null
  csrf = null
  setCredentials(byKey)
  window.clearInterval(timer)
  set({ locked: true, reason, opened: nobody })
  forgetAnswers()
}

function withKey(): Record<string, string> {
  return key === null ? {} : kind.headers(key)
}

const refusals: Partial<Record<ErrorCode, LockReason>> = {
  key_revoked: 'key_revoked',
  key_expired: 'key_expired',
  invalid_key: 'key_refused',
  wrong_scope: 'key_refused',
}

/** Nobody can renew a key here: the page locks where it is still the one that was refused, and the request fails. */
function renewal(): (problem: Problem) => Promise<boolean> {
  const sentWith = key
  return async ({ code }) => {
    const reason = refusals[code]
    if (reason && !state.locked && key === sentWith) lock(reason)
    return false
  }
}

/** A session that has ended locks the page that it opened. */
function renewalOfSession(): (problem: Problem) => Promise<boolean> {
  const sentWith = csrf
  return async ({ code }) => {
    const isOver = code === 'session_required' || code === 'csrf_refused'
    if (isOver && sentWith !== null && sentWith === csrf) lock('session_ended')
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
  if (!state.locked && csrf === null && clockNow() - usedAt >= idleMs) lock('idle')
}

function set(next: State): void {
  state = next
  for (const listener of listeners) listener()
}
