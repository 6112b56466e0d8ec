import type { Proposal } from '../action/proposal-schema.ts'
import type { GrantClause, UsedGrant } from '../configuration/grant-clause.ts'
import type { BoundedGrant, GrantRequest } from '../configuration/grant-schema.ts'
import { exampleOperator } from './example-changes.ts'
import { examplePolicyHash } from './example-policy.ts'

export const grantRequest: GrantRequest = {
  key_id: 'agk_mk7l2cixren6w72w',
  system: 'payments',
  operation: 'refund',
  constraints: { amount: { max: 20 } },
  risk_max: 'medium',
  uses_max: 20,
  ends_at: '2026-11-21T18:00:00.000Z',
  note: 'Small refunds after the outage of this morning.',
}

const { note, ...bounds } = grantRequest

export const grantClause: GrantClause = {
  grant_id: 'grt_2kq6f7xw3m5c7y2a',
  ...bounds,
  constraints: { amount: { max: 20, required: true } },
  policy_hash: examplePolicyHash,
  catalog_hash: null,
}

const clause_hash = 'sha256:a58107e6d1e7598bf270c815a5b92273cc97ea702b1db41133c43871c294ba61'

export const exampleGrant: BoundedGrant = {
  ...grantClause,
  status: 'active',
  uses: 3,
  clause_hash,
  note,
  author: exampleOperator,
  created_at: '2026-11-21T09:12:44.201Z',
  revoked_at: null,
}

export const usedGrant: UsedGrant = { clause: grantClause, clause_hash, use: 3 }

export const grantedProposal: Proposal = {
  proposal_id: 'witness-1',
  actor: { agent_id: 'any-agent' },
  summary: 'Witness: allowed by the grant',
  action: { target_system: 'payments', operation: 'refund', parameters: { amount: 20 } },
  risk: { level: 'medium' },
}

export const grantRevocation = { reason: 'The backlog is done.' }
