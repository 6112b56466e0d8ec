import { type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { type Random, seededRandom } from '../chaos/faults/seeded-random.ts'
import { type Browsing, signUp } from './browsing.ts'
import { type Client, createClient } from './client.ts'
import { type Story, tellStory } from './story.ts'
import type { Tenant } from './world.ts'

/** The clients of a soak. */
export interface Load {
  /** No new story; resolves once those that were begun have ended. */
  stop(): Promise<void>
  /** What every action that was acknowledged may end as, by its id. */
  acknowledged: ReadonlyMap<string, readonly Story['ends'][]>
  requests(): number
  /** Answers of 429 and 503, and none in time: each was asked for again. */
  turnedAway(): number
  /** Answers that no client should get. */
  problems: readonly string[]
}

const underWayMax = 200
const problemsMax = 20

export async function startLoad(url: string, tenants: readonly Tenant[], rate: number): Promise<Load> {
  const acknowledged = new Map<string, readonly Story['ends'][]>()
  const problems: string[] = []
  const client = createClient(url)
  const browsing = await signUp(url)
  const random = seededRandom(1, 'soak')
  const underWay = new Set<Promise<void>>()
  const begin = (work: Promise<void>): void => {
    const ended: Promise<void> = work
      .catch(error => void (problems.length < problemsMax && problems.push(String(error))))
      .finally(() => underWay.delete(ended))
    underWay.add(ended)
  }
  let told = 0
  const timers = [
    setInterval(() => {
      if (underWay.size >= underWayMax) return
      told += 1
      const tenant = tenants[told % tenants.length]
      if (tenant) begin(play({ client, random, acknowledged }, tenant, tellStory(random, told)))
    }, 1_000 / rate),
    ...beside({ client, random }, tenants, browsing, begin),
  ]
  return {
    acknowledged,
    problems,
    requests: client.requests,
    turnedAway: client.turnedAway,
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay)
      client.close()
    },
  }
}

interface Stage {
  client: Client
  random: Random
}

/** Lists, streams that are opened and dropped, and owners who log in and out. */
function beside(
  stage: Stage,
  tenants: readonly Tenant[],
  browsing: Browsing,
  begin: (work: Promise<void>) => void,
): NodeJS.Timeout[] {
  const each = (work: (tenant: Tenant) => Promise<void>) => () => {
    for (const tenant of tenants) begin(work(tenant))
  }
  return [
    setInterval(
      each(({ agent, approver }) => lists(stage, agent, approver)),
      1_000,
    ),
    setInterval(
      each(({ agent }) => follow(stage, agent)),
      2_000,
    ),
    setInterval(() => begin(browsing.visit()), 3_000),
  ]
}

async function play(
  { client, random, acknowledged }: Stage & { acknowledged: Map<string, readonly Story['ends'][]> },
  { agent, approver }: Tenant,
  story: Story,
): Promise<void> {
  const { call } = client
  const answers = await Promise.all(
    Array.from({ length: story.copies }, () => call('/v1/actions', agent, { body: proposal(story) })),
  )
  const ids = new Set(answers.map(({ body }) => body.action_id))
  const [id] = ids
  if (id === undefined || ids.size > 1) throw new Error(`a proposal was answered with actions ${[...ids]}`)
  // Until its decision is answered too, what is held may be decided or end by itself.
  acknowledged.set(id, story.decision ? [story.ends, 'denied'] : [story.ends])
  await pause(random.between(0, 1_000))
  if (story.decision) {
    const decided = await call(`/v1/actions/${id}/${story.decision}`, approver, { body: { note: 'read' } })
    if (decided.status < 300) acknowledged.set(id, [story.ends])
  }
  let etag: string | null = null
  for (let polled = 0; polled < story.polls; polled += 1) {
    await pause(300)
    etag = (await call(`/v1/actions/${id}`, agent, { etag })).etag ?? etag
  }
  if (random.chance(0.1)) await call(`/v1/actions/${id}/audit-export`, agent)
}

function proposal({ proposal_id, system, risk, amount }: Story): object {
  return {
    proposal_id,
    actor: { agent_id: 'soak-agent', run_id: 'run-1' },
    summary: `Ask ${system} to write`,
    action: { target_system: system, operation: 'write', parameters: { amount, note: 'x'.repeat(200) } },
    risk: { level: risk },
  }
}

async function lists({ client: { call }, random }: Stage, agent: string, approver: string): Promise<void> {
  await call(random.pick(['/v1/actions?limit=50', '/v1/actions?limit=50&status=denied']), agent)
  await call('/v1/approvals?limit=50', approver)
}

/** Opens a stream, reads for some seconds and goes away without a word. */
async function follow({ client: { url }, random }: Stage, key: string): Promise<void> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    request(`${url}/v1/stream`, { headers, agent: false }, resolve).on('error', reject).end()
  })
  if (message.statusCode === 429) return void message.destroy() // the holder has its share of streams
  if (message.statusCode !== 200) throw new Error(`/v1/stream answered ${message.statusCode}`)
  message.on('error', () => undefined) // it is dropped below
  message.resume()
  await pause(random.between(500, 6_000))
  message.destroy()
}
