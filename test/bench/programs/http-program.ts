import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApp, messagesOf } from '../../../api/http/app.ts'
import { openService } from '../../../shared/flow/service/open-service.ts'
import { createBoundedServer } from '../../../shared/runtime/process/http-bounds.ts'
import { readConfig } from '../../../shared/runtime/settings/config.ts'
import { createLogger } from '../../../shared/runtime/telemetry/logger.ts'
import type { Writer } from '../../../shared/store/postgres/open.ts'
import { answerOrders } from './child-program.ts'

/** Answers for each action that it was stored, whatever the statement. */
const made: Writer = {
  kind: 'writer',
  ahead: () => () => [],
  query: async () => [],
  async last<Row>(_name: string, _text: string, [actions]: readonly unknown[]) {
    const answer = { made: true, key_good: true, timely: true, current: true, now: new Date().toISOString() }
    const ids = String(actions).match(/act_\w+/g) ?? []
    return ids.map(action_id => ({ action_id, ...answer })) as Row[]
  },
}

/**
 * The API without its database: the same application with its keys, limits in Redis, log and metrics, in which a key that
 * was found once is found in memory, and storing an action is answered at once.
 */
answerOrders(
  async (order: { start: { environment: Record<string, string>; refuse: boolean } } | { usage: true }) => {
    if ('usage' in order) {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1e6
    }
    const config = readConfig(order.start.environment)
    const log = createLogger(config.log_level)
    const none = { platform: true, tenantDb: undefined, apiKeyDb: undefined, onDatabaseLost: () => undefined }
    const { context, counters } = await openService({ config, log, name: 'action-gate-http', ...none })
    const found = new Map<string, ReturnType<typeof context.findKey>>()
    const store: typeof context.store = { ...context.store, write: (_, work) => work(made) }
    const withoutDatabase: typeof context = {
      ...context,
      findKey(keyId) {
        const known = found.get(keyId) ?? context.findKey(keyId)
        found.set(keyId, known)
        return known
      },
      store,
      keys: store,
      ...(order.start.refuse ? { rules: async () => null } : {}),
      doorbell: { ...context.doorbell, ring: () => undefined },
    }
    const app = createApp({ context: withoutDatabase, log, counters: counters?.store ?? null })
    const server = createBoundedServer(config, app, messagesOf(app)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  },
)
