import { limits } from '../../../shared/contract/base/limits.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { newName } from '../../../shared/runtime/ids.ts'
import { insertFreeze } from '../../../shared/store/tenant/freeze-rows.ts'

/** As many freezes as a tenant may have, each of a system that nobody uses. */
export async function plantFreezes({ store }: Pick<Context, 'store'>, tenantId: string): Promise<void> {
  const of = { tenant_id: tenantId, effect: 'freeze', operation: null, key_id: null } as const
  const author = { source: 'of a test' }
  await store.change([tenantId], async query => {
    for (let nth = 1; nth <= limits.freezes_per_tenant_max; nth += 1)
      await insertFreeze(query, {
        ...of,
        freeze_id: newName('frz'),
        system: `unused-${nth}`,
        reason: 'of a test',
        author,
      })
  })
}
