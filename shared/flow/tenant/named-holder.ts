import { ServiceError } from '../../contract/base/errors.ts'
import type { GroupMember, GroupMemberRequest } from '../../contract/configuration/route-schema.ts'
import { holderOf, unrecordedHolder } from '../../lifecycle/holder.ts'
import { memberAccount } from '../../store/account/account-rows.ts'
import type { Query } from '../../store/postgres/open.ts'
import { approverKey } from '../../store/tenant/api-keys.ts'
import type { Context } from '../core/context.ts'
import { withKeys } from './issue-key.ts'

export interface NamedPlace {
  tenant_id: string
  named: GroupMemberRequest
  path: string
}

export async function namedHolder(context: Context, query: Query, place: NamedPlace): Promise<GroupMember> {
  const found = await lookUp(context, query, place)
  if (found === null) throw badPerson(place.path, 'unknown_member', 'is no approver of the tenant')
  if (found.holder === unrecordedHolder)
    throw badPerson(place.path, 'unrecorded_holder', 'is a key of which nobody recorded who holds it')
  return found
}

async function lookUp(
  context: Context,
  query: Query,
  { tenant_id, named }: NamedPlace,
): Promise<GroupMember | null> {
  if ('account_id' in named) {
    const { account_id } = named
    const account = await memberAccount(query, tenant_id, account_id)
    return account && { holder: holderOf({ account_id }), name: account.email, key_id: null, account_id }
  }
  const { key_id } = named
  const key = await withKeys(context, tenant_id, query, keys => approverKey(keys, tenant_id, key_id))
  return key && { holder: key.holder ?? unrecordedHolder, name: key.name, key_id, account_id: null }
}

export function badPerson(path: string, code: string, message: string): ServiceError {
  return new ServiceError('validation_failed', `${path} ${message}`, [{ path, code, message }])
}
