import { hmacSha256 } from '../../canon/digest.ts'
import { actionIdSchema, tenantIdSchema } from '../../contract/base/identifier.ts'
import { sameHash } from '../../runtime/secrets/secret.ts'
import { callableUrl } from './configured.ts'
import type { Context } from './context.ts'

export interface CallableAttempt {
  tenant_id: string
  action_id: string
  attempt: number
}

type Keyed = Pick<Context, 'webhookKey'>

/**
 * Returns the address at which a downstream reports how an attempt ended; its proof shows that this service made
 * it for this attempt alone. Null if there is no key for the proof or no callable address of this service is
 * known.
 */
export function callbackUrl(context: Context, attempt: CallableAttempt): string | null {
  const proof = proofOf(context, attempt)
  const url = callableUrl(context)
  const isKnown = context.listening.url !== null || URL.canParse(context.config.base_url)
  if (proof === null || !isKnown || !URL.canParse(url)) return null
  const { tenant_id, action_id, attempt: nth } = attempt
  return `${url}/v1/callbacks/${tenant_id}.${action_id}.${nth}.${proof}`
}

const written = /^(.+)\.([^.]+)\.([1-9]\d{0,8})\.([A-Za-z0-9_-]{43})$/

/**
 * Returns the attempt of a callback address, or null if the service did not make it; proofs are compared in
 * constant time.
 */
export function attemptCalled(context: Keyed, callback: string): CallableAttempt | null {
  const [, tenant = '', action = '', nth = '', shown = ''] = written.exec(callback) ?? []
  const tenant_id = tenantIdSchema.safeParse(tenant)
  const action_id = actionIdSchema.safeParse(action)
  if (!tenant_id.success || !action_id.success) return null
  const attempt = { tenant_id: tenant_id.data, action_id: action_id.data, attempt: Number(nth) }
  const proof = proofOf(context, attempt)
  return proof !== null && sameHash(Buffer.from(shown), Buffer.from(proof)) ? attempt : null
}

/** Tenant and action ids contain no line break, so no two attempts share a text. */
function proofOf({ webhookKey }: Keyed, { tenant_id, action_id, attempt }: CallableAttempt): string | null {
  if (webhookKey === null) return null
  const text = `${tenant_id}\n${action_id}\n${attempt}`
  return Buffer.from(hmacSha256(webhookKey, 'action-gate callback v1\n', text), 'hex').toString('base64url')
}
