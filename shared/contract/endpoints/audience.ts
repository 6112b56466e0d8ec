import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/** The readers for whom the OpenAPI document can be cut. */
export const audiences = ['agent', 'approver', 'owner', 'operator'] as const
export const audienceSchema = z
  .enum(audiences)
  .describe('Cuts the document to the requests that this audience may make.')
export type Audience = z.infer<typeof audienceSchema>

/** Whether an audience may make the requests of a row. Rows that need no credential are for all, but those of an owner's account. */
export function isFor(audience: Audience, { access, hosted }: Endpoint): boolean {
  if (access === 'none') return !hosted || audience === 'owner'
  return accessOf[audience].includes(access)
}

const accessOf: Readonly<Record<Audience, readonly Endpoint['access'][]>> = {
  agent: ['agent', 'agent_or_approver'],
  approver: ['approver', 'agent_or_approver'],
  owner: ['session'],
  operator: ['admin'],
}
