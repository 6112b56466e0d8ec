import { ServiceError } from '../../contract/base/errors.ts'
import type { AdmissionReport, AdmissionRequest } from '../../contract/configuration/admission.ts'
import type { Author } from '../../contract/configuration/tenant.ts'
import { retryDelayMs } from '../../lifecycle/job.ts'
import { admissionHoles, admissionReport } from '../../policy-analysis/admit/admit.ts'
import {
  type AdmissionInput,
  type Deployment,
  readAdmissionCatalog,
} from '../../policy-analysis/admit/admit-input.ts'
import type { Config } from '../../runtime/settings/config.ts'
import { workerSeen } from '../../store/job/workers.ts'
import { signingKeyThere } from '../../store/log/signing-keys.ts'
import { type ActiveDocumentsRow, readActiveDocuments } from '../../store/tenant/active-documents.ts'
import { countApprovers } from '../../store/tenant/api-keys.ts'
import { principalOf } from '../core/change-config.ts'
import { workerAliveMs } from '../core/configured.ts'
import type { Context } from '../core/context.ts'
import { invalidBelow, type Reading, readLarge, validatePolicy } from '../core/policy-document.ts'
import { gateMode, proofSubject } from './run-proof.ts'

export interface Admission {
  tenant_id: string
  request: AdmissionRequest
  author: Author
  now: string
}

/**
 * Lists every hole that keeps a tenant or drafts for it from strict admission; changes nothing
 * (specification.md#admission-holes).
 */
export async function admitPolicy(context: Context, admission: Admission): Promise<AdmissionReport> {
  const { tenant_id } = admission
  const drafts = await readAdmissionDrafts(context, admission.request)
  const record = await context.store.look([tenant_id], query => readActiveDocuments(query, tenant_id))
  if (!record) throw new ServiceError('tenant_not_found', `no tenant ${tenant_id}`)
  const mode = admission.request.mode ?? gateMode(context)
  const inForce = proofSubject(record, mode, {})
  const input: AdmissionInput = {
    policy: drafts.policy ?? inForce.policy,
    catalog: drafts.catalog ?? inForce.catalog,
    mode,
    actuators: record.actuators,
    tools: [],
    review: reviewOf(record, admission),
    routes: routesOf(record),
    deployment: await deploymentOf(context, tenant_id),
  }
  return admissionReport(await context.prove(admissionHoles(input)))
}

async function readAdmissionDrafts(reading: Reading, { policy, catalog }: AdmissionRequest) {
  const read = catalog && (await readLarge(readAdmissionCatalog(catalog), catalog, reading))
  if (read?.ok === false) throw invalidBelow('the catalog is not valid', read.error, 'catalog')
  return {
    policy: policy && (await validatePolicy(reading, policy, 'policy')).document,
    catalog: read?.value,
  }
}

function routesOf({ routes, groups }: ActiveDocumentsRow): AdmissionInput['routes'] {
  const members = new Map(groups.map(group => [group.name, group.members.map(({ holder }) => holder)]))
  return routes.map(({ name, route: { required } }) => ({ name, required, members }))
}

/** A draft counts as written and reviewed now by its sender. */
function reviewOf(
  { policy, catalog }: ActiveDocumentsRow,
  { request, author, now }: Admission,
): AdmissionInput['review'] {
  const reviewedAt = request.catalog ? Date.parse(now) : catalog?.created_at.getTime()
  const reviewer = request.catalog ? author : catalog?.author
  if (reviewedAt === undefined || reviewer === undefined) return null
  return {
    author: principalOf(request.policy ? author : policy.author).id,
    reviewer: principalOf(reviewer).id,
    age_ms: Math.max(0, Date.parse(now) - reviewedAt),
  }
}

async function deploymentOf(
  { store, keys, config, durable }: Context,
  tenantId: string,
): Promise<Deployment> {
  const [signing, worker_seen, approvers] = await Promise.all([
    store.read('all', signingKeyThere),
    store.read('all', reader => workerSeen(reader, workerAliveMs({ config }))),
    keys.read([tenantId], reader => countApprovers(reader, tenantId)),
  ])
  return { signing, durable, worker_seen, approvers, retry_horizon_ms: retryHorizonMs(config) }
}

const spreadMost = 1.2

/**
 * Returns the milliseconds from the first call of an execution to the end of its last repetition, with every
 * attempt and delay at its longest.
 */
function retryHorizonMs(config: Config): number {
  const { attempts_max, execution_ms_max, lease_ms } = config
  const delays = Array.from(
    { length: attempts_max - 1 },
    (_, at) => spreadMost * retryDelayMs(at + 1, config),
  )
  return attempts_max * (execution_ms_max + lease_ms) + delays.reduce((sum, ms) => sum + ms, 0)
}
