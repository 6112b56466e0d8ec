import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/** Rows of the endpoint table about live updates (extension). */
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
