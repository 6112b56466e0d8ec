import type { ToolHealth } from '../configuration/tool-health-schema.ts'
import type { ChangedTool, ToolProposal, ToolTested, ToolView } from '../configuration/tool-import.ts'
import { exampleAccess, exampleOperation } from './example-policy.ts'

const document = `openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: https://shop.example/v1}]
paths:
  /orders/{id}:
    get:
      operationId: read-order
      summary: Read an order
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
`

export const toolImport = { source: { kind: 'openapi', text: document }, system: 'shop' }

const readOrder = {
  ...exampleOperation,
  system: 'shop',
  operation: 'read-order',
  title: 'Read an order',
  parameter_schema: {
    type: 'object',
    additionalProperties: false,
    description: 'Read an order',
    properties: { id: { type: 'string' } },
    required: ['id'],
  },
  effects: ['reads data'],
  reversibility: 'reversible' as const,
  actuator: { name: 'shop', kind: 'http' },
  idempotency: 'none' as const,
}

export const exampleProposedTool: ToolProposal = {
  system: 'shop',
  title: 'Shop',
  source_digest: 'sha256:4f71e4df0de3c13d834e7427eafe5114e91289417b57c8d4935fb4c4b3da49f0',
  version: 3,
  actuator: {
    name: 'shop',
    kind: 'http',
    settings: {
      base_url: 'https://shop.example/v1',
      operations: { 'read-order': { method: 'GET', path: '/orders/{parameters.id}' } },
    },
  },
  operations: [
    {
      operation: 'read-order',
      entry: readOrder,
      access: {
        answer: 'allowed',
        code: null,
        review_route: null,
        message:
          "A person approves a call whose risk is high or higher; others run at once. Parameters outside the catalog's schema are denied.",
        unavailable: null,
      },
      weight: { bytes: 2400, tokens: 220 },
      allowed: true,
      safe: true,
      source: 'GET /orders/{id}',
      changes: [{ code: 'new', message: 'is new' }],
      left_out: [],
    },
  ],
  refused: [],
  gone: [],
  denied: [],
  credentials: [],
  warnings: [],
}

const payments = { name: 'payments', kind: 'mock', settings: { delay_ms: 100 } } as const

export const toolChange = {
  actuator: payments,
  operations: [exampleOperation],
  change_note: 'Refunds reviewed with finance.',
}

export const exampleTool: ToolView = {
  system: 'payments',
  version: 4,
  actuator: payments,
  owner_may: 'change_all',
  operations: [{ operation: 'refund', entry: exampleOperation, access: exampleAccess, safe: false }],
  warnings: [],
}

const ended = { executed: 118, failed: 2, unknown: 0 }
const latency = { calls: 120, p50_ms: 84, p95_ms: 310 }

export const exampleToolHealth: ToolHealth = {
  system: 'payments',
  since: '2026-11-24T09:12:00.000Z',
  until: '2026-11-25T09:12:00.000Z',
  cut: false,
  ...ended,
  latency,
  hours: [{ at: '2026-11-25T08:00:00.000Z', ...ended }],
  operations: [{ operation: 'refund', ...ended, latency }],
  failures: [{ operation: 'refund', code: 'http_422', outcome: 'failed', count: 2 }],
  waiting: [],
}

export const exampleChangedTool: ChangedTool = {
  system: 'payments',
  version: 4,
  policy_revision: 2,
  catalog_revision: 1,
  warnings: [],
  regressions: [],
}

export const toolTest = {
  operation: 'refund',
  parameters: { amount: 12.5, currency: 'EUR', order: { id: '1001' } },
  confirm: true,
}

export const exampleTestedTool: ToolTested = {
  test_id: 'test_mk7l2cixren6w72w',
  request: { kind: 'mock', operation: 'refund' },
  sent: 'called',
  verdict: { outcome: 'executed', rule: 'done', message: 'it was done' },
  answer: { status: null, headers: {}, body: { dry_run: true }, truncated: false },
  problems: [],
}
