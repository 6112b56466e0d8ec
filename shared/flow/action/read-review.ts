import { type RiskLevel, riskLevels, riskRank } from '../../contract/action/proposal-schema.ts'
import type { HeldCounts, Review } from '../../contract/action/review-schema.ts'
import { ServiceError } from '../../contract/base/errors.ts'
import { limits } from '../../contract/base/limits.ts'
import { evaluate } from '../../gate/evaluate.ts'
import { applyFreezes } from '../../gate/freeze.ts'
import { countHeldBy, type Ending, type HeldCount } from '../../store/action/held-history-rows.ts'
import { readCatalogEntry } from '../../store/tenant/catalog-revisions.ts'
import { rulesVersions } from '../../store/tenant/tenant-rows.ts'
import type { Rules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import { readWhatWasHeld } from './read-actions.ts'

export interface ReviewRequest {
  tenant_id: string
  action_id: string
  now: string
}

/**
 * Reads the catalog, policy and history behind a held or decided action (specification.md#reviews); it decides
 * nothing.
 */
export async function readReview(
  context: Context,
  { tenant_id, action_id, now }: ReviewRequest,
): Promise<Review> {
  const { proposal, verdict } = await readWhatWasHeld(context, { tenant_id, action_id })
  const { target_system: system, operation } = proposal.action
  const { key_id } = verdict.principal
  const { compiled, freezes } = await currentRules(context, tenant_id)
  const decide = (approvalRequiredAt: RiskLevel) =>
    applyFreezes(evaluate(proposal, { ...compiled, approvalRequiredAt }), freezes, {
      system,
      operation,
      key_id,
    })
  const { decision, policy, catalog } = decide(compiled.approvalRequiredAt)
  const since = new Date(Date.parse(now) - limits.review_hours * 3_600_000).toISOString()
  const [reviewed, counts] = await context.store.read([tenant_id], async reader => [
    verdict.catalog &&
      (await readCatalogEntry(reader, {
        tenantId: tenant_id,
        revision: verdict.catalog.revision,
        system,
        operation,
      })),
    await countHeldBy(reader, { tenantId: tenant_id, key_id, system, operation, since }),
  ])
  return {
    action_id,
    reviewed,
    in_force: { decision, policy, catalog },
    history: historyOf(counts, since),
    spared: riskLevels
      .filter(level => riskRank[level] > riskRank[compiled.approvalRequiredAt])
      .map(level => ({
        approval_required_at: level,
        this_action: decide(level).decision === 'allow',
        ...sparedOf(counts, level),
      })),
  }
}

/** Returns the rules in force; it checks the version first, because the cached rules may be one version behind. */
async function currentRules(context: Context, tenantId: string): Promise<Rules> {
  const kept = await context.rules(tenantId)
  const versions = await context.store.read([tenantId], reader => rulesVersions(reader, [tenantId]))
  if (kept && kept.version !== versions.get(tenantId)) await context.forgetRules(tenantId, kept.version)
  const rules = await context.rules(tenantId)
  if (!rules) throw new ServiceError('action_not_found', `no application ${tenantId}`)
  return rules
}

function historyOf(counts: readonly HeldCount[], since: string): Review['history'] {
  const by_key = countsOf(counts)
  return {
    since,
    by_key,
    of_operation: countsOf(counts.filter(({ same }) => same)),
    complete: by_key.asked < limits.review_counted_max,
  }
}

const outcomes = {
  approval: 'approved',
  rejection: 'rejected',
  expiry: 'expired',
  cancellation: 'withdrawn',
  supersession: 'edited',
} as const satisfies Record<Ending, keyof HeldCounts>

function countsOf(counts: readonly HeldCount[]): HeldCounts {
  const told: HeldCounts = {
    asked: 0,
    waiting: 0,
    approved: 0,
    rejected: 0,
    expired: 0,
    withdrawn: 0,
    edited: 0,
  }
  for (const { ending, count } of counts) {
    told.asked += count
    told[ending === null ? 'waiting' : outcomes[ending]] += count
  }
  return told
}

/** Counts the actions below a risk threshold; erased ones are left out, since they have no risk. */
function sparedOf(
  counts: readonly HeldCount[],
  threshold: RiskLevel,
): { by_key: number; of_operation: number } {
  const below = counts.filter(({ risk }) => risk !== null && riskRank[risk] < riskRank[threshold])
  return { by_key: countsOf(below).asked, of_operation: countsOf(below.filter(({ same }) => same)).asked }
}
