import { randomBytes } from 'node:crypto'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { engineConcurrency, type StartEngine } from '../programs/engine.ts'

/**
 * DBOS with workflows of one step. Through a queue another process could execute what was accepted, as here; started
 * directly it is the process that accepted it.
 */
export function startDbos(through: 'queue' | 'nothing'): StartEngine {
  return async ({ databaseUrl }, ran) => {
    const quiet = () => undefined
    DBOS.setConfig({
      name: `peer-${randomBytes(4).toString('hex')}`,
      systemDatabaseUrl: databaseUrl,
      systemDatabasePoolSize: 10,
      logger: { info: quiet, debug: quiet, warn: quiet, error: quiet },
    })
    const queueName = `noop-${randomBytes(4).toString('hex')}`
    const noop = DBOS.registerWorkflow(
      async (sent: number): Promise<void> => {
        await DBOS.runStep(async () => ran(sent), { name: 'noop' })
      },
      { name: `noop-${queueName}` },
    )
    await DBOS.launch()
    if (through === 'queue')
      await DBOS.registerQueue(queueName, { workerConcurrency: engineConcurrency, minPollingIntervalMs: 10 })
    const start = DBOS.startWorkflow(noop, through === 'queue' ? { queueName } : {})
    return {
      add: async sent => (await start(sent)).workflowID,
      addAll: (sent, count) => Promise.all(Array.from({ length: count }, () => start(sent))),
      work: async () => undefined,
      finished: async id => (await DBOS.getWorkflowStatus(id))?.status === 'SUCCESS',
      stop: () => DBOS.shutdown(),
    }
  }
}
