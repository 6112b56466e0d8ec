import { z } from 'zod'
import { limits } from '../base/limits.ts'
import type { RequestHeader, ResponseHeader } from '../endpoints/endpoint.ts'

export const requestHeaders = {
  prefer: [
    'Prefer',
    z
      .string()
      .optional()
      .meta({
        description: `\`wait=N\` (RFC 7240) holds the answer until the action settles or N seconds pass, 0 to ${limits.wait_seconds_max}.`,
        examples: ['wait=10'],
      }),
  ],
  'if-none-match': [
    'If-None-Match',
    z
      .string()
      .optional()
      .meta({
        description: 'The ETag that the caller has; several by comma, or `*` for any.',
        examples: ['"5-307faa0d414e560c84ebbd60cbdd3fe5"'],
      }),
  ],
  'if-match': [
    'If-Match',
    z
      .string()
      .optional()
      .meta({
        description:
          'ETag of the revision that was read, or `*`; another current revision is refused with 412.',
        examples: ['"3"'],
      }),
  ],
  'last-event-id': [
    'Last-Event-ID',
    z
      .string()
      .optional()
      .meta({
        description: 'Id of the last event that was received: the stream continues after it.',
        examples: ['41'],
      }),
  ],
  'x-slack-request-timestamp': [
    'X-Slack-Request-Timestamp',
    z
      .string()
      .optional()
      .meta({
        description: 'When Slack signed the request, in seconds; five minutes at most are between.',
        examples: ['1795640400'],
      }),
  ],
  'x-slack-signature': [
    'X-Slack-Signature',
    z
      .string()
      .optional()
      .meta({
        description: '`v0=` and HMAC-SHA-256 over `v0:`, the time, a colon and the body.',
        examples: ['v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'],
      }),
  ],
} as const satisfies Record<RequestHeader, readonly [string, z.ZodType]>

const text = (id: string, description: string, example: string) =>
  z.string().meta({ description, examples: [example], header: { id } })

export const responseHeaders = {
  etag: ['ETag', text('ETag', 'Version of what was answered.', '"3"')],
  location: [
    'Location',
    text('Location', 'Where to poll.', '/v1/actions/act_01m7xt54nqk2ceee43y5nrz4ggca2c1v2vbf'),
  ],
  'retry-after': ['Retry-After', text('RetryAfter', 'Seconds to wait before asking again.', '1')],
  'set-cookie': [
    'Set-Cookie',
    text(
      'SetCookie',
      'The session: `service_session`, HttpOnly and SameSite=Lax, Secure unless served on plain loopback.',
      'service_session=THE-SESSION; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200',
    ),
  ],
} as const satisfies Record<ResponseHeader, readonly [string, z.ZodType]>

export const everyAnswer = {
  'X-Request-Id': text('RequestId', 'Names this request in the log.', 'req_7rwplra2gq6misuk'),
}

export const limitedAnswer = {
  RateLimit: text(
    'RateLimit',
    'What is left of the limit, and in how many seconds all of it is there again.',
    '"requests"; r=599; t=60',
  ),
  'RateLimit-Policy': text(
    'RateLimitPolicy',
    'The limit: as many requests at once, which come back evenly within so many seconds.',
    '"requests"; q=600; w=60; pk=:Y2FiZWUyZDYwZjE3:',
  ),
}

export const wwwAuthenticate = text('WwwAuthenticate', 'The scheme to use.', 'Bearer')

export const retryAfterWhileUnsettled = z
  .string()
  .optional()
  .meta({
    description: 'Seconds to wait before asking again; only while the action is not settled.',
    header: { id: 'RetryAfterWhileUnsettled' },
  })
