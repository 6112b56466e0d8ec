import {
  count,
  delays,
  httpUrl,
  keyBytes,
  mailbox,
  name,
  row,
  type Setting,
  secret,
  serverUrl,
} from './setting.ts'

export const webhookSettings = {
  webhook_key: secret(
    row(
      'SERVICE_WEBHOOK_KEY',
      undefined,
      keyBytes,
      'Key that the secrets of webhooks and the key pair for push services are derived from, and that addresses of callbacks are proved with: 32 random bytes or more in base64, the same for every process; embedded mode makes its own.',
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
  slack_url: row(
    'SERVICE_SLACK_URL',
    'https://hooks.slack.com',
    httpUrl,
    'Where Slack takes answers to its buttons, and nothing else may be named; GovSlack has `https://hooks.slack-gov.com`.',
  ),
} as const satisfies Record<string, Setting>

export const mailSettings = {
  smtp_url: secret(
    row(
      'SERVICE_SMTP_URL',
      undefined,
      serverUrl(/^smtps?:\/\//),
      'Server that e-mails are sent by, with user and password: `smtps://…`, or `smtp://…`, where TLS is demanded of every host but a loopback one. Workers send; the API asks whether it is set.',
    ),
  ),
  mail_from: row('SERVICE_MAIL_FROM', undefined, mailbox, 'Address that e-mails come from.'),
} as const satisfies Record<string, Setting>

export const traceSettings = {
  otlp_endpoint: row(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    undefined,
    httpUrl,
    'OpenTelemetry collector (OTLP over HTTP) that spans are sent to, below `/v1/traces`; unset: none are recorded. Other `OTEL_` variables of the exporter, the sampler and the batches count too.',
  ),
  otlp_traces_endpoint: row(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    undefined,
    httpUrl,
    'The same as a whole address.',
  ),
  otel_service_name: row(
    'OTEL_SERVICE_NAME',
    undefined,
    name,
    'Name of the process in traces; default `action-gate-api` or `action-gate-worker`.',
  ),
} as const satisfies Record<string, Setting>
