#!/usr/bin/env node
import { aboutCommand } from '../../shared/command-line.ts'
import { isWorkerSeen } from '../../shared/flow/core/configured.ts'
import type { Context } from '../../shared/flow/core/context.ts'
import { rewrapSecrets } from '../../shared/flow/secret/rewrap-secrets.ts'
import { readConfigFile } from '../../shared/flow/service/config-file.ts'
import { type OpenedService, openService } from '../../shared/flow/service/open-service.ts'
import { migrateService } from '../../shared/flow/service/prepare-database.ts'
import { seedDemo } from '../../shared/flow/service/seed-demo.ts'
import { bootstrapAdminKey } from '../../shared/flow/tenant/admin-keys.ts'
import { seedTenants } from '../../shared/flow/tenant/tenants.ts'
import { StartupError } from '../../shared/runtime/outage.ts'
import { closeAll, databaseLost, type Life, live } from '../../shared/runtime/process/process-life.ts'
import { openActuatorSecrets } from '../../shared/runtime/secrets/actuator-secrets.ts'
import { openSigning, unkeptLogs } from '../../shared/runtime/secrets/service-keys.ts'
import { type Config, ConfigError, readConfig } from '../../shared/runtime/settings/config.ts'
import { type Flags, readFlags, usageOf } from '../../shared/runtime/settings/flags.ts'
import { isPostgresUrl, shownAddress } from '../../shared/runtime/settings/setting.ts'
import { createLogger, type Logger } from '../../shared/runtime/telemetry/logger.ts'
import { logStream } from '../../shared/runtime/telemetry/readable-lines.ts'
import { loadActuators } from '../../worker/load-actuators.ts'
import { type RunningWorker, startWorker } from '../../worker/start-worker.ts'
import { type OpenedApi, openApi } from '../start-api.ts'
import { demoKeys, greeting } from './welcome.ts'

const secondKey =
  'an admin key of this name works already: no second one was made; use it, or give another name and revoke the old key with POST /v1/admin-keys/{key_id}/revoke'

/** Starts the service: API and worker in embedded mode, only the API in platform mode. */
const start = async (): Promise<Life> => {
  const config = readConfig()
  const flags = readFlags(process.argv.slice(2), 'service')
  checkPlatform(flags, config)
  const log = createLogger(config.log_level, logStream(config.log_format))
  if (flags.step === 'migrate') return migrateOnly(flags, config, log)
  if (flags.step === 'bootstrap') return bootstrapOnly(flags, config, log)
  const file = flags.config === undefined ? null : readConfigFile(flags.config)
  const modules = await loadActuators(flags.actuators)
  const service = await openService({
    ...flags,
    config,
    log,
    name: 'action-gate-api',
    onDatabaseLost: databaseLost,
  })
  let api: OpenedApi | null = null
  let worker: RunningWorker | null = null
  const close = () => closeAll([api, worker, service])
  try {
    if (file) await seedTenants(service.context, file)
    api = await openApi({ service, log, host: flags.host, port: flags.port })
    if (service.context.mode === 'embedded') {
      const signing = openSigning(config, service.home)
      if (signing && service.home === null && config.signed_logs_file === undefined) log.warn(unkeptLogs)
      const secrets = openActuatorSecrets({ directory: config.actuator_secrets_dir })
      if (service.opening.length > 1) await rewrapSecrets(service.context, service.opening)
      worker = await startWorker(service.context, service.queue, {
        modules,
        secrets,
        signing,
        opening: service.opening,
      })
    }
    // The greeting reads the database and may fail, so it comes before the API answers.
    await greet(service, flags, api.url, log)
    api.serve()
    log.info({ url: api.url, mode: service.context.mode }, 'listening')
    const { drain_ms, shutdown_ms_max } = config
    return { graceMs: drain_ms + shutdown_ms_max * (worker ? 2 : 1), close }
  } catch (error) {
    await close()
    throw error
  }
}

const about = aboutCommand(process.argv.slice(2), usageOf('service'))
if (about === null) await live(start)
else process.stdout.write(about)

/** Runs the migrations and ends, as the step before a release: `service migrate`. */
async function migrateOnly(flags: Flags, config: Config, log: Logger): Promise<never> {
  const migrated = await migrateService({ ...flags, config })
  if (migrated === 0) checkPlatform({ ...flags, platform: true }, config)
  log.info({ databases: migrated }, 'migrated')
  process.exit(0)
}

/**
 * Prints the first key of a deployment and ends: `service bootstrap NAME`. The exit code is 1 if a key of that
 * name exists.
 */
async function bootstrapOnly(flags: Flags, config: Config, log: Logger): Promise<never> {
  if ((flags.apiKeyDb ?? flags.tenantDb ?? config.database_url) === undefined) {
    const message = 'a key needs a database that stays: name one, or set DATABASE_URL'
    throw new ConfigError([{ path: '--tenant-db', code: 'required', message }])
  }
  const name = 'action-gate-bootstrap'
  const service = await openService({ ...flags, config, log, name, onDatabaseLost: databaseLost })
  const isMade = await printAdminKey(service.context, flags).finally(service.close)
  if (!isMade) throw new StartupError(`${flags.bootstrapAdminKeyName}: ${secondKey}`)
  process.exit(0)
}

async function printAdminKey(
  context: Context,
  { bootstrapAdminKeyName: name = '' }: Flags,
): Promise<boolean> {
  const key = await bootstrapAdminKey(context, name)
  if (key !== null) process.stdout.write(`admin api key (shown once): ${key}\n`)
  return key !== null
}

function checkPlatform(flags: Flags, config: Config): void {
  if (!flags.platform || isPostgresUrl(flags.tenantDb ?? config.database_url ?? '')) return
  throw new ConfigError([
    { path: 'DATABASE_URL', code: 'required', message: 'the platform mode needs a Postgres' },
  ])
}

/**
 * Prints an admin key on request, or the keys of the demo tenant. Only a terminal gets the greeting, because
 * otherwise a program or a log reads standard output.
 */
async function greet(service: OpenedService, flags: Flags, url: string, log: Logger): Promise<void> {
  const { context } = service
  const { hosted_accounts, database_url } = context.config
  const data = placeOfData(flags.tenantDb ?? database_url)
  if (process.stdout.isTTY)
    process.stdout.write(greeting({ url, mode: context.mode, hostedAccounts: hosted_accounts, data }))
  if (!context.durable)
    log.warn('no --tenant-db: everything is in a temporary directory that goes with this process')
  if (context.mode === 'platform' && !(await isWorkerSeen(context)))
    log.warn('no worker was seen: what is allowed waits until one runs (npm run start:worker)')
  if (flags.bootstrapAdminKeyName !== undefined) {
    if (!(await printAdminKey(context, flags))) log.warn({ name: flags.bootstrapAdminKeyName }, secondKey)
  } else if (context.mode === 'embedded' && flags.config === undefined) {
    const seeded = await seedDemo(context)
    if (seeded) process.stdout.write(demoKeys(seeded, url))
  }
}

/** Returns the address of the data without user and password, so that no screen shows them. */
function placeOfData(place: string | undefined): string | null {
  if (place === undefined) return null
  return isPostgresUrl(place) ? shownAddress(place) : place
}
