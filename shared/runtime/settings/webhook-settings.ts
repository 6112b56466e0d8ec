import { count, delays, keyBytes, row, type Setting, secret } from './setting.ts'

/** How events are sent to the endpoints of tenants. */
export const webhookSettings = {
  webhook_key: secret(
    row(
      'SERVICE_WEBHOOK_KEY',
      undefined,
      keyBytes,
      'Key that the secrets of webhooks are derived from: 32 random bytes or more in base64, the same for every process; embedded mode makes its own.',
    ),
  ),
  webhook_retry_ms: row(
    'SERVICE_WEBHOOK_RETRY_MS',
    '5000,300000,1800000,7200000,18000000,36000000,50400000,72000000,86400000',
    delays,
    'Delays (by comma) before a message is sent again, spread by a fifth; after the last it has failed; milliseconds.',
  ),
  webhook_ms_max: row(
    'SERVICE_WEBHOOK_MS_MAX',
    '15000',
    count(10, 600_000),
    'Deadline of one attempt to send a message.',
  ),
  webhook_failing_ms_max: row(
    'SERVICE_WEBHOOK_FAILING_MS_MAX',
    '432000000',
    count(1, 1e10),
    'How long every attempt at an endpoint may fail before it is disabled; milliseconds.',
  ),
} as const satisfies Record<string, Setting>
