import { z } from 'zod'
import { readFailpoints } from '../failpoint.ts'
import { edgeSettings } from './edge-settings.ts'
import { identitySettings } from './identity-settings.ts'
import { mailSettings, traceSettings, webhookSettings } from './outgoing-settings.ts'
import {
  count,
  flag,
  httpUrl,
  list,
  mcpServers,
  postgresUrl,
  prefix,
  redisUrl,
  row,
  type Setting,
  secret,
  size,
} from './setting.ts'

const secretSettings = {
  actuator_secrets_dir: row(
    'SERVICE_ACTUATOR_SECRETS_DIR',
    undefined,
    z.string().min(1).max(4_000),
    'Directory with a file for each secret of actuators, by the name of its variable (`ACTUATOR_…`); a file that changes is read again, one that is added is found.',
  ),
  secrets_key: secret(
    row(
      'SERVICE_SECRETS_KEY',
      undefined,
      z.string().max(100_000),
      'X25519 private key (PKCS #8 PEM) that opens the secrets of tenants, or several, the oldest first; only workers have it. Embedded mode makes its own.',
    ),
  ),
  secrets_public_key: secret(
    row(
      'SERVICE_SECRETS_PUBLIC_KEY',
      undefined,
      z.string().max(10_000),
      'Its public key (SPKI PEM), to which the API seals what is written; default: that of the newest `SERVICE_SECRETS_KEY`.',
    ),
  ),
} as const satisfies Record<string, Setting>

/** The table of all settings. The configuration and api/docs/configuration.md are made from this table. */
export const settings = {
  database_url: secret(
    row('DATABASE_URL', undefined, postgresUrl, 'Postgres of the platform mode; unset: embedded mode.'),
  ),
  database_owner_url: secret(
    row('DATABASE_OWNER_URL', undefined, postgresUrl, 'Login that runs migrations; default `DATABASE_URL`.'),
  ),
  redis_url: secret(
    row(
      'REDIS_URL',
      undefined,
      redisUrl,
      'Redis of the platform mode; unset: BullMQ on its Postgres backend.',
    ),
  ),
  migrate: row(
    'SERVICE_MIGRATE',
    'auto',
    z.enum(['auto', 'check']),
    '`auto`: every process brings the database to its schema; `check`: none does, and one that finds an older schema does not start (`service migrate` is the step before).',
  ),
  base_url: row(
    'SERVICE_BASE_URL',
    '',
    prefix,
    'Address of the service, an http(s) URL or a path (none for callbacks): prefix of `polling_url`, `review_url` and every link. [Pages and cookies](deploy.md#below-a-path) follow its path. Never taken from a request header.',
  ),
  body_limit: row('SERVICE_BODY_LIMIT', '256k', size, 'Largest request body.'),
  rate_limit: row(
    'SERVICE_RATE_LIMIT',
    '600',
    count(1, 1e9),
    'Requests a minute per key, per address where no key is given.',
  ),
  mcp_wait_ms: row(
    'SERVICE_MCP_WAIT_MS',
    '45000',
    count(0, 45_000),
    'How long `/mcp` holds the answer to a call whose client cannot wait for a task; milliseconds.',
  ),
  auth_failure_limit: row(
    'SERVICE_AUTH_FAILURE_LIMIT',
    '10',
    count(1, 1e9),
    'Refused credentials a minute per address.',
  ),
  hosted_accounts: row(
    'SERVICE_HOSTED_ACCOUNTS',
    'false',
    flag,
    'Serve sign-up, log-in and the dashboard of owners.',
  ),
  ...identitySettings,
  session_idle_ms: row(
    'SERVICE_SESSION_IDLE_MS',
    '7200000',
    count(1_000, 1e9),
    'How long a session of the dashboard lasts unused; milliseconds.',
  ),
  session_ms_max: row(
    'SERVICE_SESSION_MS_MAX',
    '43200000',
    count(1_000, 1e10),
    'How long a session lasts at most; milliseconds.',
  ),
  login_limit: row(
    'SERVICE_LOGIN_LIMIT',
    '10',
    count(1, 1e9),
    'Log-ins and sign-ups a minute per network address.',
  ),
  login_account_limit: row(
    'SERVICE_LOGIN_ACCOUNT_LIMIT',
    '10',
    count(1, 1e9),
    'Failed log-ins in 15 minutes per e-mail address, from browsers that the account does not know.',
  ),
  strict: row('SERVICE_STRICT', 'false', flag, 'Refuse what has no catalog or no explicit operation.'),
  approval_ttl_ms: row(
    'SERVICE_APPROVAL_TTL_MS',
    '604800000',
    count(1_000, 1e11),
    'How long an action may be held, for new tenants; milliseconds.',
  ),
  attempts_max: row(
    'SERVICE_ATTEMPTS_MAX',
    '5',
    count(1, 100),
    'Attempts of an execution that may have had an effect.',
  ),
  execute_within_ms: row(
    'SERVICE_EXECUTE_WITHIN_MS',
    '3600000',
    count(1, 86_400_000),
    'For how long after its first attempt an action is tried again while provably nothing happened, where neither its catalog entry nor its tenant says so; milliseconds.',
  ),
  retry_ms_min: row(
    'SERVICE_RETRY_MS_MIN',
    '500',
    count(1, 1e9),
    'First delay before a retry; doubled each time.',
  ),
  retry_ms_max: row('SERVICE_RETRY_MS_MAX', '60000', count(1, 1e9), 'Longest delay before a retry.'),
  retry_after_ms_max: row(
    'SERVICE_RETRY_AFTER_MS_MAX',
    '600000',
    count(1, 1e9),
    'Longest delay before a retry that a busy downstream may ask for; milliseconds.',
  ),
  lease_ms: row(
    'SERVICE_LEASE_MS',
    '5000',
    count(500, 1e9),
    'Lease of a worker on a job; renewed every third of it.',
  ),
  sweep_ms: row(
    'SERVICE_SWEEP_MS',
    '2000',
    count(50, 1e9),
    'Interval of the sweeper; leases that ran out are looked for twice in it.',
  ),
  reconcile_ms_min: row(
    'SERVICE_RECONCILE_MS_MIN',
    '10000',
    count(1, 1e9),
    'First delay before an unknown outcome is looked into; then 3, 12, 60 and 360 times that.',
  ),
  reconcile_ms_max: row(
    'SERVICE_RECONCILE_MS_MAX',
    '259200000',
    count(1, 1e10),
    'How long an unknown outcome is looked into before it is left to an operator; milliseconds.',
  ),
  execution_ms_max: row(
    'SERVICE_EXECUTION_MS_MAX',
    '30000',
    count(100, 1e9),
    'Deadline of one call of an actuator.',
  ),
  worker_concurrency: row(
    'SERVICE_WORKER_CONCURRENCY',
    '50',
    count(1, 1_000),
    'Calls under way at once in a worker; also the size of a claim.',
  ),
  tenant_in_flight_max: row(
    'SERVICE_TENANT_IN_FLIGHT_MAX',
    '1000',
    count(1, 1e6),
    'Calls under way at once for a tenant, over all workers.',
  ),
  actuator_in_flight_max: row(
    'SERVICE_ACTUATOR_IN_FLIGHT_MAX',
    '500',
    count(1, 1e6),
    'Calls under way at once for one actuator of a tenant, over all workers; at most eight ninths of its tenant’s.',
  ),
  egress_allow: row(
    'SERVICE_EGRESS_ALLOW',
    '',
    list(/^[A-Za-z0-9.:-]{1,255}$/, 'must be names, or name:port'),
    'Hosts (`name` or `name:port`, by comma) that actuators may call at private addresses and without TLS.',
  ),
  mcp_servers: secret(
    row(
      'SERVICE_MCP_SERVERS',
      '{}',
      mcpServers,
      'Model Context Protocol servers that workers may start: JSON, `{"name": {"command": "…", "args": […], "env": {…}}}`; values of `env` are texts, or `{"env": "ACTUATOR_…"}`. A registration only names one. `SERVICE_MCP_SERVERS_FILE` may name a file with it.',
    ),
  ),
  mcp_idle_ms: row(
    'SERVICE_MCP_IDLE_MS',
    '300000',
    count(0, 86_400_000),
    'For how long a worker keeps a session with a Model Context Protocol server, or the program that it started, without a call; milliseconds.',
  ),
  mcp_session_ms_max: row(
    'SERVICE_MCP_SESSION_MS_MAX',
    '3600000',
    count(0, 86_400_000),
    'Longest life of such a session or program; calls under way end first. 0: each call has its own. Milliseconds.',
  ),
  mcp_idle_max: row(
    'SERVICE_MCP_IDLE_MAX',
    '20',
    count(0, 10_000),
    'Such sessions and programs that a worker keeps without a call; of more, the one that waited longest ends.',
  ),
  signing_key_file: row(
    'SERVICE_SIGNING_KEY_FILE',
    undefined,
    z.string().max(4_000),
    'File with the Ed25519 private key (PKCS #8 PEM) that signs the audit, or several, the oldest first; only workers read it.',
  ),
  signing_key: row(
    'SERVICE_SIGNING_KEY',
    undefined,
    z.string().max(10_000),
    'The key itself, where there is no file.',
  ),
  signing_name: row(
    'SERVICE_SIGNING_NAME',
    'action-gate',
    z.string().regex(/^[A-Za-z0-9._/-]{1,200}$/, 'must be letters, digits and . _ / -'),
    'Name of the key: the beginning of every origin, such as `gate.example.org`.',
  ),
  signing_required: row('SERVICE_SIGNING_REQUIRED', 'false', flag, 'Refuse to start a worker without a key.'),
  signing_keys_compromised: row(
    'SERVICE_SIGNING_KEYS_COMPROMISED',
    '',
    list(/^[0-9a-f]{8}$/, 'must be key ids'),
    'Ids (by comma) of signing keys that somebody else may have: marked so, and never signed with again.',
  ),
  signed_logs_file: row(
    'SERVICE_SIGNED_LOGS_FILE',
    undefined,
    z.string().max(4_000),
    'File in which workers keep what they have signed, shared by all of them, so that none signs a log that was rolled back.',
  ),
  witness_url: row(
    'SERVICE_WITNESS_URL',
    undefined,
    httpUrl,
    'Witness (C2SP tlog-witness) that is sent every checkpoint.',
  ),
  witness_key: row(
    'SERVICE_WITNESS_KEY',
    undefined,
    z.string().max(1_000),
    'Verifier key of the witness, `name+id+key`.',
  ),
  witness_ms: row(
    'SERVICE_WITNESS_MS',
    '60000',
    count(100, 1e9),
    'Longest time between two checkpoints of a log at the witness, so that silence is evidence.',
  ),
  log_ms: row(
    'SERVICE_LOG_MS',
    '100',
    count(10, 1e9),
    'Interval in which the logs of tenants take up events.',
  ),
  stream_ms_max: row(
    'SERVICE_STREAM_MS_MAX',
    '300000',
    count(100, 1e9),
    'Longest time a live stream is open; clients connect again by themselves.',
  ),
  stream_check_ms: row(
    'SERVICE_STREAM_CHECK_MS',
    '15000',
    count(100, 15_000),
    'Interval in which the key or session behind a live stream is looked at again.',
  ),
  worker_port: row(
    'SERVICE_WORKER_PORT',
    '9090',
    count(0, 65_535),
    'Port of the worker for health, readiness and metrics; each worker of one machine needs its own, 0 takes a free one.',
  ),
  submit_wait_ms: row(
    'SERVICE_SUBMIT_WAIT_MS',
    undefined,
    count(0, 30_000),
    'How long a submission waits for its outcome; default 10000 embedded, 0 in platform mode.',
  ),
  approve_wait_ms: row(
    'SERVICE_APPROVE_WAIT_MS',
    '5000',
    count(0, 30_000),
    'How long an approval waits for its outcome.',
  ),
  pool_size: row(
    'SERVICE_POOL_SIZE',
    '10',
    count(2, 500),
    'Connections of a pool; a process has two for each database: statements and transactions. Four with an `--api-key-db` of its own.',
  ),
  statement_ms_max: row(
    'SERVICE_STATEMENT_MS_MAX',
    '5000',
    count(100, 1e9),
    'Longest statement, bounded by the server.',
  ),
  shutdown_ms_max: row(
    'SERVICE_SHUTDOWN_MS_MAX',
    '10000',
    count(100, 1e9),
    'Time that SIGTERM gives to requests and jobs under way.',
  ),
  ...webhookSettings,
  ...mailSettings,
  ...secretSettings,
  ...edgeSettings,
  ...traceSettings,
  queue_prefix: row(
    'SERVICE_QUEUE_PREFIX',
    'action-gate',
    z.string().regex(/^[a-z0-9-]{1,50}$/),
    'Prefix of BullMQ keys.',
  ),
  failpoints: row(
    'SERVICE_FAILPOINT',
    undefined,
    z.string().transform((text, check) => {
      const failpoints = readFailpoints(text)
      if (failpoints === null)
        check.addIssue({ code: 'custom', message: 'must be step:kill, step:throw or step:stall=ms' })
      return failpoints
    }),
    'For tests: a step at which the process is killed, fails or stalls once, or several, one after the other; refused where `NODE_ENV` is `production`.',
  ),
  log_level: row(
    'SERVICE_LOG_LEVEL',
    'info',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    'Level of the log on standard error.',
  ),
  log_format: row(
    'SERVICE_LOG_FORMAT',
    'auto',
    z.enum(['auto', 'json', 'text']),
    'Lines of the log: `json`, `text` for people, or `auto`: text where standard error is a terminal.',
  ),
} as const satisfies Record<string, Setting>
