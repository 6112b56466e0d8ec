import type { JsonObject, JsonValue } from '../../shared/contract/base/json.ts'
import { limits } from '../../shared/contract/base/limits.ts'
import { grantRequest } from '../../shared/contract/examples/example-grants.ts'
import {
  exampleOperation,
  examplePolicy,
  smallRefund,
} from '../../shared/contract/examples/example-policy.ts'

/** A body that meets the schema of an operation, and that the service refuses all the same. */
export interface Beyond {
  operationId: string
  body: JsonValue
}

const lasting = {
  ...(grantRequest as unknown as JsonObject),
  ends_at: new Date(Date.now() + 3_600_000).toISOString(),
}
const nothing = { type: 'null' }
const closed = { type: 'object', additionalProperties: false }

/** One more than an operation may have. */
const manyPaths = Array.from({ length: 257 }, (_, at) => [`p${at}`, { min: 1 }] as const)

const rejected = {
  action_id: 'act_01m7xt54rqkekmzk83p3wjhdq1zr5k7mjv5e',
  decision: 'reject',
  proposal_hash: `sha256:${'0'.repeat(64)}`,
  request_hash: null,
}

/** What JSON Schema cannot say, or only at length, by the code of the refusal: each with a body that is refused so. */
export const beyondTheSchema: Readonly<Record<string, Beyond>> = {
  unknown_template: {
    operationId: 'create_tenant',
    body: { tenant_id: 'beyond', template: 'no-such-template' },
  },
  invalid_key: {
    operationId: 'subscribe_push',
    body: {
      endpoint: 'https://push.example.org/send',
      keys: { p256dh: 'B'.padEnd(87, 'A'), auth: 'A'.repeat(22) },
    },
  },
  callback_alone: {
    operationId: 'create_webhook',
    body: { url: 'https://flows.example/', event_types: ['action.callback', 'action.settled'] },
  },
  reminders_together: {
    operationId: 'create_webhook',
    body: {
      url: 'https://hooks.example/',
      event_types: ['action.pending_approval'],
      remind_after_ms: [60_000],
    },
  },
  too_long: {
    operationId: 'submit_action',
    body: {
      proposal_id: 'beyond-data',
      actor: { agent_id: 'beyond' },
      summary: 'Sends more data along than a callback takes',
      action: { target_system: 'payments', operation: 'refund', parameters: {} },
      risk: { level: 'low' },
      callback: { url: 'https://flows.example/', data: 'é'.repeat(512) },
    },
  },
  callback_not_allowed: {
    operationId: 'submit_action',
    body: {
      proposal_id: 'beyond-callback',
      actor: { agent_id: 'beyond' },
      summary: 'Calls back where no endpoint takes it',
      action: { target_system: 'payments', operation: 'refund', parameters: {} },
      risk: { level: 'low' },
      callback: { url: 'https://flows.example/' },
    },
  },
  year_out_of_range: {
    operationId: 'mint_key',
    body: { name: 'beyond', expires_at: '9999-01-01T00:00:00Z' },
  },
  duplicate_view: {
    operationId: 'replace_saved_views',
    body: { views: ['Refunds', 'refunds '].map(name => ({ name, by: null, filters: {} })) },
  },
  duplicate_action: {
    operationId: 'decide_approvals',
    body: { decisions: [rejected, rejected] },
  },
  unknown_key: {
    operationId: 'mint_key',
    body: { name: 'beyond', same_holder_as: 'apk_aaaaaaaaaaaaaaaa' },
  },
  duplicate_name: {
    operationId: 'replace_actuators',
    body: { actuators: [mock('payments'), mock('payments')] },
  },
  other_system: {
    operationId: 'change_tool',
    body: { actuator: mock('elsewhere'), operations: [] },
  },
  unknown_operation: {
    operationId: 'change_tool',
    body: { actuator: mock('payments'), operations: [], allowed: ['nobody'] },
  },
  operator_only: {
    operationId: 'change_owned_tool',
    body: {
      actuator: {
        ...http({
          base_url: 'https://crm.example/',
          auth: { type: 'bearer', token: { env: 'ACTUATOR_CRM' } },
          operations: {},
        }),
        name: 'payments',
      },
      operations: [],
    },
  },
  unknown_agent_key: { operationId: 'make_grant', body: lasting },
  end_out_of_range: { operationId: 'make_grant', body: { ...lasting, ends_at: '2099-01-01T00:00:00Z' } },
  bounds_too_large: {
    operationId: 'make_grant',
    body: { ...lasting, constraints: { name: { equals: 'x'.repeat(8_192) } } },
  },
  unbounded_grant: {
    operationId: 'make_grant',
    body: { ...grantRequest, constraints: {} },
  },
  too_many_bounds: {
    operationId: 'make_grant',
    body: {
      ...grantRequest,
      constraints: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`p${at}`, { max: 1 }])),
    },
  },
  duplicate_group: {
    operationId: 'put_route',
    body: {
      required: [
        { group: 'leads', approvals: 1 },
        { group: 'leads', approvals: 1 },
      ],
    },
  },
  too_many_approvals: {
    operationId: 'put_route',
    body: {
      required: [
        { group: 'leads', approvals: 6 },
        { group: 'security', approvals: 5 },
      ],
    },
  },
  unknown_issuer: {
    operationId: 'put_route',
    body: { required: [{ group: 'leads', approvals: 1 }], issuer: 'https://id.example.org' },
  },
  unknown_member: {
    operationId: 'put_review_group',
    body: { members: [{ key_id: 'apk_aaaaaaaaaaaaaaaa' }] },
  },
  white_space: {
    operationId: 'put_secret',
    body: { actuator: 'payments', value: 'ends with white space ' },
  },
  invalid_url: {
    operationId: 'replace_actuators',
    body: { actuators: [http({ base_url: 'https://crm.example:99999/', operations: {} })] },
  },
  not_one_condition: {
    operationId: 'replace_actuators',
    body: { actuators: [judging({ success_when: { path: 'state' } })] },
  },
  certificate_without_tls: {
    operationId: 'replace_actuators',
    body: {
      actuators: [
        http({
          base_url: 'http://crm.example/',
          auth: { type: 'mtls', certificate: { env: 'ACTUATOR_C' }, key: { env: 'ACTUATOR_K' } },
          operations: {},
        }),
      ],
    },
  },
  framing_header: {
    operationId: 'replace_actuators',
    body: { actuators: [judging({ headers: { Host: 'elsewhere.example' } })] },
  },
  header_twice: {
    operationId: 'replace_actuators',
    body: {
      actuators: [
        http({ base_url: 'https://crm.example/', not_after_header: 'Idempotency-Key', operations: {} }),
      ],
    },
  },
  body_does_not_fit: {
    operationId: 'replace_actuators',
    body: { actuators: [judging({ content: 'form', body: 'a text' })] },
  },
  no_completion: { operationId: 'replace_actuators', body: { actuators: [judging({ completion: {} })] } },
  callback_untold: {
    operationId: 'replace_actuators',
    body: {
      actuators: [judging({ completion: { callback: { done_when: { path: 'state', equals: 'done' } } } })],
    },
  },
  not_of_the_body: {
    operationId: 'replace_actuators',
    body: {
      actuators: [
        judging({
          body: { tell: '{callback_url}' },
          completion: { callback: { done_when: { status: [200] } } },
        }),
      ],
    },
  },
  callback_misplaced: {
    operationId: 'replace_actuators',
    body: {
      actuators: [
        http({ base_url: 'https://crm.example/', headers: { 'X-Tell': '{callback_url}' }, operations: {} }),
      ],
    },
  },
  body_ignored: {
    operationId: 'replace_actuators',
    body: {
      actuators: [judging({ success_when: { path: 'state', equals: 'done' }, response: 'ignored' })],
    },
  },
  unknown_placeholder: {
    operationId: 'replace_actuators',
    body: {
      actuators: [
        http({
          base_url: 'https://crm.example/',
          operations: { write: { method: 'POST', path: '/', body: { id: '{params.id}' } } },
        }),
      ],
    },
  },
  egress_refused: {
    operationId: 'create_webhook',
    body: { url: 'https://127.0.0.1/', event_types: ['action.settled'] },
  },
  too_many_values: {
    operationId: 'submit_action',
    body: proposal({ values: Array(limits.parameters_values_max).fill(0) }),
  },

  contradiction: {
    operationId: 'verify_policy',
    body: {
      policy: examplePolicy,
      forbidden: [{ name: 'never', where: { amount: { min: 2, max: 1 } } }],
    } as JsonObject,
  },

  invisible_character: { operationId: 'mint_key', body: { name: 'be\u200byond' } },
  reserved_name: {
    operationId: 'validate_policy',
    body: {
      ...examplePolicy,
      parameter_constraints: { payments: { refund: { 'a.__proto__': { min: 1 } } } },
    } as JsonObject,
  },

  too_many_constraints: {
    operationId: 'validate_policy',
    body: {
      ...examplePolicy,
      parameter_constraints: { payments: { refund: Object.fromEntries(manyPaths) } },
    } as JsonObject,
  },

  min_above_max: constrained({ min: 2, max: 1 }),
  equals_outside_one_of: constrained({ equals: 1, one_of: [2] }),
  equals_outside_bounds: constrained({ equals: 1, min: 2 }),
  one_of_outside_bounds: constrained({ one_of: [1], min: 2 }),

  duplicate_operation: {
    operationId: 'revise_catalog',
    body: { operations: [reviewed(closed), reviewed(closed)] },
  },
  open_object: reviewing({ type: 'object' }),
  open_array: reviewing(withParameter({ type: 'array' })),
  type_missing: reviewing(withParameter({})),
  unknown_keyword: reviewing(withParameter({ ...nothing, nullable: true })),
  invalid_keyword: reviewing({ ...closed, required: 'a' }),
  unknown_dialect: reviewing({ ...closed, $schema: 'http://json-schema.org/draft-07/schema#' }),
  misplaced_keyword: reviewing(withParameter({ ...nothing, $defs: {} })),
  keyword_without_partner: reviewing({ ...closed, else: false }),
  keyword_never_applies: reviewing({ ...closed, maxLength: 1 }),
  outward_reference: reviewing({ ...withParameter(nothing), $ref: 'https://example.org/schema' }),
  missing_definition: reviewing({ ...withParameter(nothing), $ref: '#/$defs/nowhere' }),
  pattern_refused: reviewing(withParameter({ type: 'string', pattern: '(?=a)' })),
  recursive_reference: reviewing({ ...referring('a'), $defs: { a: referring('a') } }),
  too_deep: reviewing({ ...referring('d0'), $defs: chain(limits.catalog_schema_depth_max) }),
  too_large: reviewing({ ...closed, description: 'x'.repeat(limits.catalog_schema_length_max) }),
  too_many_checks: reviewing({ ...manyOf({ $ref: '#/$defs/many' }), $defs: { many: manyOf(nothing) } }),
  unsupported_composition: reviewing({
    type: 'object',
    unevaluatedProperties: false,
    anyOf: [{ properties: { a: nothing } }],
  }),
}

function constrained(constraint: JsonObject): Beyond {
  const parameter_constraints = { payments: { refund: { amount: constraint } } }
  return { operationId: 'validate_policy', body: { ...examplePolicy, parameter_constraints } as JsonObject }
}

function reviewing(schema: JsonObject): Beyond {
  return { operationId: 'revise_catalog', body: { operations: [reviewed(schema)] } }
}

function reviewed(parameter_schema: JsonObject): JsonObject {
  return { ...exampleOperation, parameter_schema } as unknown as JsonObject
}

function withParameter(schema: JsonObject): JsonObject {
  return { ...closed, properties: { a: schema } }
}

function referring(definition: string): JsonObject {
  return withParameter({ $ref: `#/$defs/${definition}` })
}

/** Definitions, each of which refers to the next. */
function chain(length: number): JsonObject {
  const links = Array.from({ length }, (_, at) => [
    `d${at}`,
    at === length - 1 ? nothing : referring(`d${at + 1}`),
  ])
  return Object.fromEntries(links)
}

function manyOf(schema: JsonObject): JsonObject {
  const count = Math.ceil(Math.sqrt(limits.catalog_schema_checks_max))
  return {
    ...closed,
    properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema])),
  }
}

function http(settings: JsonObject): JsonObject {
  return { name: 'crm', kind: 'http', settings }
}

/** With one operation that judges the body of the answer. */
function judging(more: JsonObject): JsonObject {
  const operations = { write: { method: 'POST', path: '/', ...more } }
  return http({ base_url: 'https://crm.example/', operations })
}

function mock(name: string): JsonObject {
  return { name, kind: 'mock' }
}

function proposal(parameters: JsonObject): JsonObject {
  return { ...smallRefund, action: { ...smallRefund.action, parameters } } as unknown as JsonObject
}
