import { planRequest } from '../../actuator/plan-request.ts'
import type { RecordedVerdict } from '../../contract/action/action.ts'
import type { Proposal } from '../../contract/action/proposal-schema.ts'
import type { Evaluation, KeyPrincipal } from '../../contract/action/verdict.ts'
import type { JsonObject } from '../../contract/base/json.ts'
import type { RegisteredActuator } from '../../contract/configuration/actuator-schema.ts'
import { evaluate } from '../../gate/evaluate.ts'
import { applyFreezes } from '../../gate/freeze.ts'
import { open } from '../../lifecycle/decide.ts'
import { createBatcher } from '../../runtime/batcher.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { newActionId } from '../../runtime/ids.ts'
import { isLost } from '../../runtime/outage.ts'
import { insertActions, type Opened } from '../../store/action/ledger.ts'
import type { SealedOpening } from '../../store/action/sealed-change.ts'
import { sealChange } from '../core/change-action.ts'
import type { Rules } from '../core/compile-rules.ts'
import { areKeysBeside, type Context, perContext } from '../core/context.ts'
import { callOf, plannedHash } from '../core/execution-binding.ts'

export interface ProposedBy {
  principal: KeyPrincipal & { tenant_id: string }
  proposal: Proposal
  traceparent: string
}

export interface Opening extends SealedOpening {
  verdict: RecordedVerdict
}

export interface Content {
  text: string
  hash: string
}

export interface Grounds extends Content {
  now: string
  rules: Rules
  holder: string | null
  action_id?: string
  approvals_min?: number
}

/**
 * Keeps the number of approvals that a replaced action needed, so that an edit after a change of the policy needs
 * no fewer.
 */
function withAtLeast(approvals: number | undefined, evaluation: Evaluation): Evaluation {
  const { decision, approvals_required = 1 } = evaluation
  if (decision !== 'needs_approval' || approvals === undefined || approvals <= approvals_required)
    return evaluation
  return { ...evaluation, approvals_required: approvals }
}

export function decideProposal(
  context: Context,
  { principal, proposal }: ProposedBy,
  { rules, approvals_min }: Grounds,
): Evaluation {
  const { target_system: system, operation } = proposal.action
  const subject = { system, operation, key_id: principal.key_id }
  const begun = monotonicMs()
  const frozen = applyFreezes(evaluate(proposal, rules.compiled), rules.freezes, subject)
  const evaluation = withAtLeast(approvals_min, frozen)
  context.events.gateAsked(monotonicMs() - begun)
  return evaluation
}

export function sealOpening(
  context: Context,
  submission: ProposedBy,
  grounds: Grounds,
  evaluation: Evaluation,
): Opening {
  const { rules, text, hash, now } = grounds
  const { principal, proposal } = submission
  const { target_system, operation } = proposal.action
  const action_id = grounds.action_id ?? newActionId()
  const verdict = recordVerdict(evaluation, { action_id, principal, proposal, ...grounds })
  const change = open({
    proposer: { id: principal.key_id, kind: 'agent' },
    proposal: proposal as unknown as JsonObject,
    proposal_text: text,
    verdict: verdict as unknown as JsonObject & RecordedVerdict,
    attempts_max: context.config.attempts_max,
    approval_ttl_ms: verdict.decide_within_ms ?? rules.approval_ttl_ms,
  })
  const action = { action_id, tenant_id: principal.tenant_id, at: now, leaves: [] }
  return {
    proposal_id: proposal.proposal_id,
    proposal_hash: hash,
    target_system,
    operation,
    key_id: principal.key_id,
    rules_version: rules.version,
    traceparent: submission.traceparent,
    verdict,
    ...sealChange(action, change),
  }
}

interface Subject extends Grounds {
  action_id: string
  principal: ProposedBy['principal']
  proposal: Proposal
}

function recordVerdict(evaluation: Evaluation, about: Subject): RecordedVerdict {
  const { target_system, operation } = about.proposal.action
  const { compiled } = about.rules
  const registered = compiled.actuator(target_system)
  const reviewed = compiled.catalogRules(target_system, operation)
  const { toolSchemaHash: tool_schema_hash, idempotency, executeWithinMs } = reviewed
  const execute_within_ms = executeWithinMs ?? about.rules.execute_within_ms
  const actuator = registered && {
    name: registered.name,
    kind: registered.kind,
    ...(tool_schema_hash === null ? {} : { tool_schema_hash }),
    ...(idempotency === null ? {} : { idempotency }),
  }
  const isCounted = evaluation.approvals_required !== undefined || evaluation.route !== undefined
  return {
    principal: about.principal,
    proposal_hash: about.hash,
    actuator: actuator ?? null,
    ...(isCounted && about.holder !== null ? { proposer_holder: about.holder } : {}),
    ...(evaluation.route && compiled.routeHash ? { route_hash: compiled.routeHash } : {}),
    ...(registered && evaluation.decision === 'needs_approval' ? plannedFor(about, registered) : {}),
    ...heldFor(about, evaluation),
    ...(execute_within_ms === null ? {} : { execute_within_ms }),
    ...evaluation,
  }
}

/** Returns the milliseconds to decide a held action: those of its route, or else of the tenant. */
function heldFor({ rules }: Subject, { decision, route }: Evaluation): { decide_within_ms?: number } {
  const decide_within_ms = route?.decide_within_ms ?? rules.approval_ttl_ms
  return decision === 'needs_approval' ? { decide_within_ms } : {}
}

/**
 * Renders the request that a person is asked to approve; only held actions have one, and every claim compares it
 * again.
 */
function plannedFor(about: Subject, registered: RegisteredActuator) {
  const { action_id, principal, proposal, rules } = about
  const { target_system, operation } = proposal.action
  const { toolSchemaHash: tool_schema_hash } = rules.compiled.catalogRules(target_system, operation)
  const { tenant_id } = principal
  const request = planRequest(registered, callOf({ action_id, tenant_id }, { proposal, tool_schema_hash }))
  return { request, request_hash: plannedHash(request) }
}

/** A second group leaves only with 12 waiting actions, since a smaller one would not be worth its connection. */
const together = { size_max: 64, groups_max: 2, crowd: 12, isOfAll: isLost }

/** Stores a new action; concurrent ones of all tenants share one statement and one commit. */
export function insertTogether(context: Context, opening: SealedOpening): Promise<Opened> {
  return batcherOf(context)(opening)
}

const batcherOf = perContext(context =>
  createBatcher({ ...together, run: (openings: SealedOpening[]) => insertGroup(context, openings) }),
)

async function insertGroup(context: Context, openings: readonly SealedOpening[]): Promise<Opened[]> {
  const tenants = [...new Set(openings.map(({ tenant_id }) => tenant_id))]
  const opened = await context.store.write(tenants, async writer => {
    const answers = await insertActions(writer, openings, areKeysBeside(context))
    await context.reach('submit_written')
    return answers
  })
  for (const { now } of opened.slice(0, 1)) context.databaseClock.heard(now)
  return opened
}
