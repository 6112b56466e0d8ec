import { forEachOf } from '../support/platform/platform-waiting.ts'
import type { ExportedAudit, ExportLine, JournalLine } from './check/evidence.ts'
import { insist } from './insist.ts'
import { tenantIds } from './settings.ts'
import type { World } from './world.ts'

const pageSize = 200
const atOnce = 8

/**
 * Fetches the audit export of every action that the service lists or a client was told of, over HTTP. An auditor asks
 * again where storage was away, as the answer says.
 */
export async function collectExports(
  world: World,
  journal: readonly JournalLine[],
  add: (line: ExportLine) => void,
): Promise<void> {
  for (const tenant_id of tenantIds) {
    const headers = { authorization: `Bearer ${world.keys.tenants.get(tenant_id)?.agent.secret}` }
    const told = journal
      .filter(line => line.tenant_id === tenant_id)
      .flatMap(({ action_id }) => action_id ?? [])
    const ids = new Set([...told, ...(await listed(world, headers))])
    await forEachOf([...ids], atOnce, async action_id => {
      const path = `/v1/actions/${action_id}/audit-export`
      const { status, body } = await insist(world, { method: 'GET', path, headers })
      if (status !== 200 && status !== 404)
        throw new Error(`the export of ${action_id}: ${status} ${JSON.stringify(body)}`)
      add({ tenant_id, action_id, exported: status === 200 ? (body as ExportedAudit) : null })
    })
  }
}

async function listed(world: World, headers: Record<string, string>): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const path = `/v1/actions?limit=${pageSize}${from}`
    const { status, body } = await insist(world, { method: 'GET', path, headers })
    if (status !== 200) throw new Error(`the list of actions: ${status} ${JSON.stringify(body)}`)
    const page = body as { actions: { action_id: string }[]; next_cursor: string | null }
    ids.push(...page.actions.map(each => each.action_id))
    cursor = page.next_cursor
  }
  return ids
}
