import { useSyncExternalStore } from 'react'
import type { SessionProfile } from '../../../../shared/contract/account.ts'
import type { Problem } from '../../../../shared/contract/base/errors.ts'
import { isAttended, watchInput } from '../attended.ts'
import { call, ProblemError, setCredentials } from '../call.ts'
import { forgetDrafts } from '../drafts.ts'
import { forgetThisBrowser } from '../push.ts'
import { forgetAnswers } from '../query.tsx'
import { forgetFreshKeys } from './fresh-keys.ts'

/**
 * The session in this tab. `unknown`: the page has just loaded, or the service did not answer and is asked again
 * every 5 s. `out`: nobody is signed in. `in`: requests carry the session. `expired`: the service reported the end
 * of the session, and requests wait until the person signs in again or gives up. A reload loses waiting requests,
 * because the state begins again at `unknown`. `landing` is the page where a new account starts.
 */
export type SessionState =
  | { phase: 'out' }
  | { phase: 'unknown'; error: Error | null }
  | { phase: 'in' | 'expired'; profile: SessionProfile; landing?: string }

const askAgainMs = 5_000
/**
 * The name of a flag in this browser's storage. Without the flag the page requests no session, since nobody signed
 * in here.
 */
const signedIn = 'action-gate-signed-in'
let state: SessionState = { phase: 'unknown', error: null }
let waiting: ((again: boolean) => void)[] = []
/** True while a request handles an ended session itself, so that the person is not asked to sign in again. */
let apart = false
const listeners = new Set<() => void>()

/** Sends all requests of `/app` with the session cookie, and writes also with the CSRF token. */
export function startSession(): void {
  watchInput()
  setCredentials({
    cookie: true,
    headers: write => ({
      ...(write && 'profile' in state ? { 'x-service-csrf': state.profile.csrf_token } : {}),
      ...(isAttended() ? {} : { 'x-service-unattended': 'true' }),
    }),
    renewal,
  })
  if (window.localStorage.getItem(signedIn) === null) set({ phase: 'out' })
  else void readSession()
}

export function useSession(): SessionState {
  return useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => state,
  )
}

/** Stores a new session. Waiting requests are sent again only if the same person signed in. */
export function sessionBegan(profile: SessionProfile, landing?: string): void {
  const same = isHolder(profile)
  if (!same) forgetEverything()
  set({ phase: 'in', profile, ...(landing === undefined ? {} : { landing }) })
  release(same)
}

/** Ends the session in this tab. Drops waiting requests and deletes all answers and drafts. */
export function sessionEnded(): void {
  set({ phase: 'out' })
  release(false)
  forgetEverything()
  forgetDrafts()
}

/**
 * Ends this session or all sessions of the account. A session that has already ended counts as success. If the
 * identity provider offers a sign-out page, that page opens too.
 */
export async function signOut(everywhere: boolean): Promise<void> {
  let elsewhere: string | null = null
  try {
    elsewhere = (await asIs(() => call('log_out', { body: { everywhere } }))).end_session_url
  } catch (error) {
    if (codeOf(error) !== 'session_required') throw error
  }
  const forgotten = forgetThisBrowser()
  sessionEnded()
  await forgotten
  if (elsewhere !== null) window.location.assign(elsewhere)
}

/** Takes over a session from another tab, because the person may have signed in again there. */
export async function resumeSession(): Promise<void> {
  if (state.phase !== 'expired' || apart) return
  const profile = await asIs(() => call('read_session')).catch(() => null)
  if (profile && state.phase === 'expired') sessionBegan(profile)
}

async function asIs<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  apart = true
  try {
    return await ask()
  } finally {
    apart = false
  }
}

async function readSession(): Promise<void> {
  try {
    set({ phase: 'in', profile: await call('read_session') })
  } catch (error) {
    if (codeOf(error) === 'session_required') return set({ phase: 'out' })
    set({ phase: 'unknown', error: error as Error })
    window.setTimeout(() => void readSession(), askAgainMs)
  }
}

/**
 * Allows a second attempt only for the person who sent the request, because another person may have signed in
 * since.
 */
function renewal(): (problem: Problem) => Promise<boolean> {
  const sentBy = 'profile' in state ? state.profile : null
  return problem => renew(problem, sentBy)
}

async function renew({ code }: Problem, sentBy: SessionProfile | null): Promise<boolean> {
  if (!sentBy || !('profile' in state) || !isHolder(sentBy)) return false
  if (code !== 'csrf_refused' && (code !== 'session_required' || apart)) return false
  if (state.phase === 'in' && state.profile.csrf_token !== sentBy.csrf_token) return true
  if (code === 'csrf_refused') {
    sessionBegan(await call('read_session'))
    return isHolder(sentBy)
  }
  set({ phase: 'expired', profile: state.profile })
  return new Promise(resolve => waiting.push(resolve))
}

function codeOf(error: unknown): string | null {
  return error instanceof ProblemError ? error.problem.code : null
}

function isHolder(profile: SessionProfile): boolean {
  return 'profile' in state && state.profile.account.account_id === profile.account.account_id
}

/** Deletes answers and new keys, so that the next person in this tab cannot see them. */
function forgetEverything(): void {
  forgetAnswers()
  forgetFreshKeys()
}

function release(again: boolean): void {
  const released = waiting
  waiting = []
  for (const resolve of released) resolve(again)
}

function set(next: SessionState): void {
  state = next
  if (next.phase === 'in') window.localStorage.setItem(signedIn, 'yes')
  else if (next.phase === 'out') window.localStorage.removeItem(signedIn)
  for (const listener of listeners) listener()
}
