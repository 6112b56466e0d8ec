import type { RecordedVerdict } from '../../contract/action/action.ts'
import { actionStatuses } from '../../contract/action/action-status.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import type { Check, Evaluation } from '../../contract/action/verdict.ts'
import { limits } from '../../contract/base/limits.ts'
import type { Slices } from '../../contract/base/slices.ts'
import type { ReplayReport } from '../../contract/configuration/policy-check.ts'
import { evaluate } from '../../gate/evaluate.ts'
import { type ListedAction, listActions } from '../../store/action/actions.ts'
import type { Rules } from '../core/compile-rules.ts'
import type { Context } from '../core/context.ts'
import type { DraftDocuments } from '../core/policy-document.ts'
import { draftRules } from './try-drafts.ts'

/**
 * Decides recorded proposals again under drafts, newest first, and returns the changed decisions with the first
 * differing check (extension). Freezes are left out, because they are not part of a policy. It reads page by page,
 * yields to other work and writes nothing.
 */
export async function replayPolicy(
  context: Context,
  tenantId: string,
  request: DraftDocuments & { limit: number },
): Promise<ReplayReport> {
  const rules = await draftRules(context, tenantId, request)
  const report = emptyReport()
  let before: string | null = null
  for (let left = request.limit; left > 0; ) {
    const limit = Math.min(left, limits.list_limit_max)
    const page: ListedAction[] = await context.store.read([tenantId], reader =>
      listActions(reader, { tenantId, statuses: actionStatuses, limit, before }),
    )
    await context.prove(replayEach(report, rules, page))
    left -= page.length
    const last = page.at(-1)
    if (!last?.followed) break
    before = last.action_id
  }
  return report
}

function* replayEach(report: ReplayReport, rules: Rules, page: readonly ListedAction[]): Slices<void> {
  for (const listed of page) {
    replayOne(report, rules, listed)
    yield
  }
}

function replayOne(report: ReplayReport, rules: Rules, listed: ListedAction): void {
  if (listed.proposal === null || listed.verdict === null) {
    const [erased] = report.not_replayed
    if (erased) erased.count += 1
    else report.not_replayed.push({ reason: 'erased', count: 1 })
    return
  }
  const proposal = JSON.parse(listed.proposal) as Proposal
  const recorded = JSON.parse(listed.verdict) as RecordedVerdict
  const draft = evaluate(proposal, rules.compiled)
  report.replayed += 1
  report.transitions[recorded.decision][draft.decision] += 1
  if (recorded.decision === draft.decision) return
  if (report.flips.length >= limits.replay_flips_max) {
    report.flips_omitted += 1
    return
  }
  const { check, path, message } = flippedCheck(recorded, draft)
  const { action_id } = listed
  const { proposal_id } = proposal
  report.flips.push({
    action_id,
    proposal_id,
    recorded: recorded.decision,
    draft: draft.decision,
    check,
    path,
    message,
  })
}

function flippedCheck(recorded: Evaluation, draft: Evaluation): Pick<Check, 'check' | 'path' | 'message'> {
  const before = new Set(recorded.checks.map(identity))
  const after = new Set(draft.checks.map(identity))
  const failedNow = draft.checks.find(check => check.outcome === 'fail' && !before.has(identity(check)))
  const failedThen = recorded.checks.find(check => check.outcome === 'fail' && !after.has(identity(check)))
  const changed = draft.checks.find(check => !before.has(identity(check)))
  const found = failedNow ?? failedThen ?? changed
  return (
    found ?? { check: 'approval_threshold', path: 'risk.level', message: 'the threshold or the risk changed' }
  )
}

function identity({ check, path, outcome, code }: Check): string {
  return `${check} ${path ?? ''} ${outcome} ${code ?? ''}`
}

function emptyReport(): ReplayReport {
  const none = () => ({ allow: 0, needs_approval: 0, deny: 0 })
  return {
    replayed: 0,
    transitions: { allow: none(), needs_approval: none(), deny: none() },
    flips: [],
    flips_omitted: 0,
    not_replayed: [],
  }
}
