import { useSyncExternalStore } from 'react'
import type { ErrorCode, Problem } from '../../../../shared/contract/base/errors.ts'
import { isAttended, watchInput } from '../attended.ts'
import { type Credentials, setCredentials } from '../call.ts'
import { clockNow } from '../clock.ts'
import { forgetAnswers } from '../query.tsx'

/**
 * A kind of key that unlocks a page. `probe` calls an endpoint that accepts only this kind, and returns the key's
 * rights.
 */
export interface TabKey {
  headers(key: string): Record<string, string>
  probe(headers: Record<string, string>): Promise<Opened>
}

export interface Opened {
  name: string | null
  readsOnly: boolean
  /** True if a session unlocked the page, false if a key did. */
  bySession: boolean
}

export type LockReason =
  | 'fresh'
  | 'by_hand'
  | 'idle'
  | 'key_revoked'
  | 'key_expired'
  | 'key_refused'
  | 'session_ended'

/** Milliseconds of inactivity after which the page locks itself. */
export const idleMs = 30 * 60_000
const lookMs = 5_000

interface State {
  locked: boolean
  reason: LockReason
  opened: Opened
}

const nobody: Opened = { name: null, readsOnly: false, bySession: false }

/** The key of this tab. It exists only in this variable, so that a reload forgets it. */
let key: string | null = null
let kind: TabKey = { headers: () => ({}), probe: async () => nobody }
/** The CSRF token for writes if a session unlocked the page, else null. */
let csrf: string | null = null
let state: State = { locked: true, reason: 'fresh', opened: nobody }
let usedAt = 0
let timer: number | undefined
const listeners = new Set<() => void>()

/** Sends the page's requests with the tab's key. Locks the page as soon as the service rejects that key. */
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

/** Returns the id of the tab's key, under which decisions are recorded. Null while the page is locked. */
export function useTabKeyId(): string | null {
  return useLock().locked ? null : (key?.split('.')[0] ?? null)
}

export function useReadsOnly(): boolean {
  return useLock().opened.readsOnly
}

/**
 * Checks with the service that the key may unlock the page, then stores the key. Throws the errors of the call.
 */
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

/**
 * Unlocks the page with a session. Requests carry the session cookie, and only the service decides when it ends.
 */
export function openBySession(csrfToken: string, opened: Omit<Opened, 'bySession'>): void {
  csrf = csrfToken
  watchInput()
  setCredentials(bySession)
  set({ locked: false, reason: 'fresh', opened: { ...opened, bySession: true } })
}

/** Sends one request with cookies while no key or session has unlocked the page yet. */
export function asVisitor<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  setCredentials(bySession)
  const answer = ask()
  if (csrf === null) setCredentials(byKey)
  return answer
}

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

/** Locks the page if the service rejects the current key. Never retries, because a key cannot be renewed here. */
function renewal(): (problem: Problem) => Promise<boolean> {
  const sentWith = key
  return async ({ code }) => {
    const reason = refusals[code]
    if (reason && !state.locked && key === sentWith) lock(reason)
    return false
  }
}

/** Locks the page when the session that opened it has ended. */
function renewalOfSession(): (problem: Problem) => Promise<boolean> {
  const sentWith = csrf
  return async ({ code }) => {
    const isOver = code === 'session_required' || code === 'csrf_refused'
    if (isOver && sentWith !== null && sentWith === csrf) lock('session_ended')
    return false
  }
}

/**
 * Checks first if the page is idle. Timers stop while a machine sleeps, so that the input would otherwise keep an
 * idle page open.
 */
function used(): void {
  lockWhenIdle()
  usedAt = clockNow()
}

/**
 * Locks an idle page. Also runs when the tab becomes visible again, because timers stop while a machine sleeps.
 */
function lockWhenIdle(): void {
  if (!state.locked && csrf === null && clockNow() - usedAt >= idleMs) lock('idle')
}

function set(next: State): void {
  state = next
  for (const listener of listeners) listener()
}
