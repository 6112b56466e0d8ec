import { z } from 'zod'

/** Answer of /health: it touches nothing (specification.md#endpoints). */
export const healthSchema = z
  .strictObject({ status: z.literal('ok'), version: z.string().meta({ examples: ['0.1.0'] }) })
  .meta({ id: 'Health', title: 'Health', description: 'The process answers.' })

const reachableSchema = z.enum(['ok', 'down'])

/** Answer of /v1/ready (specification.md#endpoints). */
export const readinessSchema = z
  .strictObject({
    status: z
      .enum(['ready', 'degraded', 'draining', 'unavailable'])
      .describe(
        '`degraded`: the queue is out, accepting still works. `draining`: this process ends; send no more to it.',
      ),
    checks: z.strictObject({ database: reachableSchema, queue: reachableSchema }),
  })
  .meta({
    id: 'Readiness',
    title: 'Readiness',
    description: 'What the service needs and whether it is there.',
  })
export type Readiness = z.infer<typeof readinessSchema>
