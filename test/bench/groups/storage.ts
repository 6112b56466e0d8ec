import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { BenchOptions } from '../bench.ts'
import { type Emit, note } from '../figure.ts'
import { allSettled, type Ledger, serviceLedger } from '../setup/executed.ts'
import { startLoadGenerator } from '../setup/load.ts'
import { type Platform, proposalParts, type RunningProcess, startPlatform } from '../setup/platform.ts'

const bench = 'an_action'
const loadMsMax = 120_000
/** Of a second, as Linux counts processor time. */
const ticksASecond = 100

/**
 * What one executed action costs, from which the scaling model is made: bytes of tables with their indexes and of the
 * write-ahead log, and processor time of every process.
 */
export async function benchStorage({ emit, quick }: BenchOptions): Promise<void> {
  const platform = await startPlatform()
  const load = startLoadGenerator()
  const redis = new Redis(platform.redisUrl)
  try {
    const actions = quick ? 500 : 5_000
    const api = await platform.startApi()
    const worker = await platform.startWorker()
    const order = { url: `${api.url}/v1/actions`, headers: api.headers, body: proposalParts() }
    const ledger = serviceLedger(platform.sql)
    await settled(load.run({ ...order, connections: 32, ms: loadMsMax, answersMax: actions / 5 }), ledger)
    note(`storage: ${actions} actions`)
    const before = await look(platform, { api, worker }, redis)
    await settled(load.run({ ...order, connections: 32, ms: loadMsMax, answersMax: actions }), ledger)
    const after = await look(platform, { api, worker }, redis)
    tell(emit, actions, before, after)
  } finally {
    redis.disconnect()
    await load.stop()
    await platform.stop()
  }
}

async function settled(loading: Promise<unknown>, ledger: Ledger): Promise<void> {
  await loading
  await allSettled(ledger)
}

interface Look {
  tables: Map<string, number>
  walBytes: number
  /** Processor seconds by process. */
  cpu: Record<'api' | 'worker' | 'postgres' | 'redis', number>
}

async function look(
  platform: Platform,
  processes: { api: RunningProcess; worker: RunningProcess },
  redis: Redis,
): Promise<Look> {
  const { sql, postgres } = platform
  const tables = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(c.oid)::float8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname = 'action_gate' and relkind = 'r'`
  const [wal] = await sql<{ bytes: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`
  const info = await redis.info('cpu')
  const used = (kind: string): number => Number(new RegExp(`^used_cpu_${kind}:(\\S+)`, 'm').exec(info)?.[1])
  return {
    tables: new Map(tables.map(({ name, bytes }) => [name, bytes])),
    walBytes: wal?.bytes ?? Number.NaN,
    cpu: {
      api: (await processes.api.usage()).cpuSeconds,
      worker: (await processes.worker.usage()).cpuSeconds,
      postgres: await postgresSeconds(postgres.dataDirectory),
      redis: used('sys') + used('user'),
    },
  }
}

function tell(emit: Emit, actions: number, before: Look, after: Look): void {
  const grown = [...after.tables].map(
    ([name, bytes]) => [name, (bytes - (before.tables.get(name) ?? 0)) / actions] as const,
  )
  const shown = Object.fromEntries(grown.filter(([, bytes]) => bytes >= 1))
  const sum = grown.reduce((total, [, bytes]) => total + bytes, 0)
  emit({ bench, figure: 'table_bytes', value: sum, unit: 'bytes', detail: shown })
  emit({ bench, figure: 'wal_bytes', value: (after.walBytes - before.walBytes) / actions, unit: 'bytes' })
  for (const name of ['api', 'worker', 'postgres', 'redis'] as const) {
    const value = ((after.cpu[name] - before.cpu[name]) * 1e6) / actions
    emit({ bench, figure: `cpu_of_${name}`, value, unit: 'us' })
  }
}

/** Of the server, its children, and those that have ended; NaN where there is no `/proc`. */
async function postgresSeconds(dataDirectory: string): Promise<number> {
  try {
    const [server = ''] = (await readFile(join(dataDirectory, 'postmaster.pid'), 'utf8')).split('\n')
    const others = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
    const all = await Promise.all(others.map(readStat))
    const ticks = all
      .filter(stat => stat !== null && (stat.pid === server || stat.parent === server))
      .reduce((sum, stat) => sum + (stat?.pid === server ? (stat?.withEnded ?? 0) : (stat?.own ?? 0)), 0)
    return ticks / ticksASecond
  } catch {
    return Number.NaN // not on Linux
  }
}

/** Ticks of a process, alone and with its children that have ended; null when it has ended itself. */
async function readStat(
  pid: string,
): Promise<{ pid: string; parent: string; own: number; withEnded: number } | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  if (text === null) return null
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number)
  const own = user + system
  return { pid, parent: fields[1] ?? '', own, withEnded: own + endedUser + endedSystem }
}
