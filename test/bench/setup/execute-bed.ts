import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import { type ChildProgram, startProgram } from '../programs/child-program.ts'
import type { EngineOrder, EngineReport } from '../programs/engine.ts'
import { type Ledger, serviceLedger } from './executed.ts'
import { floorDatabase, startFloor } from './floor.ts'
import { type LoadGenerator, type LoadOrder, startLoadGenerator } from './load.ts'
import { type Platform, proposalParts, type RunningApi, startPlatform } from './platform.ts'

/** What the figures of execution are made with: the service, the plain design and the peers, on the same servers. */
export interface Bed {
  platform: Platform
  api: RunningApi
  load: LoadGenerator
  ledgers: Record<LedgerName, Ledger>
  /** Proposals for one of them, from so many connections. */
  order(to: LedgerName, connections: number): Omit<LoadOrder, 'ms'>
  ask(peer: PeerName, order: PeerOrder): Promise<EngineReport>
  stop(): Promise<void>
}

/** The service, and plain designs that keep a ledger: one BullMQ job an action, or one of pg-boss. */
export type LedgerName = 'service' | 'plain' | 'pg_boss_ledger'

/** Peers by the names of their figures, and what they are. */
export const peers = {
  bullmq: { program: 'bullmq-program', is: 'BullMQ alone on the same Redis, which keeps nothing' },
  pg_boss: { program: '../peers/pg-boss-program', is: 'pg-boss on the same Postgres' },
  graphile_worker: { program: '../peers/graphile-program', is: 'graphile-worker on the same Postgres' },
  dbos: { program: '../peers/dbos-program', is: 'DBOS on the same Postgres, through a queue' },
  dbos_direct: {
    program: '../peers/dbos-direct-program',
    is: 'DBOS on the same Postgres, in the accepting process',
  },
} as const
export type PeerName = keyof typeof peers

/** Without where the servers are. */
export type PeerOrder = EngineOrder extends infer Order
  ? Order extends object
    ? Omit<Order, 'redisUrl' | 'databaseUrl'>
    : never
  : never

const peerDatabase = 'peers'
const bossDatabase = 'boss_ledger'

export async function openBed(): Promise<Bed> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const programs = new Map<string, ChildProgram>()
  const program = (name: string): ChildProgram => {
    const started = programs.get(name) ?? startProgram(name)
    programs.set(name, started)
    return started
  }
  const { socketDirectory: host, superuser: user } = platform.postgres
  const plainSql = postgres({ host, user, database: floorDatabase, max: 1, onnotice: () => undefined })
  const bossSql = postgres({ host, user, database: bossDatabase, max: 1, onnotice: () => undefined })
  const stop = async (): Promise<void> => {
    await Promise.all([load, ...programs.values()].map(each => each.stop()))
    await Promise.all([plainSql.end(), bossSql.end()])
    await platform.stop()
  }
  try {
    const api = await platform.startApi()
    const floor = await startFloor(platform, program('floor-program'), true)
    const start = { host, user, database: floorDatabase, redisUrl: platform.redisUrl }
    await program('one-by-one-program').ask({ start })
    const urlOf = (database: string) =>
      `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
    await platform.sql.unsafe(`create database ${bossDatabase}`)
    const bossStart = { host, user, database: bossDatabase, databaseUrl: urlOf(bossDatabase) }
    const boss = await program('../peers/boss-ledger-program').ask<{ url: string }>({ start: bossStart })
    await platform.sql.unsafe(`create database ${peerDatabase}`)
    const where = { redisUrl: platform.redisUrl, databaseUrl: urlOf(peerDatabase) }
    const body = proposalParts()
    return {
      platform,
      api,
      load,
      ledgers: {
        service: serviceLedger(platform.sql),
        plain: { sql: plainSql, actions: 'action', open: "job where state <> 'done'" },
        pg_boss_ledger: { sql: bossSql, actions: 'action', open: "action where status <> 'executed'" },
      },
      order(to, connections) {
        if (to === 'service') return { url: `${api.url}/v1/actions`, headers: api.headers, body, connections }
        const { url } = to === 'plain' ? floor : boss
        return { url: `${url}/actions`, headers: {}, body, connections }
      },
      // A peer is started anew for every order: what is kept between them is its database.
      async ask(peer, order) {
        const running = startProgram(peers[peer].program)
        try {
          return await running.ask<EngineReport>({ ...order, ...where })
        } finally {
          await running.stop()
        }
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const settleMsMax = 30_000
const pollMs = 1

/** Milliseconds from the answer to a proposal until a reader sees the action executed. */
export async function acceptedToExecuted({ api, platform }: Bed, id: string): Promise<number> {
  const [before, after] = proposalParts()
  const answer = await fetch(`${api.url}/v1/actions`, {
    method: 'POST',
    headers: { ...api.headers, 'content-type': 'application/json' },
    body: `${before}${id}${after}`,
  })
  const { action_id } = (await answer.json()) as { action_id: string }
  const accepted = performance.now()
  const tooLate = AbortSignal.timeout(settleMsMax)
  for (;;) {
    const [row] = await platform.sql`select status from action_gate.actions where action_id = ${action_id}`
    if (row?.status === 'executed') return performance.now() - accepted
    if (tooLate.aborted) throw new Error(`action ${action_id} is ${row?.status}, not executed`)
    await setTimeout(pollMs)
  }
}
