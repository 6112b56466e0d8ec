import { z } from 'zod'
import { policyTemplateSchema } from '../policy-template.ts'
import type { Endpoint } from './endpoint.ts'

const healthSchema = z.strictObject({ status: z.literal('ok'), version: z.string() })

const readinessSchema = z.strictObject({
  status: z.enum(['ready', 'degraded', 'unavailable']),
  checks: z.strictObject({ database: z.enum(['ok', 'down']), queue: z.enum(['ok', 'down']) }),
})
export type Readiness = z.infer<typeof readinessSchema>

const health = {
  method: 'GET',
  access: 'none',
  summary: 'Health probe: the process answers; it touches nothing.',
  answers: { 200: { description: 'The process is alive.', body: healthSchema } },
  errors: [],
} as const

export const publicEndpoints = {
  health: { ...health, path: '/health' },
  health_v1: { ...health, path: '/v1/health' },
  ready: {
    method: 'GET',
    path: '/v1/ready',
    access: 'none',
    summary: 'Database readiness probe.',
    answers: {
      200: { description: 'Ready, or degraded: accepting works, the queue is out.', body: readinessSchema },
      503: { description: 'Durable storage is unavailable.', body: readinessSchema },
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
} as const satisfies Record<string, Endpoint>
