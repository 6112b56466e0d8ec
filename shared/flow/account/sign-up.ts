import type { SignedUp, SignupRequest } from '../../contract/account.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { policyTemplates } from '../../gate/templates.ts'
import { newName } from '../../runtime/ids.ts'
import { weakness } from '../../runtime/secrets/weak-password.ts'
import { insertAccount } from '../../store/account/account-rows.ts'
import type { Context } from '../core/context.ts'
import { bundleOf, ofNewKey } from '../tenant/integration.ts'
import { compiledPolicyOf } from '../tenant/store-tenant.ts'
import {
  addressSubject,
  attemptCredentials,
  type BegunSession,
  beginSession,
  type Visitor,
  withGrants,
} from './begin-session.ts'
import { insertOwnedTenant, planOwnedTenant } from './new-owned-tenant.ts'

/**
 * Creates account, organization, first application and agent key in one transaction and begins a session. A known
 * address is accepted; each sign-up counts as an attempt at it, since `account_conflict` reveals that a password
 * is right.
 */
export async function signUp(
  context: Context,
  request: SignupRequest,
  visitor: Visitor,
): Promise<{ signed_up: SignedUp } & Omit<BegunSession, 'profile'>> {
  const { email, password, organization: name, template = firstTemplate() } = request
  refuseWeak(password, email)
  const account_id = newName('acc')
  const organization = { organization_id: newName('org'), name }
  const plan = await planOwnedTenant(context, { name, template }, { account_id, email, ...organization })
  const subject = addressSubject(email)
  const password_hash = await attemptCredentials(context, { email, password }, visitor, subject)
  const { tenant_id } = plan.prepared
  const integration = await bundleOf(
    context,
    { tenant_id, record: compiledPolicyOf(plan.prepared) },
    ofNewKey,
  )
  const made = await context.store.change([tenant_id], async query => {
    const account = await insertAccount(query, { account_id, email, password_hash, organization })
    if (!account) throw new ServiceError('account_conflict')
    const owned = await insertOwnedTenant(context, query, plan)
    return { owned, begun: await beginSession(context, query, account, { ...visitor, identity: null }) }
  })
  const { profile, ...tokens } = await withGrants(context, made.begun)
  return { signed_up: { ...profile, ...made.owned, integration }, ...tokens }
}

function firstTemplate(): string {
  return policyTemplates[0]?.name ?? ''
}

/** Throws `validation_failed` for a guessable password. */
export function refuseWeak(password: string, email: string): void {
  const message = weakness(password, email)
  if (message === null) return
  const issue = { path: 'password', code: 'weak_password', message }
  throw new ServiceError('validation_failed', `password: ${message}`, [issue])
}
