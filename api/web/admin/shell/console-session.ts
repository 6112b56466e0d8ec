import type { OperatorSession } from '../../../../shared/contract/operator-schema.ts'
import { call, ProblemError } from '../../lib/call.ts'
import { asVisitor, lock, openBySession } from '../../lib/session/tab-key.ts'

/**
 * The name of a flag in this browser's storage. Without the flag the page requests no session, since nobody signed
 * in here.
 */
const signedIn = 'action-gate-operator-signed-in'

export async function resumeConsole(): Promise<void> {
  if (window.localStorage.getItem(signedIn) === null) return
  try {
    open(await asVisitor(() => call('read_operator_session')))
  } catch (error) {
    if (error instanceof ProblemError) window.localStorage.removeItem(signedIn)
  }
}

/**
 * Opens the sign-in page of an identity provider, and sends along an invitation if there is one. Throws the errors
 * of the call.
 */
export async function leaveForIssuer(issuer: string, invitation: string | undefined): Promise<void> {
  const body = { issuer, ...(invitation === undefined ? {} : { invitation }) }
  const { authorization_url } = await asVisitor(() => call('begin_operator_sign_in', { body }))
  window.location.assign(authorization_url)
}

/** Completes a sign-in with the parameters that the identity provider returned. Throws the errors of the call. */
export async function comeBack(issuer: string, parameters: string): Promise<void> {
  open(await asVisitor(() => call('complete_operator_sign_in', { body: { issuer, parameters } })))
}

/**
 * Ends the session. A session that has already ended counts as success. If the identity provider offers a sign-out
 * page, that page opens too.
 */
export async function signOutOfConsole(): Promise<void> {
  const left = await call('sign_out_operator', { body: {} }).catch((error: unknown) => {
    if (error instanceof ProblemError && error.problem.code === 'session_required') return null
    throw error
  })
  window.localStorage.removeItem(signedIn)
  lock('by_hand')
  if (left?.end_session_url) window.location.assign(left.end_session_url)
}

function open({ operator, csrf_token }: OperatorSession): void {
  window.localStorage.setItem(signedIn, 'yes')
  openBySession(csrf_token, { name: operator.name, readsOnly: operator.scope === 'on_call' })
}
