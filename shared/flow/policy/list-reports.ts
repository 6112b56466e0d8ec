import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { BoundReport, ReportBody } from '../../contract/configuration/verification-schema.ts'
import { type TimeCursor, writeTimeCursor } from '../../contract/endpoints/paging.ts'
import { type ActiveDocumentsRow, readActiveDocuments } from '../../store/tenant/active-documents.ts'
import {
  listReports as listStored,
  reportSizes,
  type StoredReport,
} from '../../store/tenant/verification-reports.ts'
import type { Context } from '../core/context.ts'
import { pageByBytes } from '../core/page.ts'
import { engine, gateMode, proofSubject } from './run-proof.ts'

/**
 * Lists stored reports, newest first, each compared with the documents in force
 * (specification.md#verification-of-policies).
 */
export async function listReports(
  context: Context,
  tenantId: string,
  page: { limit: number; cursor: TimeCursor | undefined },
): Promise<{ reports: BoundReport[]; next_cursor: string | null }> {
  return context.store.look([tenantId], async query => {
    const record = await readActiveDocuments(query, tenantId)
    if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
    const { cursor } = page
    const { rows, last } = await pageByBytes(
      {
        sizes: limit => reportSizes(query, tenantId, { limit, cursor }),
        rows: limit => listStored(query, tenantId, { limit, cursor }),
      },
      page.limit,
    )
    return {
      reports: rows.map(stored => boundReport(context, record, stored)),
      next_cursor: last && writeTimeCursor([last.created_at.toISOString(), last.report_id]),
    }
  })
}

function boundReport(context: Context, record: ActiveDocumentsRow, stored: StoredReport): BoundReport {
  const body = JSON.parse(stored.body) as ReportBody
  const status = bindingOf(body, proofSubject(record, gateMode(context), {}).named)
  return {
    ...body,
    report_hash: stored.report_hash,
    signature: stored.envelope === null ? null : (JSON.parse(stored.envelope) as JsonObject),
    live: status === 'current',
    live_policy_binding: { status },
  }
}

type BindingStatus = BoundReport['live_policy_binding']['status']

/** A report about a draft that has since come into force counts as one about the documents in force. */
function bindingOf({ subject, engine: by }: ReportBody, inForce: ReportBody['subject']): BindingStatus {
  const samePolicy = subject.policy_hash === inForce.policy_hash
  const sameCatalog = subject.catalog_hash === inForce.catalog_hash
  if (subject.kind === 'draft' && !(samePolicy && sameCatalog)) return 'draft_only'
  if (!samePolicy) return 'stale_policy'
  if (!sameCatalog) return 'stale_catalog'
  if (subject.mode !== inForce.mode) return 'stale_mode'
  return by.name === engine.name && by.version === engine.version ? 'current' : 'stale_engine'
}
