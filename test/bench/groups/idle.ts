import { createRegistry } from '../../../shared/actuator/registry.ts'
import type { Context } from '../../../shared/flow/core/context.ts'
import { claimJobs } from '../../../shared/flow/execution/claim-jobs.ts'
import { sweep } from '../../../shared/flow/execution/sweep.ts'
import { openService } from '../../../shared/flow/service/open-service.ts'
import { readConfig } from '../../../shared/runtime/settings/config.ts'
import { createLogger } from '../../../shared/runtime/telemetry/logger.ts'
import { createReconciler } from '../../../worker/reconciler.ts'
import { surroundings } from '../../support/fixtures/actuator-surroundings.ts'
import type { BenchOptions } from '../bench.ts'
import { median } from '../figure.ts'
import { type Platform, platformEnvironment, startPlatform } from '../setup/platform.ts'
import { seedActions } from '../setup/seed-actions.ts'

const bench = 'idle'
const worker = { id: 'wrk_bench', kind: 'worker' } as const

/** What a worker does when nothing is due, by its name in the figures. */
const passes: Readonly<Record<string, (context: Context) => Promise<unknown>>> = {
  sweep,
  claim: context =>
    claimJobs(context, {
      worker,
      registry: createRegistry(surroundings()),
      limit: 50,
      after: '',
      since: null,
      shares: { tenant: 50, system: 50 },
      taken: new Map(),
    }),
  reconcile: context => createReconciler(context, worker, createRegistry(surroundings())).pass(),
}

/** The cost of a pass when nothing is due, with 1,000,000 settled actions against none. */
export async function benchIdle({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  try {
    await (await platform.startApi()).stop()
    const rounds = quick ? 20 : 200
    const floors = await timePasses(platform, rounds)
    const actions = quick ? 20_000 : 1_000_000
    await seedActions(platform.sql, { tenant: 'bench', count: actions, mark: '1', status: 'executed' })
    const values = await timePasses(platform, rounds)
    for (const name of Object.keys(passes)) {
      const value = values.get(name) ?? Number.NaN
      const floor = floors.get(name) ?? Number.NaN
      const detail = { actions, floor_is: 'the same pass without any action' }
      emit({ bench, figure: `${name}_p50`, value, floor, ratio: value / floor, unit: 'ms', detail })
    }
  } finally {
    await platform.stop()
  }
}

/** Medians by the name of the pass, in milliseconds. */
async function timePasses(platform: Platform, rounds: number): Promise<Map<string, number>> {
  const service = await openService({
    platform: true,
    config: readConfig(platformEnvironment(platform)),
    log: createLogger('fatal'),
    tenantDb: undefined,
    apiKeyDb: undefined,
    name: 'action-gate-bench',
    onDatabaseLost: () => undefined,
  })
  try {
    const medians = new Map<string, number>()
    for (const [name, pass] of Object.entries(passes)) {
      const took: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const begun = performance.now()
        await pass(service.context)
        took.push(performance.now() - begun)
      }
      medians.set(name, median(took))
    }
    return medians
  } finally {
    await service.close()
  }
}
