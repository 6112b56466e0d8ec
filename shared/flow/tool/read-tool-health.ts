import type { ToolHealth } from '../../contract/configuration/tool-health-schema.ts'
import { afterNow } from '../../runtime/clock.ts'
import { actionIdsFrom } from '../../runtime/ids.ts'
import { readHealthRows } from '../../store/action/tool-health-rows.ts'
import type { Context } from '../core/context.ts'
import { readTenantTools, requireTool } from './tenant-tools.ts'

const dayMs = 86_400_000

/** What came of the calls of a system in the last day; a busy tenant is looked at as far back as the bound reaches. */
export async function readToolHealth(
  context: Context,
  { tenant_id, system }: { tenant_id: string; system: string },
): Promise<ToolHealth> {
  const { documents } = await readTenantTools(context, tenant_id)
  requireTool(documents, system)
  const until = afterNow(0)
  const from = afterNow(-dayMs)
  const wanted = { tenant_id, system, from_id: actionIdsFrom(from) }
  const { since, ...health } = await context.store.read([tenant_id], reader => readHealthRows(reader, wanted))
  return {
    system,
    since: since ?? from.toISOString(),
    until: until.toISOString(),
    cut: since !== null,
    ...health,
  }
}
