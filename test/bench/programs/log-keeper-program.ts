import { setTimeout as delay } from 'node:timers/promises'
import { countNumbers } from '../../../shared/flow/execution/count-numbers.ts'
import { openService } from '../../../shared/flow/service/open-service.ts'
import { openSigning } from '../../../shared/runtime/secrets/service-keys.ts'
import { readConfig } from '../../../shared/runtime/settings/config.ts'
import { createLogger } from '../../../shared/runtime/telemetry/logger.ts'
import { openLogKeeper } from '../../../worker/log-publisher.ts'
import { testKeyPem } from '../../support/audit/signing-key.ts'
import { answerOrders } from './child-program.ts'

/** What to keep, and where; with `numbers` the owner's numbers are counted from the logs too. */
interface Keeping {
  environment: Record<string, string>
  numbers?: boolean
}

/** What a worker does for the logs, and nothing else: integrates and signs at its interval until this process ends. */
answerOrders(async ({ start }: { start: Keeping }): Promise<boolean> => {
  const config = readConfig({ ...start.environment, SERVICE_SIGNING_KEY: testKeyPem() })
  const log = createLogger('warn')
  const none = { platform: true, tenantDb: undefined, apiKeyDb: undefined, onDatabaseLost: () => undefined }
  const { context } = await openService({ config, log, name: 'action-gate-log', ...none })
  const logs = await openLogKeeper(context, openSigning(config, null))
  const keep = async (): Promise<void> => {
    await logs.keep()
    if (start.numbers) await countNumbers(context)
  }
  keepOn(context.config.log_ms, keep).catch(error => {
    log.fatal({ err: error }, 'the log is not kept any more')
    process.exit(1)
  })
  return true
})

async function keepOn(ms: number, keep: () => Promise<void>): Promise<void> {
  for (;;) {
    await keep()
    await delay(ms)
  }
}
