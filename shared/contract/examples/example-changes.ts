import type { CatalogRevision } from '../configuration/catalog.ts'
import type { FreezeState } from '../configuration/freeze-schema.ts'
import type { ApiKey, PolicyState } from '../configuration/tenant.ts'
import {
  draftNormalizedPolicy,
  draftPolicy,
  draftPolicyHash,
  exampleNormalizedPolicy,
  exampleOperation,
  examplePolicyHash,
} from './example-policy.ts'

export const exampleOperator = {
  key_id: 'adk_5hqhsatznv6lfije',
  name: 'operations',
  scope: 'admin',
  tenant_id: null,
} as const

export const exampleSecret = 'THE-SECRET-IS-SHOWN-ONCE'

export const agentKey = keyOf('agk_mk7l2cixren6w72w', 'support agent', 'agent', '2026-11-21T01:04:57.871Z')
export const approverKey = keyOf(
  'apk_qvsbnxi5zxffjxdg',
  'support lead',
  'approver',
  '2026-11-21T01:04:57.896Z',
)

export const adminKey: ApiKey = {
  ...keyOf('adk_k7mq2r4xw6yz3abc', 'operator Ada', 'admin', '2026-11-21T01:04:57.901Z'),
  tenant_id: null,
}

export const firstRevision: PolicyState = {
  policy: exampleNormalizedPolicy,
  revision: 1,
  policy_hash: examplePolicyHash,
  catalog_hash: null,
  created_at: '2026-11-21T01:04:57.853Z',
  author: exampleOperator,
  change_note: null,
}

export const policyChange = {
  policy: draftPolicy,
  change_note: 'Refunds of medium risk need nobody any more.',
}
export const secondRevision: PolicyState = {
  ...firstRevision,
  policy: draftNormalizedPolicy,
  revision: 2,
  policy_hash: draftPolicyHash,
  created_at: '2026-11-21T01:20:31.417Z',
  change_note: policyChange.change_note,
}
export const policyRollback = { revision: 1, change_note: 'The support leads want to see them after all.' }
export const thirdRevision: PolicyState = {
  ...firstRevision,
  revision: 3,
  created_at: '2026-11-21T01:42:09.630Z',
  change_note: policyRollback.change_note,
}

export const catalogChange = {
  catalog: { operations: [exampleOperation] },
  change_note: 'Refunds, as reviewed with finance.',
}
export const catalogRevision: CatalogRevision = {
  revision: 1,
  ...catalogChange,
  catalog_hash: 'sha256:1bc19fc1b660d0c444f4c0a3db66b903691be7924a0aea14a39532bb7d333750',
  author: exampleOperator,
  created_at: '2026-11-21T02:03:55.082Z',
}

export const freezeRequest = {
  reason: 'The payment provider reports double bookings.',
  system: 'payments',
  operation: 'refund',
}
export const pauseRequest = { reason: 'The payment provider is down until noon.', system: 'payments' }
export const freezeState: FreezeState = {
  freezes: [
    {
      effect: 'freeze',
      ...freezeRequest,
      key_id: null,
      author: exampleOperator,
      created_at: '2026-11-21T02:31:18.754Z',
    },
  ],
}

export const pausedState: FreezeState = {
  freezes: [
    {
      effect: 'pause',
      ...pauseRequest,
      operation: null,
      key_id: null,
      author: exampleOperator,
      created_at: '2026-11-21T02:40:02.118Z',
    },
  ],
}

function keyOf(key_id: string, name: string, scope: ApiKey['scope'], created: string): ApiKey {
  return {
    key_id,
    name,
    scope,
    tenant_id: 'web-shop',
    prefix: key_id,
    revoked: false,
    created,
    expires_at: null,
  }
}
