import type { Principal } from '../contract/action/audit.ts'
import type { Author } from '../contract/configuration/tenant.ts'
import type { AdminScope, KeyScope } from '../contract/role-schema.ts'
import type { Quorum } from './change.ts'

export type Credential =
  | { account_id: string }
  | {
      name: string
      scope: Exclude<KeyScope, AdminScope>
      minted_by: Author
      shared_with: string | null
    }

/**
 * Returns the holder of a credential, so that one person counts once in a quorum with any number of credentials:
 *
 * - an owner's sessions, and every key of a role that the owner minted: the account;
 * - a key that was minted with `same_holder_as` (a rotation, a second device): the holder of the other key;
 * - any other key: its name, compared without case, spacing and invisible characters. An operator who mints keys
 *   with different names asserts that different people hold them.
 *
 * An agent key that an owner minted is not the owner's, because its agent proposes and the owner decides.
 */
export function holderOf(credential: Credential): string {
  if ('account_id' in credential) return `account:${credential.account_id}`
  const { name, scope, minted_by, shared_with } = credential
  if ('account_id' in minted_by && scope !== 'agent') return holderOf({ account_id: minted_by.account_id })
  return shared_with ?? `name:${plain(name)}`
}

/**
 * Returns true if two holders are one person. Both names are normalized, since old names may contain invisible
 * characters.
 */
export function sameHolder(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other)
}

function plain(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .toLowerCase()
}

/**
 * The holder of all keys whose origin was not recorded. Their approvals count once, because one person may hold
 * all of them.
 */
export const unrecordedHolder = 'unrecorded'

/**
 * The reason why an approval does not count: the same principal or holder already approved, or proposed the
 * action.
 */
export type Uncounted =
  | { reason: 'counted_before' }
  | { reason: 'holder_counted'; by: string }
  | { reason: 'own_proposal' }

export function whyUncounted(
  { given, proposer_holder }: Quorum,
  { id }: Principal,
  holder: string,
): Uncounted | null {
  if (given.some(({ principal }) => principal.id === id)) return { reason: 'counted_before' }
  if (sameHolder(holder, proposer_holder)) return { reason: 'own_proposal' }
  const other = given.find(
    counted => sameHolder(counted.holder, holder) || sameHolder(counted.on_behalf_of ?? '', holder),
  )
  return other ? { reason: 'holder_counted', by: other.name ?? other.principal.id } : null
}
