#!/usr/bin/env node
import { aboutCommand } from '../../shared/command-line.ts'
import { isWorkerSeen } from '../../shared/flow/core/configured.ts'
import { rewrapSecrets } from '../../shared/flow/secret/rewrap-secrets.ts'
import { readConfigFile } from '../../shared/flow/service/config-file.ts'
import { type OpenedService, openService } from '../../shared/flow/service/open-service.ts'
import { migrateService } from '../../shared/flow/service/prepare-database.ts'
import { seedDemo } from '../../shared/flow/service/seed-demo.ts'
import { bootstrapAdminKey } from '../../shared/flow/tenant/admin-keys.ts'
import { seedTenants } from '../../shared/flow/tenant/tenants.ts'
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

/** The service: API and worker together in embedded mode, the API alone in platform mode. */
const start = async (): Promise<Life> => {
  const config = readConfig()
  const flags = readFlags(process.argv.slice(2))
  checkPlatform(flags, config)
  if (flags.rewrapSecrets) {
    const message = 'it is the worker program that has the keys: worker rewrap-secrets'
    throw new ConfigError([{ path: 'command line', code: 'invalid_flag', message }])
  }
  if (flags.migrate) return migrateOnly(flags, config)
  const file = flags.config === undefined ? null : readConfigFile(flags.config)
  const log = createLogger(config.log_level, logStream(config.log_format))
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
    // What it reads may fail: a process that answers already would end by that.
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

/** The step before a release: `service migrate`. */
async function migrateOnly(flags: Flags, config: Config): Promise<never> {
  const migrated = await migrateService({ ...flags, config })
  if (migrated === 0) checkPlatform({ ...flags, platform: true }, config)
  createLogger(config.log_level, logStream(config.log_format)).info({ databases: migrated }, 'migrated')
  process.exit(0)
}

function checkPlatform(flags: Flags, config: Config): void {
  if (!flags.platform || isPostgresUrl(flags.tenantDb ?? config.database_url ?? '')) return
  throw new ConfigError([
    { path: 'DATABASE_URL', code: 'required', message: 'the platform mode needs a Postgres' },
  ])
}

/**
 * What start-up prints on standard output: one admin key where asked for, or the keys of the demo tenant. What runs is told
 * to a person at a terminal alone: elsewhere standard output is read by a program, or goes where logs do.
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
    const name = flags.bootstrapAdminKeyName
    const key = await bootstrapAdminKey(context, name)
    if (key !== null) process.stdout.write(`admin api key (shown once): ${key}\n`)
    else
      log.warn(
        { name },
        'an admin key of this name works already: no second one was made; use it, or give --bootstrap-admin-key-name another name and revoke the old key with POST /v1/admin-keys/{key_id}/revoke',
      )
  } else if (context.mode === 'embedded' && flags.config === undefined) {
    const seeded = await seedDemo(context)
    if (seeded) process.stdout.write(demoKeys(seeded, url))
  }
}

/** Of a server its address alone: its user and password are nobody's business on a screen. */
function placeOfData(place: string | undefined): string | null {
  if (place === undefined) return null
  return isPostgresUrl(place) ? shownAddress(place) : place
}
