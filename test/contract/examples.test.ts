import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../shared/canon/canonical-json.ts'
import { documentHash } from '../../shared/canon/digest.ts'
import type { Proposal } from '../../shared/contract/action/proposal-schema.ts'
import type { Evaluation, Verdict } from '../../shared/contract/action/verdict.ts'
import type { JsonValue } from '../../shared/contract/base/json.ts'
import { catalogRevision } from '../../shared/contract/examples/example-changes.ts'
import { checkedRefund } from '../../shared/contract/examples/example-drafts.ts'
import {
  draftNormalizedPolicy,
  draftPolicy,
  draftPolicyHash,
  exampleNormalizedPolicy,
  examplePolicy,
  examplePolicyHash,
  excessiveRefund,
  mediumRefund,
  smallRefund,
} from '../../shared/contract/examples/example-policy.ts'
import {
  approvedPendingResponse,
  exampleExport,
  exampleHeldAction,
  exampleTrace,
  rejectedResponse,
} from '../../shared/contract/examples/example-trace.ts'
import {
  deniedVerdict,
  executedVerdict,
  heldVerdict,
  pendingVerdict,
  recordedVerdict,
} from '../../shared/contract/examples/example-verdicts.ts'
import { plannedHash } from '../../shared/flow/core/execution-binding.ts'
import { evaluate } from '../../shared/gate/evaluate.ts'
import { readCatalog, readPolicy } from '../../shared/gate/read-documents.ts'
import { compiledPolicyOf } from '../pure/gate/gate-case.ts'
import { merkleTreeHash, recomputeAudit } from '../support/audit/independent-audit.ts'

const compiled = compiledPolicyOf(examplePolicy)

describe('the story that the examples tell is what the service answers', () => {
  it('the policy is normalized and hashed as it is shown', () => {
    expect(readPolicy(examplePolicy)).toMatchObject({
      ok: true,
      policy: exampleNormalizedPolicy,
      hash: examplePolicyHash,
    })
  })

  it.each<[string, Proposal, Verdict]>([
    ['executed', smallRefund, executedVerdict],
    ['queued', smallRefund, pendingVerdict],
    ['held', mediumRefund, heldVerdict],
    ['denied', excessiveRefund, deniedVerdict],
  ])('the gate decides the one that is %s so', (_name, proposal, verdict) => {
    const { review_route, ...evaluation }: Evaluation = evaluate(proposal, compiled)
    expect(verdict).toMatchObject(evaluation)
    expect(verdict.review_route ?? null).toBe(review_route)
  })

  it('the draft is normalized, hashed and decides as it is shown', () => {
    expect(readPolicy(draftPolicy)).toMatchObject({ policy: draftNormalizedPolicy, hash: draftPolicyHash })
    const {
      review_route: _none,
      policy,
      ...evaluation
    } = evaluate(mediumRefund, compiledPolicyOf(draftPolicy))
    expect(checkedRefund).toMatchObject(evaluation)
    expect(checkedRefund.policy.hash).toBe(policy.hash)
  })

  it('the catalog is in normalized form, hashed as it is shown, and admits the refunds', () => {
    const { catalog, catalog_hash } = catalogRevision
    expect(readCatalog(catalog)).toEqual({ ok: true, catalog, hash: catalog_hash, warnings: [] })
    const reviewed = compiledPolicyOf(examplePolicy, { catalog: catalog.operations })
    for (const refund of [smallRefund, mediumRefund, excessiveRefund]) {
      expect(evaluate(refund, reviewed).decision).toBe(evaluate(refund, compiled).decision)
    }
  })

  it('the recorded verdict is the one that was answered, with what it was about', () => {
    expect(recordedVerdict).toMatchObject(evaluate(mediumRefund, compiled))
    const hash = documentHash('proposal', canonicalJson(mediumRefund as unknown as JsonValue))
    expect(recordedVerdict.proposal_hash).toBe(hash)
  })

  it('the audit export proves the trace', () => {
    const { root, events } = recomputeAudit(exampleExport)
    expect(exampleTrace.audit_root).toBe(root)
    expect(events.map(({ kind, at, payload }) => ({ kind, at, payload }))).toEqual(
      exampleTrace.events.map(({ kind, at, body }) => ({ kind, at, payload: body })),
    )
  })

  it('every root is that of the events beside it', () => {
    for (const { trace, audit_root } of [
      approvedPendingResponse,
      rejectedResponse,
      { trace: exampleTrace.events, audit_root: exampleTrace.audit_root },
    ]) {
      const leaves = trace.map(({ leaf_hash }) => Buffer.from(leaf_hash.slice('sha256:'.length), 'hex'))
      expect(`sha256:${merkleTreeHash(leaves).toString('hex')}`).toBe(audit_root)
    }
  })
})

it('the example of a held action shows the request that its hash is of', () => {
  const { request, request_hash } = exampleHeldAction.verdict
  expect(request && plannedHash(request)).toBe(request_hash)
})
