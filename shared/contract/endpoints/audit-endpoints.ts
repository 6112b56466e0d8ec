import { z } from 'zod'
import {
  auditKeyListSchema,
  inclusionSchema,
  logCheckpointSchema,
  logEntriesSchema,
  logOriginSchema,
} from '../action/audit-log.ts'
import type { Endpoint } from './endpoint.ts'
import { logSizeSchema, wholeNumberSchema } from './paging.ts'

export const auditEndpoints = {
  audit_keys: {
    method: 'GET',
    path: '/v1/audit/keys',
    access: 'none',
    summary: 'Public keys that sign or signed audits (extension).',
    description:
      'With `origin` also the first and last size of that log that each key signed, and which log it is.',
    query: z.strictObject({ origin: logOriginSchema.optional().describe('First line of a checkpoint.') }),
    answers: { 200: { description: 'The keys, the oldest first.', body: auditKeyListSchema } },
    errors: ['storage_unavailable'],
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
  log_entries: {
    method: 'GET',
    path: '/v1/audit/entries',
    access: 'agent_or_approver',
    summary: "The entries of the tenant's log up to its latest checkpoint, in order (extension).",
    description:
      'All of them give the root of the checkpoint: no action of the tenant is missing that is not missed.',
    query: z.strictObject({
      from: logSizeSchema.optional().describe('Index of the first; 0 where not given.'),
      limit: wholeNumberSchema(1_000).optional().describe('At most so many; 200 where not given.'),
    }),
    answers: { 200: { description: 'One page.', body: logEntriesSchema } },
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

export const streamEndpoints = {
  follow_tenant: {
    method: 'GET',
    path: '/v1/stream',
    access: 'agent_or_approver',
    summary: 'Audit events of the tenant as they are sealed, as server-sent events (extension).',
    description:
      'First comes event `ready`: `data` is `{"size": …}`, the number of leaves in the log of the tenant, `id` the place ' +
      'after which the stream begins (-1: before the first). Event `leaf`: `data` is a streamed leaf, `id` its place in ' +
      'the log. `Last-Event-ID` continues after that place, at most 1,000 events back; event `reset` says that more were ' +
      'left out and everything is to be read again. Without it the stream begins now. Read-only; a comment every 15 seconds keeps it open, and the service ends ' +
      'it after some minutes, when a client connects again.',
    headers: ['last-event-id'],
    answers: {
      200: { description: 'The stream.', body: z.string(), type: 'text/event-stream' },
    },
    errors: ['too_many_streams'],
  },
} as const satisfies Record<string, Endpoint>
