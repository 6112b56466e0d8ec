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

/** Everything a flow needs: handles, doorbell, and what concurrent requests share. */
export interface Context {
  mode: 'embedded' | 'platform'
  /** Whether what is stored outlives the process. */
  durable: boolean
  config: Config
  /** Where this process listens; null while it does not. */
  listening: { url: string | null }
  /** What secrets of webhooks are derived from; null: there are no webhooks. */
  webhookKey: Buffer | null
  /** What stored secrets are sealed to; null: none can be written. */
  sealingKey: SealingKey | null
  /** Hosts of this machine that an operator let actuators call. */
  localHosts: LocalHosts
  /** What the actuators of the worker in this process have around them; null while there is none. */
  bench: { dependencies: RegistryDependencies | null }
  /** What documents that are imported have under way, while they are read. */
  documentRoom: Room
  store: Store
  keys: Store
  doorbell: Doorbell
  watch: ChangePoller
  /** Waiting for the logs of tenants to grow. */
  tail: LogPoller<LogTailEntry>
  /** What pages of lists have under way. */
  listRoom: Room
  /** Room for what waits for approval, by tenant. */
  heldRoom: HeldRoom
  /** Live streams of this process. */
  streams: OpenStreams
  events: Events
  databaseClock: DatabaseClock
  tracer: Tracer
  /** Look a key up: at most one statement for all requests that ask at the same moment. */
  findKey(keyId: string): Promise<{ key: PresentedKey | undefined; now: string }>
  organizationOf: OrganizationOf
  /** The compiled rules of a tenant, or null when there is none. */
  rules(tenantId: string): Promise<Rules | null>
  /** Forget rules that turned out to be out of date: whoever waits for it and asks again is not told them. */
  forgetRules(tenantId: string, version: number): Promise<void>
  /** Work on policies that takes long: a few at a time, and of each who asks so many. */
  proofs: ProofQueue
  /** Prove, compare or replay for whom this context is: a request, or the process. */
  prove: InSlices
  /** Where people sign in elsewhere. */
  issuers: Issuers
  /** Where operators sign in to the console. */
  operatorIssuers: Issuers
  /** Hash a password, a few at a time. */
  hashPassword: HashPassword
  /** Aborted when the process was told to end. */
  ending: AbortController
  /** A step at which a test may kill, fail or hold the process. */
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
/** Each may be as large as `import_body_bytes_max`, and of one holder one is read. */
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
      // Beside what they have under way, where that is small, a holder may begin with one more.
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

/** Whether one statement sees actions and keys: keys may have a database of their own. */
export function areKeysBeside({ keys, store }: Pick<Context, 'keys' | 'store'>): boolean {
  return keys === store
}

/**
 * What is made once for a store, when it is asked for first: such as a batcher of requests. A request may have a context of
 * its own, and shares it.
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

/** The context of a request whose writing transactions begin with `held` stores. */
export function contextWith(context: Context, held: Pick<Context, 'store' | 'keys'>): Context {
  ownContexts.set(held.store, context)
  return { ...context, ...held }
}

/** The context of the process: for what requests share, and for what is done whatever became of who asked. */
export function ownContext(context: Context): Context {
  return ownContexts.get(context.store) ?? context
}

/** The organization that a tenant belongs to; null where nobody signed up for it. */
type OrganizationOf = (tenantId: string) => Promise<string | null>

const knownMax = 10_000

/** A tenant belongs to the same organization from its beginning on: each process asks once. */
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

/** Keys that were good when they were looked up last. */
export const knownKeysOf = perContext(() => createBoundedMap<PresentedKey>(knownKeysMax))

/** Who holds a key: that never changes, so a known key is not looked up again. Null where nobody recorded it. */
export async function keyHolder(context: Context, keyId: string): Promise<string | null> {
  const key = knownKeysOf(context).get(keyId) ?? (await context.findKey(keyId)).key
  return key?.holder ?? null
}
