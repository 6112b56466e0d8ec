import type { BenchOptions } from '../bench.ts'
import { compare, proposalsTo, serviceTarget, warmUp } from '../compare.ts'
import { note } from '../figure.ts'
import { startProgram } from '../programs/child-program.ts'
import { startLoadGenerator } from '../setup/load.ts'
import {
  approverKey,
  asAdmin,
  platformEnvironment,
  type RunningApi,
  startPlatform,
} from '../setup/platform.ts'
import { samplePolicy } from '../setup/sample.ts'

/**
 * What people cost a proposal that none of them is asked about: a tenant with the route of its policy, a group and a key with
 * a role, whose hourly numbers are counted, against one with none of these. A log is kept beside each.
 */
export async function benchAcceptRouted({ emit, quick }: BenchOptions): Promise<void> {
  const routed = await startPlatform()
  const plain = await startPlatform()
  const load = startLoadGenerator()
  const keepers = [startProgram('log-keeper-program'), startProgram('log-keeper-program')] as const
  try {
    const api = await routed.startApi()
    await addPeople(api)
    const targets = { service: proposalsTo(api), floor: await serviceTarget(plain) }
    note('accept_routed: warming up')
    await warmUp(targets, load, quick)
    await keepers[0].ask({ start: { environment: platformEnvironment(routed), numbers: true } })
    await keepers[1].ask({ start: { environment: platformEnvironment(plain) } })
    const times = quick ? { rounds: 3, ms: 500 } : { rounds: 15, ms: 1_000 }
    const floor_is = 'the same API for a tenant without routes, groups, roles and hourly numbers'
    await compare(targets, load, { bench: 'accept_routed', floor_is, connections: 32, ...times, emit })
  } finally {
    await Promise.all([load.stop(), ...keepers.map(({ stop }) => stop())])
    await Promise.all([routed.stop(), plain.stop()])
  }
}

/** The route that the policy of the sample names, a group of it, and somebody in the group. */
async function addPeople(api: RunningApi): Promise<void> {
  const { key } = await approverKey(api)
  await asAdmin(api, 'PUT', '/groups/leads', { members: [{ key_id: key.key_id }] })
  const route = { required: [{ group: 'leads', approvals: 1 }], decide_within_ms: 3_600_000 }
  await asAdmin(api, 'PUT', `/routes/${samplePolicy(1).review_route}`, route)
}
