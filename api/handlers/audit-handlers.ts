import type { auditEndpoints } from '../../shared/contract/endpoints/audit-endpoints.ts'
import {
  readAuditKeys,
  readLogCheckpoint,
  readLogEntries,
  readLogInclusion,
} from '../../shared/flow/log/read-log.ts'
import type { Handlers } from './handler.ts'

export const auditHandlers: Handlers<typeof auditEndpoints> = {
  async audit_keys(context, { query: { origin } }) {
    const log = origin === undefined ? null : { log_id: origin.slice(origin.lastIndexOf('/') + 1) }
    return { status: 200, body: await readAuditKeys(context, log) }
  },
  async log_checkpoint(context, { principal, query }) {
    const body = await readLogCheckpoint(context, principal.tenant_id, query.from_size ?? null)
    return { status: 200, body }
  },
  async log_entries(context, { principal, query: { from = 0, limit = 200 } }) {
    return { status: 200, body: await readLogEntries(context, principal.tenant_id, { from, limit }) }
  },
  async log_inclusion(context, { principal, query }) {
    const asked = { index: query.index, size: query.size ?? null }
    return { status: 200, body: await readLogInclusion(context, principal.tenant_id, asked) }
  },
}
