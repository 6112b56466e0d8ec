import { canonicalJson } from '../../canon/canonical-json.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import { type Issue, ServiceError } from '../../contract/base/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/base/json.ts'
import { limits } from '../../contract/base/limits.ts'
import { inOneGo } from '../../contract/base/slices.ts'
import type { GrantClause } from '../../contract/configuration/grant-clause.ts'
import type {
  BoundedGrant,
  GrantList,
  GrantRequest,
  GrantRevocation,
  GrantStatus,
  MadeGrant,
} from '../../contract/configuration/grant-schema.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { clauseHash, isRegisteredAs, registrationHash } from '../../gate/bounded-grants.ts'
import { constraintProblems } from '../../gate/constraint-problems.ts'
import { normalConstraint } from '../../gate/normalize-policy.ts'
import { type GrantFault, proveGrant } from '../../policy-analysis/grant/prove-grant.ts'
import { newName } from '../../runtime/ids.ts'
import type { Query } from '../../store/postgres/open.ts'
import { type ActiveDocumentsRow, readActiveDocuments } from '../../store/tenant/active-documents.ts'
import type { PresentedKey } from '../../store/tenant/api-keys.ts'
import {
  type GrantRef,
  insertGrant,
  listGrants as listStored,
  readActiveGrants,
  readGrant,
  revokeGrant as revokeStored,
  type StoredGrant,
} from '../../store/tenant/grant-rows.ts'
import type { LockedTenant } from '../../store/tenant/tenant-rows.ts'
import { readPassingReport } from '../../store/tenant/verification-reports.ts'
import { changeConfig } from '../core/change-config.ts'
import type { Context } from '../core/context.ts'
import { gateMode, proofSubject, type Queries } from '../policy/run-proof.ts'

export async function listGrants(context: Context, tenantId: string): Promise<GrantList> {
  return context.store.look([tenantId], async query => {
    const documents = await documentsOf(query, tenantId)
    const grants = await listStored(query, tenantId, limits.grants_listed_max)
    return { grants: grants.map(grant => grantView(grant, documents)) }
  })
}

const staleProofRetries = 5

/**
 * Creates a grant that is proved to be no wider than it says. The proof precedes the transaction, which checks
 * that the rules are still the proved ones. Throws `grant_not_proved` with counterexamples.
 */
export async function makeGrant(
  context: Context,
  tenantId: string,
  { request, author }: { request: GrantRequest; author: Author },
): Promise<MadeGrant> {
  if (!(await context.rules(tenantId))) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  // One look-up before suffices, because keys may have their own database and an ended key proposes nothing.
  const { key, now } = await context.findKey(request.key_id)
  refuseEnd(request, now)
  const constraints = normalConstraints(request)
  refuseUnknownKey(tenantId, key)
  for (let tries = 0; tries < staleProofRetries; tries += 1) {
    const proved = await prove(context, tenantId, { ...request, constraints })
    const made = await changeConfig<MadeGrant | null>(context, tenantId, author, async (query, tenant) => {
      if (await isStale(context, query, tenant, proved)) return { answer: null }
      const { documents, clause } = proved
      const example = provedExample(proved, tenant)
      await refuseMany(query, tenantId)
      const stored = await insertGrant(query, rowOf(clause, { tenant, author, note: request.note }))
      const payload = { clause, clause_hash: stored.clause_hash, note: request.note }
      return {
        answer: { ...grantView(stored, documents), example },
        entry: { kind: 'grant_made', payload: payload as unknown as JsonObject },
        governs: true,
      }
    })
    if (made) return made
  }
  throw new ServiceError(
    'concurrent_change',
    'the rules kept changing while the grant was proved; send it again',
  )
}

/** Revokes a grant, so that further actions under it are held; a repetition changes nothing. */
export async function revokeGrant(
  context: Context,
  ref: GrantRef,
  { request, author }: { request: GrantRevocation; author: Author },
): Promise<BoundedGrant> {
  return changeConfig(context, ref.tenant_id, author, async (query, { at }) => {
    const stored = await readGrant(query, ref)
    if (!stored)
      throw new ServiceError('grant_not_found', `tenant ${ref.tenant_id} has no grant ${ref.grant_id}`)
    const documents = await documentsOf(query, ref.tenant_id)
    if (stored.revoked_at) return { answer: grantView(stored, documents) }
    await revokeStored(query, ref, at)
    return {
      answer: grantView({ ...stored, revoked_at: new Date(at) }, documents),
      entry: { kind: 'grant_revoked', payload: { grant_id: ref.grant_id, reason: request.reason } },
      governs: true,
    }
  })
}

async function documentsOf(query: Query, tenantId: string): Promise<ActiveDocumentsRow> {
  const record = await readActiveDocuments(query, tenantId)
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenantId}`)
  return record
}

interface Proved {
  documents: ActiveDocumentsRow
  report_id: string | null
  clause: GrantClause
  faults: readonly GrantFault[]
  example: Proposal | null
}

async function prove(context: Context, tenantId: string, request: GrantRequest): Promise<Proved> {
  const mode = gateMode(context)
  const { documents, passing } = await context.store.look([tenantId], async query => ({
    documents: await documentsOf(query, tenantId),
    passing: await readPassingReport(query, tenantId, mode),
  }))
  const clause = clauseOf(request, documents)
  const { policy, catalog } = proofSubject(documents, mode, {})
  const forbidden = passing ? (JSON.parse(passing.queries) as Queries).forbidden : []
  const { body_limit: bodyLimit } = context.config
  const { faults, example } = await context.prove(
    proveGrant({ policy, catalog, mode, clause, forbidden, bodyLimit }),
  )
  return { documents, report_id: passing?.report_id ?? null, clause, faults, example }
}

async function isStale(
  context: Context,
  query: Query,
  { tenant_id, rules_version }: LockedTenant,
  { documents, report_id }: Proved,
): Promise<boolean> {
  const passing = await readPassingReport(query, tenant_id, gateMode(context))
  return rules_version !== documents.version || (passing?.report_id ?? null) !== report_id
}

function clauseOf(request: GrantRequest, documents: ActiveDocumentsRow): GrantClause {
  const { note: _, ends_at, ...bounds } = request
  const { policy, catalog } = documents
  const registration_hash = registrationOf(documents, bounds)
  return {
    grant_id: newName('grt'),
    ...bounds,
    ends_at: new Date(ends_at).toISOString(),
    policy_hash: policy.policy_hash,
    catalog_hash: catalog?.catalog_hash ?? null,
    ...(registration_hash === undefined ? {} : { registration_hash }),
  }
}

function registrationOf(
  { actuators }: ActiveDocumentsRow,
  { system, operation }: Pick<GrantClause, 'system' | 'operation'>,
): string | undefined {
  const registered = actuators.find(({ name }) => name === system)
  return registered && registrationHash(registered, operation)
}

function rowOf(
  clause: GrantClause,
  { tenant, author, note }: { tenant: LockedTenant; author: Author; note: string },
): Parameters<typeof insertGrant>[1] {
  return {
    tenant_id: tenant.tenant_id,
    grant_id: clause.grant_id,
    clause: Buffer.from(canonicalJson(clause as unknown as JsonValue)),
    clause_hash: clauseHash(clause),
    uses_max: clause.uses_max,
    ends_at: new Date(clause.ends_at),
    note,
    author,
    created_at: new Date(tenant.at),
  }
}

function refuseUnknownKey(tenantId: string, key: PresentedKey | undefined): void {
  const isGood = key?.tenant_id === tenantId && key.scope === 'agent' && !key.revoked && !key.expired
  if (!isGood) throw invalid('key_id', 'unknown_agent_key', 'is no agent key of the tenant that works')
}

function invalid(path: string, code: string, message: string): ServiceError {
  return new ServiceError('validation_failed', `${path} ${message}`, [{ path, code, message }])
}

function normalConstraints({ system, operation, constraints }: GrantRequest): GrantRequest['constraints'] {
  const { errors } = inOneGo(constraintProblems({ [system]: { [operation]: constraints } }))
  const before = `parameter_constraints.${system}.${operation}.`
  const issues = errors.map(issue => ({ ...issue, path: issue.path.replace(before, 'constraints.') }))
  if (issues.length > 0) throw new ServiceError('validation_failed', 'the constraints are not valid', issues)
  const normal = Object.entries(constraints).map(([path, one]) => [path, normalConstraint(one)] as const)
  const bytes = Buffer.byteLength(canonicalJson(Object.fromEntries(normal)))
  if (bytes > limits.grant_bytes_max)
    throw invalid('constraints', 'bounds_too_large', `must have at most ${limits.grant_bytes_max} bytes`)
  return Object.fromEntries(normal) as GrantRequest['constraints']
}

/**
 * Throws `grant_not_proved` for a fault; one that only breaks a passing report counts if the tenant requires its
 * revisions to keep their proofs.
 */
function provedExample({ faults, example }: Proved, { verification_gate }: LockedTenant): Proposal {
  const counted = faults.filter(({ code }) => verification_gate || code !== 'breaks_report')
  if (counted.length > 0)
    throw new ServiceError('grant_not_proved', counted[0]?.message, counted.map(issueOf))
  if (!example) throw new Error('a proved grant has an example')
  return example
}

function issueOf({ path, code, message, witness }: GrantFault): Issue {
  if (!witness) return { path, code, message }
  const { action, risk } = witness
  const shown = canonicalJson({ action, risk } as unknown as JsonValue)
  return { path, code, message: `${message}: ${shown}` }
}

function refuseEnd({ ends_at }: GrantRequest, now: string): void {
  const lasts = Date.parse(ends_at) - Date.parse(now)
  if (lasts > 0 && lasts <= limits.grant_days_max * 86_400_000) return
  throw invalid(
    'ends_at',
    'end_out_of_range',
    `must be later than now, and within ${limits.grant_days_max} days`,
  )
}

async function refuseMany(query: Query, tenantId: string): Promise<void> {
  const active = await readActiveGrants(query, tenantId)
  if (active.length >= limits.grants_per_tenant_max) throw new ServiceError('too_many_grants')
}

function grantView(stored: StoredGrant, documents: ActiveDocumentsRow): BoundedGrant {
  const clause = JSON.parse(stored.clause.toString('utf8')) as GrantClause
  const { uses, note, author, clause_hash, created_at, revoked_at } = stored
  return {
    ...clause,
    status: statusOf(stored, clause, documents),
    uses,
    clause_hash,
    note,
    author,
    created_at: created_at.toISOString(),
    revoked_at: revoked_at?.toISOString() ?? null,
  }
}

function statusOf(
  { revoked_at, ended, uses, uses_max }: StoredGrant,
  clause: GrantClause,
  documents: ActiveDocumentsRow,
): GrantStatus {
  if (revoked_at) return 'revoked'
  if (ended) return 'ended'
  if (uses >= uses_max) return 'used_up'
  const { policy, catalog } = documents
  const isSame =
    policy.policy_hash === clause.policy_hash &&
    (catalog?.catalog_hash ?? null) === clause.catalog_hash &&
    isRegisteredAs(clause, () => registrationOf(documents, clause))
  return isSame ? 'active' : 'resting'
}
