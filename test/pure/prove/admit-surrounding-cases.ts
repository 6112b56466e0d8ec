import { expect } from 'vitest'
import type { AdmissionInput } from '../../../shared/policy-analysis/admit/admit-input.ts'
import type { HoleCase } from './admit-case.ts'
import {
  entry,
  list,
  mcpPayments,
  mock,
  payments,
  refund,
  soundTenant,
  unfinished,
  withDeployment,
  withEntries,
} from './admit-world.ts'

const oneHash = `sha256:${'a'.repeat(64)}`
const otherHash = `sha256:${'b'.repeat(64)}`
const plugin = { name: 'payments', kind: 'module', settings: {} } as const

/** Holes of the review, of actuators and of the deployment. */
export const surroundingCases: readonly HoleCase[] = [
  {
    name: 'what was not reviewed',
    input: { ...soundTenant(), catalog: { operations: [entry(list), unfinished()] } },
    holes: ['effects', 'minimum_risk', 'reversibility'].map(name => ({
      code: 'CAT-1',
      ...refund,
      path: `catalog.operations[1].${name}`,
    })),
  },
  {
    name: 'a reviewer who is the author, a year ago',
    input: { ...soundTenant(), review: { author: 'adk_one', reviewer: 'adk_one', age_ms: 366 * 86_400_000 } },
    holes: [
      { code: 'CAT-2', path: 'catalog', message: expect.stringContaining('year') as never },
      { code: 'CAT-2', path: 'catalog', message: expect.stringContaining('also wrote') as never },
    ],
  },
  {
    name: 'a tool that nobody committed to',
    input: withMcp(oneHash, null),
    holes: [{ code: 'CAT-3', ...refund, path: 'catalog.operations[1].tool_schema_hash' }, { code: 'IDM-3' }],
  },
  {
    name: 'another tool than the one that is registered',
    input: withMcp(otherHash, oneHash),
    holes: [
      { code: 'CAT-3', ...refund, message: expect.stringContaining(otherHash) as never },
      { code: 'IDM-3' },
    ],
  },
  {
    name: 'another tool than the one that the server describes',
    input: { ...withMcp(oneHash, oneHash), tools: [{ ...refund, hash: otherHash }] },
    holes: [
      { code: 'CAT-3', ...refund, message: expect.stringContaining(otherHash) as never },
      { code: 'IDM-3' },
    ],
  },
  {
    name: 'a tool that is compared when it is called',
    input: withMcp(undefined, oneHash),
    holes: [{ code: 'IDM-3' }],
  },
  {
    name: 'a commitment to a tool that cannot be',
    input: withEntries(list, { tool_schema_hash: oneHash }),
    holes: [{ code: 'CAT-3', ...refund, message: expect.stringContaining('has no tool schema') as never }],
  },
  {
    name: 'a system without an actuator',
    input: { ...soundTenant(), actuators: [] },
    holes: [{ code: 'ACT-1', system: 'payments', operation: null, path: 'policy.allowed_systems' }],
  },
  {
    name: 'an entry that binds another actuator',
    input: withEntries(list, { actuator: { name: 'stripe', kind: 'http' } }),
    holes: [{ code: 'ACT-1', ...refund, path: 'catalog.operations[1].actuator' }],
  },
  {
    name: 'an actuator that does not know the operation',
    input: {
      ...soundTenant(),
      actuators: [payments({ operations: { list: { method: 'GET', path: '/' } } })],
    },
    holes: [{ code: 'ACT-1', ...refund, path: 'actuators.payments.settings' }],
  },
  {
    name: 'a mock in strict mode',
    input: { ...withKind('mock'), actuators: [mock] },
    holes: [{ code: 'ACT-2', system: 'payments', path: 'actuators.payments' }],
  },
  {
    name: 'a mock in basic mode',
    input: { ...withKind('mock'), actuators: [mock], mode: 'basic' },
    holes: [],
  },
  {
    name: 'an actuator that nothing uses',
    input: { ...soundTenant(), actuators: [payments({}), { ...payments({}), name: 'idle' } as never] },
    holes: [{ code: 'ACT-3', system: 'idle', path: 'actuators.idle' }],
  },
  {
    name: 'an actuator that honours no key, and only what has an effect',
    input: { ...soundTenant(), actuators: [payments({ idempotency: 'none' })] },
    holes: [{ code: 'IDM-1', ...refund, path: 'actuators.payments.settings.idempotency' }],
  },
  {
    name: 'a catalog that says so',
    input: withEntries(list, { idempotency: 'none' }),
    holes: [{ code: 'IDM-1', ...refund, path: 'catalog.operations[1].idempotency' }],
  },
  {
    name: 'a module, of which the catalog says that it honours the key',
    input: { ...withKind('module'), actuators: [plugin] },
    holes: [],
  },
  {
    name: 'a key that is forgotten too early',
    input: withDeployment({ retry_horizon_ms: 6 * 24 * 3_600_000 }),
    holes: [{ code: 'IDM-2', system: 'payments', path: 'actuators.payments.settings.key_retention_ms' }],
  },
  {
    name: 'a key that is remembered long enough',
    input: withDeployment({ retry_horizon_ms: 0.8 * 7 * 24 * 3_600_000 }),
    holes: [],
  },
  {
    name: 'a tool whose server forgets the key too early',
    input: {
      ...withMcp(oneHash, oneHash),
      actuators: [mcpPayments(oneHash, { key_retention_ms: 3_600_000 })],
    },
    holes: [
      { code: 'IDM-2', system: 'payments', path: 'actuators.payments.settings.key_retention_ms' },
      { code: 'IDM-3', system: 'payments', path: 'actuators.payments.settings.lookup' },
    ],
  },
  {
    name: 'an actuator without a look-up',
    input: { ...soundTenant(), actuators: [payments({ lookup: undefined })] },
    holes: [{ code: 'IDM-3', system: 'payments', path: 'actuators.payments.settings.lookup' }],
  },
  {
    name: 'audits without a signature',
    input: withDeployment({ signing: false }),
    holes: [{ code: 'DEP-1', system: null, operation: null, path: null }],
  },
  {
    name: 'a store that is lost with the process',
    input: withDeployment({ durable: false }),
    holes: [{ code: 'DEP-2', system: null, path: null }],
  },
  {
    name: 'no worker',
    input: withDeployment({ worker_seen: false }),
    holes: [{ code: 'DEP-3', path: null }],
  },
]

function withKind(kind: string): AdmissionInput {
  const actuator = { name: 'payments', kind }
  return withEntries({ ...list, actuator }, { actuator })
}

function withMcp(registered: string | undefined, committed: string | null): AdmissionInput {
  const actuator = { name: 'payments', kind: 'mcp' }
  const listHash = registered ?? oneHash
  return {
    ...withEntries(
      { ...list, actuator, tool_schema_hash: listHash },
      { actuator, tool_schema_hash: committed },
    ),
    actuators: [mcpPayments(registered)],
  }
}
