import { setTimeout as pause } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { settings } from '../settings.ts'
import type { World } from '../world.ts'
import type { Misbehaviour } from './link.ts'
import { isAway } from './own-postgres.ts'
import type { Fault, FaultKind } from './schedule.ts'
import { endPerson } from './strike-person.ts'
import { killServer } from './strike-server.ts'
import { badJob, brokenJob, erase, holdBack, reregister, revokeKey } from './strike-tenant.ts'
import { type Hit, noKill, type Target } from './target.ts'

type Strike = (target: Target, fault: Fault) => Promise<Hit>

/** Does what the fault says and undoes it after its time; resolves when both are done. */
export function strike(target: Target, fault: Fault): Promise<Hit> {
  return strikes[fault.kind](target, fault)
}

const strikes: Record<FaultKind, Strike> = {
  worker_kill: killWorker,
  worker_terminate: terminate,
  worker_suspend: suspend,
  api_kill: killApi,
  api_terminate: terminate,
  api_suspend: suspend,
  postgres_restart_immediate: (target, fault) => endPostgres(target, fault, 'SIGQUIT'),
  postgres_kill: (target, fault) => endPostgres(target, fault, 'SIGKILL'),
  redis_kill: killRedis,
  redis_flush: redisSet(redis => redis.flushall()),
  redis_forged_messages: forgeMessages,
  redis_out_of_memory: redisSet(
    redis => redis.config('SET', 'maxmemory', '1'),
    redis => redis.config('SET', 'maxmemory', '0'),
  ),
  redis_read_only: redisSet(
    redis => redis.replicaof('127.0.0.1', 1),
    redis => redis.replicaof('NO', 'ONE'),
  ),
  redis_freeze: freezeRedis,
  postgres_cut: disturb('cut'),
  postgres_delay: disturb('delay'),
  postgres_black_hole: disturb('black_hole'),
  postgres_swallow: disturb('swallow'),
  postgres_half_close: disturb('half_close'),
  redis_cut: disturb('cut'),
  redis_delay: disturb('delay'),
  redis_black_hole: disturb('black_hole'),
  redis_half_close: disturb('half_close'),
  downstream_cut: disturb('cut'),
  downstream_delay: disturb('delay'),
  downstream_black_hole: disturb('black_hole'),
  downstream_swallow: disturb('swallow'),
  downstream_half_close: disturb('half_close'),
  worker_two_signals: signalTwice,
  clock_step: stepClock,
  postgres_disk_full: fillDisk,
  job_throws: (target, fault) => (fault.n % 2 === 0 ? brokenJob : throwingJob)(target, fault),
  job_kills_worker: badJob(n => (n % 3 === 0 ? ['kill'] : ['kill', 'ok'])),
  tenant_freeze: holdBack('freeze', 'unfreeze'),
  tenant_pause: holdBack('pause', 'resume'),
  tenant_reregister: reregister,
  tenant_revoke_key: revokeKey,
  tenant_erase: erase,
  person_log_out: endPerson('person_log_out'),
  person_remove: endPerson('person_remove'),
  person_demote: endPerson('person_demote'),
  server_kill: killServer,
}

/** A dead worker keeps its leases until they run out, so the database can be asked afterwards what it held. */
async function killWorker({ world }: Target, { victim }: Fault): Promise<Hit> {
  const worker = processOf(world, victim)
  const id = String(worker.ready()?.worker)
  const calls = world.links.get(`${victim} to downstream`)?.open() ?? 0
  let leased: string[] = []
  await worker.restart('SIGKILL', async () => {
    leased = await leasesOf(world, id)
  })
  return { kill: true, in_flight: Math.max(calls, leased.length), leased, exit_ms: null }
}

/** Of one worker, or of all; empty while the database is away. */
async function leasesOf({ postgres }: World, worker: string | null): Promise<string[]> {
  try {
    const rows = await postgres.look<{ action_id: string }>(
      "select action_id from action_gate.execution_jobs where state = 'leased' and lease_owner = coalesce($1, lease_owner)",
      [worker],
    )
    return rows.map(({ action_id }) => action_id)
  } catch (error) {
    if (!isAway(error)) throw error
    return []
  }
}

async function killApi({ world, requests }: Target, { victim }: Fault): Promise<Hit> {
  const in_flight = requests.open(victim)
  await processOf(world, victim).restart('SIGKILL')
  return { kill: true, in_flight, leased: [], exit_ms: null }
}

async function terminate({ world }: Target, { victim }: Fault): Promise<Hit> {
  const begun = performance.now()
  let exit_ms = 0
  await processOf(world, victim).restart('SIGTERM', async () => {
    exit_ms = Math.round(performance.now() - begun)
  })
  return { ...noKill, exit_ms }
}

const throwingJob = badJob(() => ['throw', 'ok'])

/** As `npm` does it on Ctrl-C: the second signal, a moment later, is the same request. */
async function signalTwice({ world }: Target, { victim }: Fault): Promise<Hit> {
  const begun = performance.now()
  let exit_ms = 0
  await processOf(world, victim).restartBy({ again_ms: 100 }, async () => {
    exit_ms = Math.round(performance.now() - begun)
  })
  return { ...noKill, exit_ms }
}

/** An hour ahead or two days behind, and back. */
async function stepClock({ world }: Target, { n, victim, ms }: Fault): Promise<Hit> {
  const clock = world.clocks.get(victim)
  clock?.set(n % 2 === 0 ? 3_600 : -172_800)
  await pause(ms)
  clock?.set(0)
  return noKill
}

async function fillDisk({ world }: Target, { ms }: Fault): Promise<Hit> {
  await world.postgres.disk?.fill()
  await pause(ms)
  world.postgres.disk?.free()
  return noKill
}

async function suspend({ world }: Target, { victim, ms }: Fault): Promise<Hit> {
  const wake = processOf(world, victim).suspend()
  await pause(ms)
  wake()
  return noKill
}

async function endPostgres(
  { world, requests }: Target,
  { ms }: Fault,
  how: 'SIGQUIT' | 'SIGKILL',
): Promise<Hit> {
  const calls = [...world.links].filter(([name]) => name.endsWith(' to downstream'))
  const in_flight = calls.reduce((sum, [, link]) => sum + link.open(), requests.open(null))
  await world.postgres.end(how)
  await pause(ms)
  await world.postgres.restart()
  return { kill: true, in_flight, leased: [], exit_ms: null }
}

async function killRedis({ world }: Target, { ms }: Fault): Promise<Hit> {
  await world.redis.kill()
  await pause(ms)
  await world.redis.restart()
  return noKill
}

async function freezeRedis({ world: { redis } }: Target, { ms }: Fault): Promise<Hit> {
  const { pid } = redis
  if (pid === null) await commanding(redis.url, each => each.client('PAUSE', ms, 'ALL'))
  else process.kill(pid, 'SIGSTOP')
  await pause(ms)
  if (pid !== null) process.kill(pid, 'SIGCONT')
  return noKill
}

/** Rings that nobody made, about work that does not exist or has been done. */
async function forgeMessages({ world }: Target): Promise<Hit> {
  const known = await leasesOf(world, null)
  await commanding(world.redis.url, async connection => {
    const queue = new Queue('execution', { connection, prefix: settings.SERVICE_QUEUE_PREFIX })
    const forged = [...known, ...known, 'act_of_nobody', '', '../../etc/passwd']
    await queue.addBulk(forged.map(job_id => ({ name: 'due', data: { job_id, status: 'approved' } })))
    await queue.close()
  })
  return noKill
}

function redisSet(
  set: (redis: Redis) => Promise<unknown>,
  undo: (redis: Redis) => Promise<unknown> = async () => undefined,
): Strike {
  return async ({ world }, { ms }) => {
    await commanding(world.redis.url, set)
    await pause(ms)
    await commanding(world.redis.url, undo)
    return noKill
  }
}

async function commanding(url: string, command: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(url, { commandTimeout: 5_000, maxRetriesPerRequest: null })
  try {
    await command(redis)
  } finally {
    redis.disconnect()
  }
}

function disturb(how: Misbehaviour): Strike {
  return async ({ world }, { victim, ms }) => {
    const link = world.links.get(victim)
    if (!link) throw new Error(`there is no link ${victim}`)
    await link.misbehave(how)
    await pause(ms)
    await link.heal()
    return noKill
  }
}

function processOf({ processes }: World, name: string) {
  const found = processes.get(name)
  if (!found) throw new Error(`there is no process ${name}`)
  return found
}
