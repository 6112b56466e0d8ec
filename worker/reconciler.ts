import type { Registry } from '../shared/actuator/registry.ts'
import type { Principal } from '../shared/contract/action/audit.ts'
import type { Context } from '../shared/flow/core/context.ts'
import { type DueRound, takeRounds } from '../shared/flow/execution/reconcile.ts'
import { monotonicMs } from '../shared/runtime/clock.ts'

/**
 * Resolves unknown outcomes. Each system of a tenant has its own limit, so that a silent system delays no other.
 */
export interface Reconciler {
  /** Runs the due rounds. It resolves when rounds without a look-up have ended; rounds with a look-up run on. */
  pass(): Promise<void>
  ended(): Promise<void>
}

/**
 * Limits of systems that are asked at once, in total and per tenant, and of look-ups per system
 * (specification.md#unknown-outcomes).
 */
const partitionsMax = 32
const partitionsOfTenantMax = 4
const lookupsPerPartition = 2
/**
 * A pass runs up to 8 rounds per system. After 3 unanswered rounds in a row, the system is left alone for a while.
 */
const roundsOfPartitionMax = 8
const silentMax = 3
const sureMax = 128
const sureAtOnce = 4

const start = { tenant_id: '', target_system: '' }

export function createReconciler(context: Context, worker: Principal, registry: Registry): Reconciler {
  const partitions = createPartitions(context)
  let after = start
  return {
    async pass() {
      if (context.ending.signal.aborted) return
      const room = partitionsMax - partitions.underWay()
      const taken = await takeRounds(context, {
        worker,
        registry,
        after: room > 0 ? after : start,
        busy: partitions.busy(),
        partitions: room,
        partitions_of_tenant: partitionsOfTenantMax,
        under_way: partitions.byTenant(),
        rounds_of_partition: roundsOfPartitionMax,
        sure: sureMax,
      })
      if (room > 0) after = taken.after
      partitions.begin(taken.rounds.filter(({ asks }) => asks))
      const sure = taken.rounds.filter(({ asks }) => !asks)
      await makeAll(context, sure, { atOnce: sureAtOnce, enough: ({ silent }) => silent })
    },
    ended: partitions.ended,
  }
}

type Partition = Pick<DueRound, 'tenant_id' | 'target_system'>

function createPartitions(context: Context) {
  const underWay = new Map<string, Partition & { ended: Promise<void> }>()
  const resting = new Map<string, Partition & { until: number }>()

  const byTenant = (): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const { tenant_id } of underWay.values()) counts.set(tenant_id, (counts.get(tenant_id) ?? 0) + 1)
    return counts
  }

  const run = async (name: string, partition: Partition, rounds: DueRound[]): Promise<void> => {
    let silences = 0
    const enough = ({ silent }: { silent: boolean }): boolean => {
      silences = silent ? silences + 1 : 0
      return silences >= silentMax
    }
    await makeAll(context, rounds, { atOnce: lookupsPerPartition, enough })
    underWay.delete(name)
    const until = monotonicMs() + context.config.execution_ms_max
    if (silences >= silentMax) resting.set(name, { ...partition, until })
  }

  const hasRoom = (name: string, { tenant_id }: Partition): boolean =>
    !underWay.has(name) &&
    !resting.has(name) &&
    underWay.size < partitionsMax &&
    (byTenant().get(tenant_id) ?? 0) < partitionsOfTenantMax

  return {
    underWay: () => underWay.size,
    byTenant,
    busy(): Partition[] {
      const now = monotonicMs()
      for (const [name, { until }] of resting) if (until <= now) resting.delete(name)
      return [...underWay.values(), ...resting.values()]
    },
    begin(rounds: readonly DueRound[]): void {
      const byPartition = new Map<string, DueRound[]>()
      for (const round of rounds) {
        const name = `${round.tenant_id} ${round.target_system}`
        byPartition.set(name, [...(byPartition.get(name) ?? []), round])
      }
      for (const [name, own] of byPartition) {
        const [partition] = own
        if (partition && hasRoom(name, partition))
          underWay.set(name, { ...partition, ended: run(name, partition, own) })
      }
    },
    async ended(): Promise<void> {
      await Promise.all([...underWay.values()].map(({ ended }) => ended))
    },
  }
}

/**
 * Runs the rounds, `atOnce` at a time, until `enough` returns true or the process ends. A failed round counts as
 * unanswered.
 */
async function makeAll(
  context: Context,
  rounds: DueRound[],
  { atOnce, enough }: { atOnce: number; enough(made: { silent: boolean }): boolean },
): Promise<void> {
  let over = false
  const failed = (error: unknown): { silent: boolean } => {
    context.events.failed('reconcile', error)
    return { silent: true }
  }
  const one = async (): Promise<void> => {
    while (!over && !context.ending.signal.aborted) {
      const round = rounds.shift()
      if (!round) return
      over = enough(await round.make().catch(failed))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
