import type { RegistryDependencies } from '../../actuator/surroundings.ts'
import { limits } from '../../contract/base/limits.ts'
import { createIssuers, type Issuers, type IssuersOptions } from '../../identity/issuers.ts'
import { createBatcher } from '../../runtime/batcher.ts'
import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { afterNow, createDatabaseClock, type DatabaseClock, monotonicMs } from '../../runtime/clock.ts'
import { createEnding } from '../../runtime/deadline.ts'
import { createFailpoints, type Reach } from '../../runtime/failpoint.ts'
import type { LocalHosts } from '../../runtime/local-hosts.ts'
import { isLost } from '../../runtime/outage.ts'
import { createOpenStreams, type OpenStreams } from '../../runtime/process/open-streams.ts'
import { type ChangePoller, createChangePoller } from '../../runtime/queue/change-poller.ts'
import type { Doorbell } from '../../runtime/queue/doorbell.ts'
import { createLogPoller, type LogPoller } from '../../runtime/queue/log-poller.ts'
import { createRoom, type Room } from '../../runtime/room.ts'
import { createPasswordHasher, type HashPassword } from '../../runtime/secrets/password.ts'
import type { SealingKey } from '../../runtime/secrets/sealed-secret.ts'
import { type Config, readIssuerSecret } from '../../runtime/settings/config.ts'
import type { Events } from '../../runtime/telemetry/events.ts'
import type { Tracer } from '../../runtime/telemetry/tracer.ts'
import { ownersOf } from '../../store/account/account-rows.ts'
import { readEventCounts } from '../../store/action/actions.ts'
import { type LogTailEntry, readTail } from '../../store/log/log-tail.ts'
import type { Store } from '../../store/postgres/open.ts'
import { findKeys, type PresentedKey } from '../../store/tenant/api-keys.ts'
import type { Rules } from './compile-rules.ts'
import { createHeldRoom, type HeldRoom } from './held-room.ts'
import { byItself, createProofQueue, type InSlices, type ProofQueue } from './in-slices.ts'
import { createRulesCache } from './rules-cache.ts'

export interface Context {
  mode: 'embedded' | 'platform'
  /** True if stored data outlives the process. */
  durable: boolean
  config: Config
  /** Null while this process does not listen. */
  listening: { url: string | null }
  /** The key from which webhook secrets are derived; if null, there are no webhooks. */
  webhookKey: Buffer | null
  /** The public key to which secrets are sealed; if null, none can be written. */
  sealingKey: SealingKey | null
  localHosts: LocalHosts
  /** The dependencies of the actuators in this process's worker; null while it has no worker. */
  bench: { dependencies: RegistryDependencies | null }
  documentRoom: Room
  store: Store
  keys: Store
  doorbell: Doorbell
  watch: ChangePoller
  tail: LogPoller<LogTailEntry>
  listRoom: Room
  heldRoom: HeldRoom
  streams: OpenStreams
  events: Events
  databaseClock: DatabaseClock
  tracer: Tracer
  /** Looks a key up; up to 64 concurrent requests share a statement. */
  findKey(keyId: string): Promise<{ key: PresentedKey | undefined; now: string }>
  organizationOf: OrganizationOf
  rules(tenantId: string): Promise<Rules | null>
  /** Drops outdated rules from the cache; a caller that awaits it reads newer rules next. */
  forgetRules(tenantId: string, version: number): Promise<void>
  /** Runs slow work on policies a few at a time; it limits how many askers each holder has under way. */
  proofs: ProofQueue
  prove: InSlices
  issuers: Issuers
  operatorIssuers: Issuers
  /** Hashes a password; only a few run at once, since each takes 19 MiB. */
  hashPassword: HashPassword
  ending: AbortController
  reach: Reach
}

export interface Parts
  extends Pick<
    Context,
    | 'mode'
    | 'durable'
    | 'config'
    | 'webhookKey'
    | 'sealingKey'
    | 'localHosts'
    | 'store'
    | 'keys'
    | 'doorbell'
    | 'events'
    | 'tracer'
  > {}

const together = { size_max: 64, groups_max: 2, isOfAll: isLost }
/**
 * The large documents that are read at once; each reserves `list_bytes_max`, although it may have
 * `import_body_bytes_max` bytes, and a holder reads one of them at a time.
 */
const documentsAtOnce = 4

export function createContext(parts: Parts): Context {
  const { store, keys, config } = parts
  const rules = createRulesCache(store, config)
  const proofs = createProofQueue(parts.events)
  const reach = createFailpoints(config.failpoints ?? [], parts.events.failpointReached)
  const databaseClock = createDatabaseClock()
  return {
    ...parts,
    ...rules,
    listening: { url: null },
    bench: { dependencies: null },
    ending: createEnding(),
    reach,
    databaseClock,
    organizationOf: createOrganizationOf(store, config.hosted_accounts),
    proofs,
    prove: proofs.of(byItself),
    issuers: issuersOf(config.oidc_issuers),
    operatorIssuers: issuersOf(config.operator_issuers),
    hashPassword: createPasswordHasher(),
    watch: createChangePoller({
      versions: ids => store.read('all', reader => readEventCounts(reader, ids)),
      now: monotonicMs,
      onError: error => parts.events.failed('watch', error),
    }),
    tail: createLogPoller({
      read: places => store.read('all', reader => readTail(reader, places)),
      now: monotonicMs,
      onError: error => parts.events.failed('tail', error),
    }),
    listRoom: createRoom({
      bytesMax: config.list_bytes_max,
      holderBytesMax: config.list_bytes_max / 4,
      waitMsMax: 2_000,
      waitingMax: 1_000,
    }),
    documentRoom: createRoom({
      bytesMax: documentsAtOnce * limits.list_bytes_max,
      // A holder that reads a small document may begin another one.
      holderBytesMax: 1.25 * limits.list_bytes_max,
      waitMsMax: 10_000,
      waitingMax: 100,
    }),
    heldRoom: createHeldRoom(store, config.held_bytes_max),
    streams: createOpenStreams(),
    findKey: createBatcher({
      ...together,
      async run(keyIds: string[]) {
        const found = await keys.read('all', reader => findKeys(reader, [...new Set(keyIds)]))
        if (keys === store) databaseClock.heard(found.now)
        return keyIds.map(keyId => ({ key: found.keys.get(keyId), now: found.now }))
      },
    }),
  }
}

function issuersOf(settings: IssuersOptions['settings']): Issuers {
  return createIssuers({ settings, readSecret: readIssuerSecret, now: () => afterNow(0).getTime() })
}

/** True if one statement sees both actions and keys; keys may have a database of their own. */
export function areKeysBeside({ keys, store }: Pick<Context, 'keys' | 'store'>): boolean {
  return keys === store
}

/**
 * Creates a thing such as a batcher once per store, on first use, so that all requests of the process share it.
 */
export function perContext<Thing>(create: (context: Context) => Thing): (context: Context) => Thing {
  const made = new WeakMap<Store, { thing: Thing }>()
  return context => {
    const own = ownContext(context)
    const known = made.get(own.store) ?? { thing: create(own) }
    made.set(own.store, known)
    return known.thing
  }
}

const ownContexts = new WeakMap<Store, Context>()

/** Returns the context of a request whose writing transactions begin with the `held` stores. */
export function contextWith(context: Context, held: Pick<Context, 'store' | 'keys'>): Context {
  ownContexts.set(held.store, context)
  return { ...context, ...held }
}

/** Returns the process's context, for shared work and for work that must outlive the request. */
export function ownContext(context: Context): Context {
  return ownContexts.get(context.store) ?? context
}

/** Returns the organization of a tenant, or null if it has none. */
type OrganizationOf = (tenantId: string) => Promise<string | null>

const knownMax = 10_000

/** Caches the organization of each tenant, which never changes. */
function createOrganizationOf(store: Store, isHosted: boolean): OrganizationOf {
  const known = createBoundedMap<string | null>(knownMax)
  const find = createBatcher<string, string | null>({
    size_max: 64,
    groups_max: 2,
    async run(tenantIds) {
      const owners = await store.read('all', reader => ownersOf(reader, [...new Set(tenantIds)]))
      return tenantIds.map(tenantId => owners.get(tenantId) ?? null)
    },
  })
  return async tenantId => {
    if (!isHosted) return null
    const before = known.get(tenantId)
    if (before !== undefined) return before
    const found = await find(tenantId)
    known.put(tenantId, found)
    return found
  }
}

const knownKeysMax = 10_000

export const knownKeysOf = perContext(() => createBoundedMap<PresentedKey>(knownKeysMax))

/**
 * Returns the holder of a key, or null if none was recorded; a cached key suffices, because its holder never
 * changes.
 */
export async function keyHolder(context: Context, keyId: string): Promise<string | null> {
  const key = knownKeysOf(context).get(keyId) ?? (await context.findKey(keyId)).key
  return key?.holder ?? null
}
