import type { RecordedVerdict } from '../../../../shared/contract/action/action.ts'
import type { Proposal } from '../../../../shared/contract/action/proposal-schema.ts'
import type { CatalogOperation } from '../../../../shared/contract/configuration/catalog.ts'
import { useCall } from '../../lib/query.tsx'
import { useDesk } from './desk.ts'

/**
 * What the catalog that governed a verdict says of its operation: null where it says nothing, undefined where that
 * catalog is not the one in force any more or is not read yet.
 */
export function useReviewed(
  { catalog }: Pick<RecordedVerdict, 'catalog'>,
  { target_system, operation }: Proposal['action'],
): CatalogOperation | null | undefined {
  const { catalogOf } = useDesk()
  const { data } = useCall(
    'read_owned_catalog',
    { params: { tenant_id: catalogOf ?? '' } },
    { enabled: catalog !== null && catalogOf !== null },
  )
  if (catalog === null) return null
  if (data?.catalog_hash !== catalog.hash) return undefined
  const found = data.catalog.operations.find(
    reviewed => reviewed.system === target_system && reviewed.operation === operation,
  )
  return found ?? null
}
