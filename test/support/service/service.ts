import { inject } from 'vitest'
import { openApi } from '../../../api/start-api.ts'
import type { Actuator } from '../../../shared/actuator/actuator.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { type OpenedService, openService } from '../../../shared/flow/service/open-service.ts'
import { issueAdminKey } from '../../../shared/flow/tenant/issue-key.ts'
import { openActuatorSecrets } from '../../../shared/runtime/secrets/actuator-secrets.ts'
import { openSigning } from '../../../shared/runtime/secrets/service-keys.ts'
import { readConfig } from '../../../shared/runtime/settings/config.ts'
import { createLogger, type Logger } from '../../../shared/runtime/telemetry/logger.ts'
import { startWorker } from '../../../worker/start-worker.ts'
import { plantSecret, publishLog } from '../audit/kept-logs.ts'
import { testKeyPem } from '../audit/signing-key.ts'
import { type FreshDatabase, freshDatabase } from '../servers/database.ts'
import { type Client, createClient } from './http.ts'
import { plantCredentials } from './plant-credentials.ts'
import { makeTenant, type TenantTraits, type TestTenant } from './tenant.ts'

export interface TestServiceOptions {
  /** Settings as in the environment of a process. */
  env?: Record<string, string>
  /** Queue and counters on Redis and answers at once, as in platform mode; else as in embedded mode. */
  platform?: boolean
  /** A database that another service uses too; else a fresh one that goes with the service. */
  database?: FreshDatabase
  /** Another way to the database, such as a proxy. */
  databaseUrl?: string
  /** A database of their own for keys. */
  keys?: FreshDatabase
  /** Null: no worker, nothing is executed. */
  worker?: 'running' | null
  modules?: readonly Actuator[]
  /** Nothing is signed. */
  unsigned?: boolean
}

/** API and worker in this process, over a database and a queue of their own. */
export interface TestService {
  url: string
  call: Client
  context: Context
  database: FreshDatabase
  /** A key of scope admin. */
  admin: string
  /** A tenant of its own with an agent's and an approver's key. */
  tenant(traits?: TenantTraits): Promise<TestTenant>
  /** Everything that was logged. */
  logged(): string
  close(): Promise<void>
}

/** Starts the real service on a free port of 127.0.0.1: about 0.2 s. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await freshDatabase())
  const lines: string[] = []
  const kept = publishLog('service')
  const log = createLogger('debug', {
    write(line) {
      lines.push(line)
      kept.write(line)
    },
  })
  const environment = options.env ?? {}
  const secrets = openActuatorSecrets({ environment, directory: environment.SERVICE_ACTUATOR_SECRETS_DIR })
  for (const name of secrets.keys()) plantSecret(secrets.get(name) ?? '')
  const opened = await open(options, database, log)
  const api = await openApi({ service: opened, log, host: '127.0.0.1', port: 0 })
  const worker =
    options.worker === null
      ? null
      : await startWorker(opened.context, opened.queue, {
          modules: options.modules ?? [],
          secrets,
          opening: opened.opening,
          signing: openSigning(opened.context.config, null),
        })
  api.serve()
  const client = createClient(api.url)
  const admin = await issueAdminKey(opened.context, 'test admin')
  plantCredentials({ 'x-service-admin-key': admin }, null)
  return {
    url: api.url,
    call: client.call,
    context: opened.context,
    database,
    admin,
    tenant: traits => makeTenant({ context: opened.context, call: client.call }, traits),
    logged: () => lines.join(''),
    async close() {
      client.close()
      await api.close()
      await worker?.close()
      await opened.close()
      if (!options.database) await database.drop()
    },
  }
}

function open(options: TestServiceOptions, database: FreshDatabase, log: Logger): Promise<OpenedService> {
  const url = options.databaseUrl ?? databaseUrl(database)
  const config = readConfig({
    ...calm,
    DATABASE_URL: url,
    SERVICE_QUEUE_PREFIX: database.database.replaceAll('_', '-'),
    ...(options.unsigned ? {} : { SERVICE_SIGNING_KEY: testKeyPem() }),
    ...(options.platform ? { REDIS_URL: inject('redisUrl') } : { SERVICE_SUBMIT_WAIT_MS: '10000' }),
    ...options.env,
  })
  return openService({
    platform: true,
    config,
    log,
    tenantDb: undefined,
    apiKeyDb: options.keys && databaseUrl(options.keys),
    name: 'action-gate-test',
    onDatabaseLost: () => undefined,
  })
}

/** Limits that are not what is tested stay out of the way, and retries come at once. */
const calm = {
  SERVICE_RATE_LIMIT: '1000000',
  SERVICE_AUTH_FAILURE_LIMIT: '1000000',
  SERVICE_RETRY_MS_MIN: '1',
  SERVICE_RETRY_MS_MAX: '5',
  SERVICE_ATTEMPTS_MAX: '3',
  SERVICE_POOL_SIZE: '5',
  SERVICE_SWEEP_MS: '1000',
}

/** The database as a URL, for the superuser; the service takes the runtime role by itself. */
export function databaseUrl({ host, database, superuser }: FreshDatabase): string {
  return `postgres://${superuser}@localhost/${database}?host=${encodeURIComponent(host)}`
}
