import { readdir, readFile, readlink } from 'node:fs/promises'
import { Redis } from 'ioredis'
import type { Series } from './judge.ts'
import type { Watched, World } from './world.ts'

/** What is measured, in which unit, and the least rise that is one. */
const measured: Readonly<Record<string, Omit<Series, 'name' | 'points'>>> = {
  resident: { unit: 'MiB', grain: 4 },
  heap: { unit: 'MiB', grain: 2 },
  external: { unit: 'MiB', grain: 2 },
  files: { unit: 'descriptors', grain: 2 },
  sockets: { unit: 'sockets', grain: 2 },
  threads: { unit: 'threads', grain: 1 },
  loop_lag_p99: { unit: 'ms', grain: null },
  connections: { unit: 'connections', grain: 2 },
  memory: { unit: 'MiB', grain: 0.5 },
  keys: { unit: 'keys', grain: 10 },
  clients: { unit: 'clients', grain: 2 },
  open_jobs: { unit: 'rows', grain: 30 },
  log_outbox: { unit: 'rows', grain: 100 },
  sessions: { unit: 'rows', grain: 10 },
}

export interface Sampler {
  series(): Series[]
  /** Resident bytes of a process now. */
  resident(name: 'api' | 'worker'): Promise<number>
  /** Bytes of each table with its indexes, by name. */
  tables(): Promise<Map<string, number>>
  stop(): Promise<void>
}

const mebibyte = 2 ** 20

/** Samples everything at an interval, until it is stopped. */
export function startSampler(world: World, everyMs: number): Sampler {
  const redis = new Redis(world.redisUrl)
  const points = new Map<string, { at: number; value: number }[]>()
  const begun = performance.now()
  const sample = async (): Promise<void> => {
    const at = (performance.now() - begun) / 1_000
    const parts = await Promise.all([
      ...[...world.processes].map(([name, watched]) => ofProcess(name, watched)),
      ofPostgres(world),
      ofRedis(redis),
    ])
    for (const part of parts)
      for (const [name, value] of Object.entries(part)) {
        const found = points.get(name) ?? []
        found.push({ at, value })
        points.set(name, found)
      }
  }
  let current: Promise<void> = sample()
  let failure: unknown = null
  const timer = setInterval(() => {
    current = current.then(sample).catch(error => {
      failure ??= error
    })
  }, everyMs)
  return {
    series: () => [...points].map(([name, measurements]) => named(name, measurements)),
    resident: async name => {
      const watched = world.processes.get(name)
      return watched ? (await statusOf(watched.pid, 'VmRSS')) * 1_024 : Number.NaN
    },
    tables: () => tableBytes(world),
    async stop() {
      clearInterval(timer)
      await current
      redis.disconnect()
      if (failure) throw failure
    },
  }
}

function named(name: string, points: Series['points']): Series {
  const kind = measured[name.slice(name.indexOf(' ') + 1)]
  if (!kind) throw new Error(`${name} is not among what is measured`)
  return { name, points, ...kind }
}

async function ofProcess(name: string, { pid, url }: Watched): Promise<Record<string, number>> {
  const [residentKiB, threads, files, text] = await Promise.all([
    statusOf(pid, 'VmRSS'),
    statusOf(pid, 'Threads'),
    readdir(`/proc/${pid}/fd`),
    fetch(`${url}/metrics`).then(answer => answer.text()),
  ])
  const targets = await Promise.all(
    files.map(file => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')), // closed meanwhile
  )
  const metric = (metricName: string): number => {
    const value = new RegExp(`^action_gate_${metricName} (\\S+)`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`${url}/metrics has no action_gate_${metricName}`)
    return Number(value)
  }
  return {
    [`${name} resident`]: residentKiB / 1_024,
    [`${name} threads`]: threads,
    [`${name} files`]: files.length,
    [`${name} sockets`]: targets.filter(target => target.startsWith('socket:')).length,
    [`${name} heap`]: metric('nodejs_heap_size_used_bytes') / mebibyte,
    [`${name} external`]: metric('nodejs_external_memory_bytes') / mebibyte,
    [`${name} loop_lag_p99`]: metric('nodejs_eventloop_lag_p99_seconds') * 1_000,
  }
}

/** A number of `/proc/<pid>/status`. */
async function statusOf(pid: number, field: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1])
}

async function ofPostgres({ sql }: World): Promise<Record<string, number>> {
  const [row] = await sql<Record<string, number>[]>`
    select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
      (select count(*)::int from action_gate.execution_jobs where state <> 'done') as open_jobs,
      (select count(*)::int from action_gate.log_outbox) as log_outbox,
      (select count(*)::int from action_gate.sessions) as sessions`
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [`postgres ${name}`, value]))
}

async function ofRedis(redis: Redis): Promise<Record<string, number>> {
  const [info, keys] = await Promise.all([redis.info(), redis.dbsize()])
  const number = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1])
  return {
    'redis memory': number('used_memory') / mebibyte,
    'redis keys': keys,
    'redis clients': number('connected_clients'),
  }
}

async function tableBytes({ sql }: World): Promise<Map<string, number>> {
  const rows = await sql<{ name: string; bytes: number }[]>`
    select relname as name, pg_total_relation_size(c.oid)::float8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where nspname = 'action_gate' and relkind = 'r'`
  return new Map(rows.map(({ name, bytes }) => [name, bytes]))
}
