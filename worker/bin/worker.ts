#!/usr/bin/env node
import { aboutCommand } from '../../shared/command-line.ts'
import { rewrapSecrets } from '../../shared/flow/secret/rewrap-secrets.ts'
import { openService, type ServiceOptions } from '../../shared/flow/service/open-service.ts'
import { closeAll, databaseLost, type Life, live } from '../../shared/runtime/process/process-life.ts'
import { openActuatorSecrets } from '../../shared/runtime/secrets/actuator-secrets.ts'
import { openSigning, unkeptLogs } from '../../shared/runtime/secrets/service-keys.ts'
import { ConfigError, readConfig } from '../../shared/runtime/settings/config.ts'
import { readFlags, usageOf } from '../../shared/runtime/settings/flags.ts'
import { isPostgresUrl } from '../../shared/runtime/settings/setting.ts'
import { createLogger } from '../../shared/runtime/telemetry/logger.ts'
import { logStream } from '../../shared/runtime/telemetry/readable-lines.ts'
import { type OpenedHealth, openHealth } from '../health.ts'
import { loadActuators } from '../load-actuators.ts'
import { type RunningWorker, startWorker } from '../start-worker.ts'

const start = async (): Promise<Life> => {
  const config = readConfig()
  const flags = readFlags(process.argv.slice(2), 'worker')
  const tenantDb = flags.tenantDb ?? config.database_url
  if (tenantDb === undefined || !isPostgresUrl(tenantDb)) {
    throw new ConfigError([
      { path: 'DATABASE_URL', code: 'required', message: 'a worker needs the Postgres of the platform mode' },
    ])
  }
  const log = createLogger(config.log_level, logStream(config.log_format))
  if (flags.step === 'rewrap-secrets') return rewrapOnly({ config, log, tenantDb, apiKeyDb: flags.apiKeyDb })
  const modules = await loadActuators(flags.actuators)
  const service = await openService({
    platform: true,
    config,
    log,
    tenantDb,
    apiKeyDb: flags.apiKeyDb,
    name: 'action-gate-worker',
    onDatabaseLost: databaseLost,
  })
  let health: OpenedHealth | null = null
  let worker: RunningWorker | null = null
  const close = () => closeAll([worker, health, service])
  try {
    const signing = openSigning(config, null)
    if (signing && config.signed_logs_file === undefined) log.warn(unkeptLogs)
    health = await openHealth(service.context, flags.host)
    worker = await startWorker(service.context, service.queue, {
      modules,
      secrets: openActuatorSecrets({ directory: config.actuator_secrets_dir }),
      signing,
      opening: service.opening,
    })
    health.serve()
    const { webhookKey } = service.context
    log.info({ worker: worker.id, health: health.url, sends_messages: webhookKey !== null }, 'worker started')
    return { graceMs: config.shutdown_ms_max, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Runs the command `worker rewrap-secrets`, which wraps the stored secrets for a new key, and ends the process.
 */
async function rewrapOnly(
  places: Pick<ServiceOptions, 'config' | 'log' | 'tenantDb' | 'apiKeyDb'>,
): Promise<never> {
  const name = 'action-gate-rewrap'
  const service = await openService({ ...places, platform: true, name, onDatabaseLost: databaseLost })
  try {
    if (service.opening.length === 0) {
      const message = 'it takes the key that secrets are wrapped for now, and the new one behind it'
      throw new ConfigError([{ path: 'SERVICE_SECRETS_KEY', code: 'required', message }])
    }
    const { unreadable, ...told } = await rewrapSecrets(service.context, service.opening)
    places.log.info({ ...told, unreadable }, 'secrets wrapped')
    process.exitCode = unreadable === 0 ? 0 : 1
  } finally {
    await service.close()
  }
  process.exit()
}

const about = aboutCommand(process.argv.slice(2), usageOf('worker'))
if (about === null) await live(start)
else process.stdout.write(about)
