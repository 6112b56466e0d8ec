import type { BenchOptions } from '../bench.ts'
import { compare, type Target } from '../compare.ts'
import { note } from '../figure.ts'
import { startProgram } from '../programs/child-program.ts'
import { startFloor } from '../setup/floor.ts'
import { type LoadOrder, startLoadGenerator } from '../setup/load.ts'
import {
  approverKey,
  type Platform,
  proposalParts,
  type RunningApi,
  startPlatform,
} from '../setup/platform.ts'

const bench = 'approve'
const floor_is = 'a bare Express handler, four statements in a transaction, pool of 10, same Postgres'
const connectionCounts = [32, 1]
const accept_is = 'accepting by the same process, in turns with it'
const holdMsMax = 120_000

/**
 * Approvals of held actions by the real API process, none of them executed, against the floor on the same Postgres, and
 * against what the same process accepts.
 */
export async function benchApprove({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const program = startProgram('floor-program')
  try {
    const { rounds, batch } = quick ? { rounds: 1, batch: 60 } : { rounds: 5, batch: 300 }
    const floorActions = 2 * rounds * connectionCounts.length * batch
    const actions = floorActions + 2 * rounds * batch
    const api = await platform.startApi()
    const floor = await startFloor(platform, program)
    note(`approve: holding ${actions} actions`)
    const order = { url: `${api.url}/v1/actions`, headers: api.headers, body: proposalParts('high') }
    await load.run({ ...order, connections: 32, ms: holdMsMax, answersMax: actions })
    const targets = {
      service: await approvals(api, await heldIds(platform), batch),
      floor: {
        url: `${floor.url}/actions`,
        headers: {},
        cpuSeconds: floor.cpuSeconds,
        request: inBatches(await floor.hold(floorActions), batch),
      },
    }
    const common = { bench, rounds, emit }
    for (const connections of connectionCounts)
      await compare(targets, load, { ...common, floor_is, connections, ms: holdMsMax })
    const { url, headers } = order
    const accepting = { url, headers, cpuSeconds: targets.service.cpuSeconds, request: () => accepted(batch) }
    const beside = { service: targets.service, floor: accepting }
    await compare(beside, load, {
      ...common,
      floor_is: accept_is,
      connections: 32,
      ms: holdMsMax,
      prefix: 'beside_accept_',
    })
  } finally {
    await Promise.all([load.stop(), program.stop()])
    await platform.stop()
  }
}

async function approvals(api: RunningApi, ids: string[], batch: number): Promise<Target> {
  const { api_key } = await approverKey(api)
  return {
    url: `${api.url}/v1/actions`,
    headers: { authorization: `Bearer ${api_key}`, prefer: 'wait=0' },
    cpuSeconds: async () => (await api.usage()).cpuSeconds,
    request: inBatches(ids, batch),
  }
}

/** As many proposals of low risk, which are executed without approval. */
function accepted(batch: number): Pick<LoadOrder, 'body' | 'answersMax'> {
  return { body: proposalParts('low'), answersMax: batch }
}

/** Each action is approved once. */
function inBatches(ids: string[], batch: number): NonNullable<Target['request']> {
  return () => {
    const paths = ids.splice(0, batch).map(id => `/${id}/approve`)
    if (paths.length < batch) throw new Error('too few actions are held')
    return { body: ['{"note":"', '"}'], paths }
  }
}

async function heldIds({ sql }: Platform): Promise<string[]> {
  const rows = await sql<{ action_id: string }[]>`
    select action_id from action_gate.actions where status = 'pending_approval' order by action_id`
  return rows.map(({ action_id }) => action_id)
}
