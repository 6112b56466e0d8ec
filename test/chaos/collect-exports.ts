import { forEachOf } from '../support/platform/platform-waiting.ts'
import type { ExportedAudit, ExportLine, JournalLine } from './check/evidence.ts'
import { apiNames, tenantIds } from './settings.ts'
import type { World } from './world.ts'

const pageSize = 200
const atOnce = 8

/** Fetches the audit export of every action that the service lists or a client was told of, over HTTP. */
export async function collectExports(
  { processes, keys }: World,
  journal: readonly JournalLine[],
  add: (line: ExportLine) => void,
): Promise<void> {
  const url = String(processes.get(apiNames[0])?.ready()?.url)
  for (const tenant_id of tenantIds) {
    const headers = { authorization: `Bearer ${keys.tenants.get(tenant_id)?.agent.secret}` }
    const told = journal
      .filter(line => line.tenant_id === tenant_id)
      .flatMap(({ action_id }) => action_id ?? [])
    const ids = new Set([...told, ...(await listed(url, headers))])
    await forEachOf([...ids], atOnce, async action_id => {
      const response = await fetch(`${url}/v1/actions/${action_id}/audit-export`, { headers })
      if (!response.ok && response.status !== 404)
        throw new Error(`the export of ${action_id}: ${response.status} ${await response.text()}`)
      const body = (await response.json()) as ExportedAudit
      add({ tenant_id, action_id, exported: response.ok ? body : null })
    })
  }
}

async function listed(url: string, headers: Record<string, string>): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const response = await fetch(`${url}/v1/actions?limit=${pageSize}${from}`, { headers })
    if (!response.ok) throw new Error(`the list of actions: ${response.status} ${await response.text()}`)
    const page = (await response.json()) as { actions: { action_id: string }[]; next_cursor: string | null }
    ids.push(...page.actions.map(({ action_id }) => action_id))
    cursor = page.next_cursor
  }
  return ids
}
