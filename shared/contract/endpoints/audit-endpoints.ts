import { z } from 'zod'
import { auditKeyListSchema, inclusionSchema, logCheckpointSchema, logOriginSchema } from '../audit-log.ts'
import type { Endpoint } from './endpoint.ts'
import { logSizeSchema } from './paging.ts'

export const auditEndpoints = {
  audit_keys: {
    method: 'GET',
    path: '/v1/audit/keys',
    access: 'none',
    summary: 'Public keys that sign or signed audits (extension).',
    description: 'With `origin` also the first and last size of that log that each key signed.',
    query: z.strictObject({ origin: logOriginSchema.optional().describe('First line of a checkpoint.') }),
    answers: { 200: { description: 'The keys, the oldest first.', body: auditKeyListSchema } },
    errors: [],
  },
  log_checkpoint: {
    method: 'GET',
    path: '/v1/audit/checkpoint',
    access: 'agent_or_approver',
    summary: "The latest signed checkpoint of the tenant's log (extension).",
    description: 'With `from_size` also the proof that the log continues the one of that size.',
    query: z.strictObject({ from_size: logSizeSchema.optional().describe('Of a checkpoint that is kept.') }),
    answers: { 200: { description: 'The checkpoint.', body: logCheckpointSchema } },
    errors: ['checkpoint_not_found'],
  },
  log_inclusion: {
    method: 'GET',
    path: '/v1/audit/inclusion',
    access: 'agent_or_approver',
    summary: "Proof that an entry is in the tenant's log (extension).",
    query: z.strictObject({
      index: logSizeSchema.describe('Of the entry, from 0.'),
      size: logSizeSchema.optional().describe('Of the log; that of the latest checkpoint where not given.'),
    }),
    answers: { 200: { description: 'The proof.', body: inclusionSchema } },
    errors: ['checkpoint_not_found'],
  },
} as const satisfies Record<string, Endpoint>
