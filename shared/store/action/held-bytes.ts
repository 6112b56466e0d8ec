import type { Reader } from '../postgres/open.ts'

/** How many bytes everything has that is recorded of a tenant's held actions: known without reading it. */
export async function heldBytes(reader: Reader, tenantId: string): Promise<number> {
  const [row] = await reader.query<{ bytes: number }>('held_bytes', heldSql, [tenantId])
  return row?.bytes ?? 0
}

const heldSql = `
select coalesce(sum(octet_length(p.payload)), 0)::float8 as bytes
from actions a join event_payloads p using (action_id)
where a.tenant_id = $1 and a.status = 'pending_approval'`
