import { resolve } from 'node:path'
import { monotonicMs } from '../../runtime/clock.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../runtime/embedded-postgres/embedded-postgres.ts'
import { beforeCommit } from '../../runtime/failpoint.ts'
import { openLocalHosts } from '../../runtime/local-hosts.ts'
import { isLost } from '../../runtime/outage.ts'
import { openDoorbell } from '../../runtime/queue/doorbell.ts'
import type { PostgresLogin } from '../../runtime/queue/postgres-backend.ts'
import { openSharedCounters, type SharedCounters } from '../../runtime/queue/rate-store.ts'
import { prepareQueue, type QueueLocation } from '../../runtime/queue/wake-up-queue.ts'
import type { OpeningKey } from '../../runtime/secrets/sealed-secret.ts'
import { openSecretsKeys } from '../../runtime/secrets/secrets-key.ts'
import { openWebhookKey } from '../../runtime/secrets/service-keys.ts'
import type { Config } from '../../runtime/settings/config.ts'
import { postgresAddress } from '../../runtime/settings/postgres-address.ts'
import { isPostgresUrl } from '../../runtime/settings/setting.ts'
import { createEvents } from '../../runtime/telemetry/events.ts'
import type { Logger } from '../../runtime/telemetry/logger.ts'
import { openTracer } from '../../runtime/telemetry/open-tracer.ts'
import type { PoolUse } from '../../runtime/telemetry/process-metrics.ts'
import type { DatabaseLocation } from '../../store/postgres/location.ts'
import { migrateDatabase } from '../../store/postgres/migrate.ts'
import { openStore, probe, type Store } from '../../store/postgres/open.ts'
import type { SchemaState } from '../../store/postgres/schema-state.ts'
import { type Context, createContext } from '../core/context.ts'
import { ownerUrl, prepareDatabase, withGiven } from './prepare-database.ts'
import { checkGuards } from './readiness.ts'

export interface ServiceOptions {
  config: Config
  log: Logger
  /** `--tenant-db` and `--api-key-db`: a directory or a postgres:// URL, or undefined. */
  tenantDb: string | undefined
  apiKeyDb: string | undefined
  /**
   * True if other processes execute the actions with any given Postgres, not only with `DATABASE_URL`. With an
   * embedded database they never do.
   */
  platform: boolean
  name: string
  /** Called when the embedded database ends by itself, after which nothing can be served. */
  onDatabaseLost(): void
}

export interface OpenedService {
  context: Context
  queue: QueueLocation
  counters: SharedCounters | null
  home: KeyHome | null
  /** The keys that open stored secrets, oldest first; none in an API process of the platform mode. */
  opening: readonly OpeningKey[]
  close(): Promise<void>
}

/** The directory of an embedded database, or null for one in memory; a given Postgres has none. */
export interface KeyHome {
  directory: string | null
}

/**
 * Opens everything that the settings name (specification.md#modes-and-start-up); closes what is open again if one
 * part fails.
 */
export async function openService(options: ServiceOptions): Promise<OpenedService> {
  const opened: (() => Promise<void>)[] = []
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end()
  }
  try {
    return { ...(await openParts(options, end => opened.push(end))), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** A measurement stays in the metrics until two more sweeps are missed. */
const sweepsTold = 3

type OnClose = (end: () => Promise<void>) => void

async function openParts(options: ServiceOptions, onClose: OnClose): Promise<Omit<OpenedService, 'close'>> {
  const { config, log } = options
  const tenantPlace = options.tenantDb ?? config.database_url ?? null
  const keyPlace = options.apiKeyDb ?? tenantPlace
  const tracer = await openTracer({
    config,
    name: options.name,
    onLost: reason => log.warn({ reason }, 'spans not sent'),
  })
  onClose(() => tracer.close())
  const home = tenantPlace !== null && isPostgresUrl(tenantPlace) ? null : { directory: tenantPlace }
  const isPlatform = home === null && (options.platform || config.database_url !== undefined)
  const tenants = await openDatabase(options, tenantPlace, onClose)
  const keys = samePlace(tenantPlace, keyPlace) ? tenants : await openDatabase(options, keyPlace, onClose)
  const queue = queueLocation(config, tenants)
  await prepareQueue(queue, home !== null || config.migrate === 'auto')
  const events = createEvents(log, sweepsTold * config.sweep_ms)
  const doorbell = openDoorbell(queue, events)
  events.watch({ pools: () => poolsInUse(tenants.store, keys.store), queue: doorbell.state })
  onClose(() => doorbell.close())
  const counters = config.redis_url
    ? openSharedCounters(config.redis_url, config.queue_prefix, monotonicMs)
    : null
  onClose(async () => counters?.close())
  const { sealing, opening } = openSecretsKeys(config, home)
  const context = createContext({
    mode: isPlatform ? 'platform' : 'embedded',
    durable: tenantPlace !== null && keyPlace !== null,
    config,
    webhookKey: openWebhookKey(config, home),
    sealingKey: sealing,
    localHosts: openLocalHosts(home),
    store: tenants.store,
    keys: keys.store,
    doorbell,
    events,
    tracer,
  })
  onClose(async () => {
    context.streams.close()
    context.tail.close()
    context.watch.close()
  })
  events.watch({ waits: context.watch.waiting })
  await checkGuards(context)
  return { context, queue, counters, home, opening }
}

interface OpenedDatabase {
  store: Store
  runtime: PostgresLogin
  owner: PostgresLogin
}

async function openDatabase(
  options: ServiceOptions,
  place: string | null,
  onClose: OnClose,
): Promise<OpenedDatabase> {
  if (place !== null && isPostgresUrl(place)) return openGiven(options, place, onClose)
  const server = await startEmbeddedPostgres({ directory: place && resolve(place), durable: true })
  let stopping = false
  onClose(() => {
    stopping = true
    return server.stop()
  })
  void server.exited.then(() => {
    if (!stopping) options.onDatabaseLost()
  })
  return openEmbedded(options, server, onClose)
}

async function openGiven(options: ServiceOptions, url: string, onClose: OnClose): Promise<OpenedDatabase> {
  const owner = ownerUrl(options.config, url)
  return withGiven(url, async () => {
    tellNewer(options.log, await prepareDatabase(options.config, url))
    const store = await openReachable(options, { url }, onClose)
    return { store, runtime: asRole(url, 'action_gate_runtime'), owner: asRole(owner, 'action_gate_owner') }
  })
}

async function openEmbedded(
  options: ServiceOptions,
  server: EmbeddedPostgres,
  onClose: OnClose,
): Promise<OpenedDatabase> {
  const host = server.socketDirectory
  const database = 'postgres'
  tellNewer(options.log, await migrateDatabase({ host, user: server.superuser, database }))
  const runtime = { host, user: 'action_gate_runtime', database }
  const owner = { host, user: server.superuser, database, options: '-c role=action_gate_owner' }
  return { store: await openReachable(options, runtime, onClose), runtime, owner }
}

function tellNewer(log: Logger, { newer }: SchemaState): void {
  if (newer > 0)
    log.warn(
      { migrations: newer },
      'the schema is newer than this program, which goes on with it: replace it',
    )
}

async function openReachable(
  options: ServiceOptions,
  location: DatabaseLocation,
  onClose: OnClose,
): Promise<Store> {
  const { pool_size: poolSize, statement_ms_max: statementMsMax, failpoints } = options.config
  const commitApart = failpoints?.some(([step]) => beforeCommit.has(step)) ?? false
  const store = openStore(location, { poolSize, statementMsMax, name: options.name, commitApart, isLost })
  onClose(() => store.close())
  await probe(store)
  return store
}

function poolsInUse(tenants: Store, keys: Store): Record<string, PoolUse> {
  const own = tenants.use()
  if (keys === tenants) return own
  const { transactions, statements } = keys.use()
  return { ...own, key_transactions: transactions, key_statements: statements }
}

function queueLocation(config: Config, database: OpenedDatabase): QueueLocation {
  const { redis_url: redisUrl, queue_prefix: prefix } = config
  if (redisUrl) return { redisUrl, prefix }
  const { runtime, owner } = database
  return { postgres: { ...runtime, max: 4 }, owner, prefix }
}

function asRole(url: string, role: string): PostgresLogin {
  return { ...postgresAddress(url), options: `-c role=${role}` }
}

function samePlace(left: string | null, right: string | null): boolean {
  if (left === null || right === null || isPostgresUrl(left) || isPostgresUrl(right)) return left === right
  return resolve(left) === resolve(right)
}
