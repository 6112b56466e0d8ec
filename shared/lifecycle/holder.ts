import type { Principal } from '../contract/action/audit.ts'
import type { Author } from '../contract/configuration/tenant.ts'
import type { AdminScope, KeyScope } from '../contract/role-schema.ts'
import type { Quorum } from './change.ts'

/** What somebody decides or proposes with: an owner's session, or a key as it was minted. */
export type Credential =
  | { account_id: string }
  | {
      name: string
      scope: Exclude<KeyScope, AdminScope>
      minted_by: Author
      /** Holder of the key that it is said to share the holder with; null where nothing was said. */
      shared_with: string | null
    }

/**
 * Whose credential it is, so that one person counts once in a quorum however many credentials they hold:
 *
 * - an owner's sessions, and every key of a role that the owner minted: the account;
 * - a key that was minted as another one's (`same_holder_as`: a rotation, a second device): the holder of that one;
 * - any other key: its name, in which neither case, spacing nor what nobody sees tells two apart. An operator who mints keys for different
 *   names says that different people hold them.
 *
 * An agent key that an owner minted is not the owner's: it is handed to the agent whose proposals the owner decides.
 */
export function holderOf(credential: Credential): string {
  if ('account_id' in credential) return `account:${credential.account_id}`
  const { name, scope, minted_by, shared_with } = credential
  if ('account_id' in minted_by && scope !== 'agent') return holderOf({ account_id: minted_by.account_id })
  return shared_with ?? `name:${plain(name)}`
}

/**
 * Whether two holders are of one person. Names that were stored before invisible characters were refused are compared
 * without them.
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

/** A key whose origin was never recorded may be anybody's: together these count once. */
export const unrecordedHolder = 'unrecorded'

/** Why an approval does not count: the principal has given theirs, somebody of one holder has, or that one proposed. */
export type Uncounted =
  | { reason: 'counted_before' }
  | { reason: 'holder_counted'; by: string }
  | { reason: 'own_proposal' }

/** Null where an approval counts. */
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
