import { ServiceError } from '../../contract/base/errors.ts'
import type { Query } from '../../store/postgres/open.ts'
import { revisionBytes } from '../../store/tenant/policy-revisions.ts'
import type { Context } from '../core/context.ts'

/** Rejects where a tenant, which the transaction holds locked, has no room for one more revision: they are kept for ever. */
export async function requireRoom(
  { config }: Pick<Context, 'config'>,
  query: Query,
  { tenant_id, text }: { tenant_id: string; text: string },
): Promise<void> {
  const most = config.revision_bytes_max
  if ((await revisionBytes(query, tenant_id)) + Buffer.byteLength(text) <= most) return
  throw new ServiceError('too_many_revisions', `revisions of a tenant have ${most} bytes at most in all`)
}
