import { setTimeout as delay } from 'node:timers/promises'
import { canonicalJson } from '../../canon/canonical-json.ts'
import { documentHash } from '../../canon/digest.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type {
  DraftVerification,
  ReportBody,
  Verification,
  VerificationReport,
  VerificationRequest,
} from '../../contract/configuration/verification-schema.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { newName } from '../../runtime/ids.ts'
import { signingKeyThere } from '../../store/log/signing-keys.ts'
import { readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { insertReport, type NewReport, readReportSignature } from '../../store/tenant/verification-reports.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { readDrafts } from '../core/policy-document.ts'
import { engine, gateMode, type ProofSubject, proofSubject, type Queries, runProof } from './run-proof.ts'

/** Proves outcomes of a draft without a tenant; stores nothing (specification.md#verification-of-policies). */
export async function verifyDraft(context: Context, request: DraftVerification): Promise<Verification> {
  const { policy, catalog } = await readDrafts(context, request)
  if (!policy) throw new ServiceError('validation_failed', 'a policy is required')
  const mode = request.mode ?? gateMode(context)
  const subject: ProofSubject = {
    policy: policy.document,
    catalog: catalog?.document ?? null,
    mode,
    named: {
      kind: 'draft',
      policy_revision: null,
      policy_hash: policy.hash,
      catalog_revision: null,
      catalog_hash: catalog?.hash ?? null,
      mode,
    },
  }
  return prove(context, subject, request)
}

export interface TenantVerification {
  tenant_id: string
  request: VerificationRequest
  author: Author
}

/**
 * Proves outcomes of a tenant's documents or drafts and stores the report
 * (specification.md#verification-of-policies).
 */
export async function verifyTenantPolicy(
  context: Context,
  { tenant_id, request, author }: TenantVerification,
): Promise<VerificationReport> {
  const drafts = await readDrafts(context, request)
  const record = await context.store.look([tenant_id], query => readActiveDocuments(query, tenant_id))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenant_id}`)
  const subject = proofSubject(record, request.mode ?? gateMode(context), drafts)
  const verification = await prove(context, subject, request)
  const { report, body } = await changeConfig(context, tenant_id, author, async (query, { at }) => {
    const made: ReportBody = { tenant_id, report_id: newName('vrp'), created_at: at, author, ...verification }
    const stored = storedReport(tenant_id, made, queriesText(request))
    await insertReport(query, stored)
    const { report_id, report_hash, policy_hash, catalog_hash = null, result } = stored
    const payload = { report_id, report_hash, policy_hash, catalog_hash, result }
    return { answer: { report: stored, body: made }, entry: { kind: 'verification_report', payload } }
  })
  return { ...body, report_hash: report.report_hash, signature: await signatureOf(context, report) }
}

async function prove(context: Context, subject: ProofSubject, queries: Queries): Promise<Verification> {
  const proved = await runProof(context, subject, queries)
  const { policy_hash, catalog_hash } = subject.named
  const query_hash = documentHash('query', queriesText(queries))
  return { engine, subject: subject.named, policy_hash, catalog_hash, query_hash, ...proved }
}

function storedReport(tenant_id: string, body: ReportBody, queries: string): NewReport {
  const { report_id, created_at, subject, policy_hash, catalog_hash, result } = body
  const text = canonicalText(body)
  return {
    tenant_id,
    report_id,
    created_at,
    kind: subject.kind,
    mode: subject.mode,
    result,
    policy_hash,
    catalog_hash,
    report_hash: documentHash('report', text),
    body: text,
    queries,
  }
}

function queriesText({ forbidden, required, bounds }: Queries): string {
  return canonicalText({ forbidden, required, bounds })
}

function canonicalText(value: object): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue)
}

const signatureWaitMs = 2_000
const lookAgainMs = 40

/**
 * Waits up to 2 s for a worker to sign the report; returns null without a signing key or if no signature comes in
 * time.
 */
async function signatureOf(
  context: Context,
  { tenant_id, report_id }: Pick<NewReport, 'tenant_id' | 'report_id'>,
): Promise<JsonObject | null> {
  if (!(await context.store.read('all', signingKeyThere))) return null
  for (const endMs = monotonicMs() + signatureWaitMs; monotonicMs() < endMs; await delay(lookAgainMs)) {
    const envelope = await context.store.look([tenant_id], query =>
      readReportSignature(query, tenant_id, report_id),
    )
    if (envelope !== null) return JSON.parse(envelope) as JsonObject
  }
  return null
}
