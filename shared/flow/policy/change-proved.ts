import type { Regression } from '../../contract/action/verdict.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import type { VerificationGate } from '../../contract/configuration/verification-schema.ts'
import type { Query } from '../../store/postgres/open.ts'
import { type ActiveDocumentsRow, readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { revisionBytes } from '../../store/tenant/policy-revisions.ts'
import { type LockedTenant, setVerificationGate as setStored } from '../../store/tenant/tenant-rows.ts'
import { readPassingReport } from '../../store/tenant/verification-reports.ts'
import { type ConfigOutcome, type ConfigWork, changeConfig } from '../core/change-config.ts'
import type { Drafts } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { gateMode, proofSubject, type Queries, runProof } from './run-proof.ts'

export interface Revision {
  tenant_id: string
  author: Author
  drafts: Drafts
}

export interface Revised<Answer> {
  answer: Answer
  /**
   * The regressions against the latest passing report about the documents in force
   * (specification.md#verification-of-policies).
   */
  regressions: Regression[]
}

interface Proved {
  version: number
  report_id: string | null
  regressions: Regression[]
}

const staleProofRetries = 25

/**
 * Creates a revision after repeating the queries of the latest passing report. They run before the transaction,
 * which then checks that the proved documents are still those to come into force. Throws `verification_failed` if
 * the tenant requires its proofs to be kept.
 */
export async function changeProved<Answer>(
  context: Context,
  revision: Revision,
  work: ConfigWork<Answer>,
): Promise<Revised<Answer>> {
  const { tenant_id, author } = revision
  for (let tries = 0; tries < staleProofRetries; tries += 1) {
    const proved = await proveAgain(context, revision)
    try {
      return await changeConfig(context, tenant_id, author, async (query, tenant) => {
        const outcome = await work(query, tenant)
        // The document is already in force, so nothing can break.
        if (!outcome.entry) return withRegressions(outcome, [])
        if (await isStale(context, query, tenant, proved)) throw new StaleProof()
        if (tenant.verification_gate) refuseBroken(proved.regressions)
        return withRegressions(outcome, proved.regressions)
      })
    } catch (error) {
      if (!(error instanceof StaleProof)) throw error
    }
  }
  throw new ServiceError(
    'concurrent_change',
    'the tenant kept changing while the revision was proved; send it again',
  )
}

/** An error that rolls the transaction back because the proof no longer matches the documents. */
class StaleProof extends Error {}

function withRegressions<Answer>(
  { answer, ...outcome }: ConfigOutcome<Answer>,
  regressions: Regression[],
): ConfigOutcome<Revised<Answer>> {
  return { ...outcome, answer: { answer, regressions } }
}

async function proveAgain(context: Context, { tenant_id, drafts }: Revision): Promise<Proved> {
  const mode = gateMode(context)
  const { record, passing } = await context.store.look([tenant_id], async query => ({
    record: await readActiveDocuments(query, tenant_id),
    passing: await readPassingReport(query, tenant_id, mode),
  }))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenant_id}`)
  const report_id = passing?.report_id ?? null
  if (!passing || isInForce(record, drafts)) return { version: record.version, report_id, regressions: [] }
  const queries = JSON.parse(passing.queries) as Queries
  const { outcomes } = await runProof(context, proofSubject(record, mode, drafts), queries)
  const broken = outcomes.filter(({ result, expected }) => result !== expected)
  const regressions = broken.map(({ name, expected, result, why, witness }) => ({
    report_id: passing.report_id,
    name,
    expected,
    result,
    ...(why === undefined ? {} : { why }),
    ...(witness === undefined ? {} : { witness }),
  }))
  return { version: record.version, report_id, regressions }
}

function isInForce({ policy, catalog }: ActiveDocumentsRow, drafts: Drafts): boolean {
  const samePolicy = !drafts.policy || drafts.policy.hash === policy.policy_hash
  return samePolicy && (!drafts.catalog || drafts.catalog.hash === catalog?.catalog_hash)
}

async function isStale(
  context: Context,
  query: Query,
  { tenant_id, rules_version }: LockedTenant,
  { version, report_id }: Proved,
): Promise<boolean> {
  const passing = await readPassingReport(query, tenant_id, gateMode(context))
  if (!passing) return false
  return rules_version !== version || passing.report_id !== report_id
}

/** An inconclusive result is refused too, because the report had proved it. */
function refuseBroken(regressions: readonly Regression[]): void {
  if (regressions.length === 0) return
  const names = regressions.map(({ name }) => name).join(', ')
  const issues = regressions.map(({ name, result, why }) => ({
    path: name,
    code: result,
    message: why ?? `was proved by report ${regressions[0]?.report_id}, and would be ${result}`,
  }))
  throw new ServiceError('verification_failed', `the revision breaks what was proved: ${names}`, issues)
}

/** Rejects a revision that a locked tenant has no room for, since revisions are kept for ever. */
export async function requireRoom(
  { config }: Pick<Context, 'config'>,
  query: Query,
  { tenant_id, text }: { tenant_id: string; text: string },
): Promise<void> {
  const most = config.revision_bytes_max
  if ((await revisionBytes(query, tenant_id)) + Buffer.byteLength(text) <= most) return
  throw new ServiceError('too_many_revisions', `revisions of a tenant have ${most} bytes at most in all`)
}

/** Sets whether a tenant's revisions must keep its proofs (extension); a repetition records nothing. */
export async function setVerificationGate(
  context: Context,
  change: { tenant_id: string; gate: VerificationGate; author: Author },
): Promise<VerificationGate> {
  const { tenant_id, gate, author } = change
  return changeConfig(context, tenant_id, author, async (query, { verification_gate }) => {
    if (verification_gate === gate.required) return { answer: gate }
    await setStored(query, tenant_id, gate.required)
    return { answer: gate, entry: { kind: 'verification_gate', payload: { required: gate.required } } }
  })
}
