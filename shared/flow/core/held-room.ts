import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { heldBytes } from '../../store/action/actions.ts'
import type { Store } from '../../store/postgres/open.ts'

/** Limits the bytes of held actions per tenant; only a proposal that is to be held takes room. */
export interface HeldRoom {
  /** Reserves bytes; returns null if the tenant has no room left. */
  take(tenantId: string, bytes: number): Promise<HeldPlace | null>
}

/** A reservation; its holder calls exactly one of the two, depending on whether the proposal was stored. */
export interface HeldPlace {
  keep(): void
  giveBack(): void
}

/** The room of a tenant by the latest count, less what this process has reserved since. */
interface Known {
  room: number
  /** Bytes that this process may still add before it counts again. */
  grant: number
  hasOne: boolean
  countedAt: number
  tookMs: number
}

interface Tenant {
  known: Known | null
  /** Bytes being written, which a count may or may not include. */
  pending: number
  /** Bytes stored during a count, which the count may have missed. */
  cameMeanwhile: number
  counting: Promise<void> | null
}

const tenantsMax = 10_000
/** A process takes an eighth of the room it saw, because other processes add too; so the limit is rarely exceeded. */
const grantsOfRoom = 8
/**
 * Milliseconds for which a count lets proposals in; one that exceeds the room is refused only by a count of the
 * last second, since room may have become free.
 */
const knownMs = 10_000
const fullMs = 1_000
/**
 * A count is used for at least 20 times as long as it took, so that counting takes at most a twentieth of the
 * time.
 */
const restOfCounts = 20

export function createHeldRoom(store: Store, bytesMax: number): HeldRoom {
  const tenants = createBoundedMap<Tenant>(tenantsMax)

  const tenantOf = (tenantId: string): Tenant => {
    const before = tenants.get(tenantId)
    if (before) return before
    const fresh: Tenant = { known: null, pending: 0, cameMeanwhile: 0, counting: null }
    tenants.put(tenantId, fresh)
    return fresh
  }

  const count = async (tenantId: string, tenant: Tenant): Promise<void> => {
    const begunAt = monotonicMs()
    tenant.cameMeanwhile = 0
    try {
      const bytes = await store.read([tenantId], reader => heldBytes(reader, tenantId))
      const room = Math.max(0, bytesMax - bytes - tenant.pending - tenant.cameMeanwhile)
      const countedAt = monotonicMs()
      const tookMs = countedAt - begunAt
      tenant.known = { room, grant: room / grantsOfRoom, hasOne: true, countedAt, tookMs }
    } finally {
      tenant.counting = null
    }
  }

  return {
    async take(tenantId, bytes) {
      const tenant = tenantOf(tenantId)
      for (;;) {
        const { known } = tenant
        if (known && isNewerThan(known, knownMs)) {
          if (allows(known, bytes)) return placeOf(tenant, known, bytes)
          if (bytes > known.room && isNewerThan(known, fullMs)) return null
        }
        tenant.counting ??= count(tenantId, tenant)
        await tenant.counting
      }
    },
  }
}

function isNewerThan({ countedAt, tookMs }: Known, ms: number): boolean {
  return monotonicMs() - countedAt < Math.max(ms, restOfCounts * tookMs)
}

/**
 * Lets one proposal per count exceed the grant if it fits the room, since it would otherwise be counted again for
 * ever.
 */
function allows({ room, grant, hasOne }: Known, bytes: number): boolean {
  return bytes <= grant || (hasOne && bytes <= room)
}

function placeOf(tenant: Tenant, known: Known, bytes: number): HeldPlace {
  known.hasOne = known.hasOne && bytes <= known.grant
  known.grant = Math.max(0, known.grant - bytes)
  known.room -= bytes
  tenant.pending += bytes
  return {
    keep() {
      tenant.pending -= bytes
      tenant.cameMeanwhile += bytes
    },
    giveBack() {
      tenant.pending -= bytes
      if (tenant.known !== known) return
      known.room += bytes
      known.grant += bytes
    },
  }
}
