import type { Principal } from '../contract/action/audit.ts'
import type { Quorum } from './change.ts'
import { sameLineage } from './lineage.ts'

/** Why an approval does not count: the principal has given theirs, somebody of one lineage has, or that one proposed. */
export type Uncounted =
  | { reason: 'counted_before' }
  | { reason: 'lineage_counted'; by: string }
  | { reason: 'own_proposal' }

/** Null where an approval counts. */
export function whyUncounted(
  { given, proposer_lineage }: Quorum,
  { id }: Principal,
  lineage: string,
): Uncounted | null {
  if (given.some(({ principal }) => principal.id === id)) return { reason: 'counted_before' }
  if (sameLineage(lineage, proposer_lineage)) return { reason: 'own_proposal' }
  const other = given.find(counted => sameLineage(counted.lineage, lineage))
  return other ? { reason: 'lineage_counted', by: other.name ?? other.principal.id } : null
}
