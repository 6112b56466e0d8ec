import { z } from 'zod'
import { jsonObjectSchema } from '../base/json.ts'
import { policyTemplateSchema } from '../configuration/getting-started.ts'
import { resourceNames } from '../resources.ts'
import { healthSchema, readinessSchema } from '../service-state-schema.ts'
import { audienceSchema, type Endpoint } from './endpoint.ts'

const health = {
  method: 'GET',
  access: 'none',
  limited: false,
  summary: 'Health probe: the process answers; it touches nothing.',
  answers: { 200: { description: 'The process is alive.', body: healthSchema } },
  errors: [],
} as const

const openApi = {
  method: 'GET',
  access: 'none',
  description: 'Whole, or cut to what one audience may call.',
  headers: ['if-none-match'],
  query: z.strictObject({ audience: audienceSchema.optional() }),
  errors: [],
} as const
const whole = { document: true, headers: ['etag'] } as const
const unchanged = {
  ...whole,
  description: 'Unchanged since `If-None-Match`.',
  body: z.null(),
} as const

export const publicEndpoints = {
  health: { ...health, path: '/health' },
  health_v1: { ...health, path: '/v1/health' },
  ready: {
    method: 'GET',
    path: '/v1/ready',
    access: 'none',
    limited: false,
    summary: 'Database readiness probe.',
    answers: {
      200: { description: 'Ready, or degraded: accepting works, the queue is out.', body: readinessSchema },
      503: {
        description: 'Durable storage is unavailable, or this process is ending.',
        body: readinessSchema,
      },
    },
    errors: [],
  },
  policy_templates: {
    method: 'GET',
    path: '/v1/policy-templates',
    access: 'none',
    summary: 'Built-in starter policies, each with mock actuators and an example proposal.',
    answers: {
      200: {
        description: 'The templates.',
        body: z.strictObject({ templates: z.array(policyTemplateSchema) }),
      },
    },
    errors: [],
  },
  callback: {
    method: 'POST',
    path: '/v1/callbacks/{callback}',
    access: 'none',
    summary: 'A downstream tells how an operation ended that it had accepted.',
    description:
      'The whole address is `{callback_url}` of a request, and the only proof that is needed. What it says of an attempt that is over, what it said before, and what says neither that it was done nor that it failed, changes nothing.',
    params: z.strictObject({
      callback: z.string().max(200).describe('Names one attempt, and proves that the service made it.'),
    }),
    body: jsonObjectSchema.meta({ examples: [{ state: 'done' }] }),
    answers: {
      200: {
        description: 'Taken; it need not be sent again. It says nothing of what it changed.',
        body: z.strictObject({ status: z.literal('taken') }),
      },
    },
    errors: ['storage_unavailable'],
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    access: 'none',
    limited: false,
    summary: 'Metrics of this process in the text exposition format.',
    answers: {
      200: {
        description: 'The metrics.',
        type: 'text/plain; version=0.0.4; charset=utf-8',
        body: z.string().meta({ examples: ['action_gate_decisions_total{decision="allow"} 1'] }),
      },
    },
    errors: [],
  },
  openapi: {
    ...openApi,
    path: '/openapi.yaml',
    summary: 'This document.',
    answers: {
      200: {
        ...whole,
        description: 'OpenAPI 3.1 as YAML.',
        type: 'application/yaml',
        body: z.string().meta({ examples: ['openapi: 3.1.1'] }),
      },
      304: unchanged,
    },
  },
  openapi_json: {
    ...openApi,
    path: '/openapi.json',
    summary: 'This document as JSON.',
    answers: {
      200: {
        ...whole,
        description: 'OpenAPI 3.1 as JSON.',
        body: jsonObjectSchema.meta({ examples: [{ openapi: '3.1.1' }] }),
      },
      304: unchanged,
    },
  },
  json_schema: {
    method: 'GET',
    path: '/schemas/{name}.schema.json',
    access: 'none',
    summary: 'A resource as JSON Schema 2020-12.',
    params: z.strictObject({ name: z.enum(resourceNames).describe('Name of the resource.') }),
    answers: {
      200: {
        description: 'The schema.',
        type: 'application/schema+json',
        body: jsonObjectSchema.meta({
          examples: [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }],
        }),
      },
    },
    errors: [],
  },
} as const satisfies Record<string, Endpoint>
