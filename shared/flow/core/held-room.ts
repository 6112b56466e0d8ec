import { createBoundedMap } from '../../runtime/bounded-map.ts'
import { monotonicMs } from '../../runtime/clock.ts'
import { heldBytes } from '../../store/action/actions.ts'
import type { Store } from '../../store/postgres/open.ts'

/** Bounds the bytes of what waits for approval, by tenant. Only a proposal that is to be held asks. */
export interface HeldRoom {
  /** Room for so many bytes; null where the tenant has none. */
  take(tenantId: string, bytes: number): Promise<HeldPlace | null>
}

/** Room that was taken. Exactly one of both is called, when the proposal was stored or was not. */
export interface HeldPlace {
  keep(): void
  giveBack(): void
}

/** What this process knows of a tenant, and what it has added since. */
interface Known {
  room: number
  /** What this process may add before it counts again. */
  grant: number
  /** Whether one proposal may be larger than the grant. */
  hasOne: boolean
  countedAt: number
  tookMs: number
}

interface Tenant {
  known: Known | null
  /** Bytes under way to the database: a count may see them or not. */
  pending: number
  /** Bytes that came there while a count was under way: it may not have seen them. */
  cameMeanwhile: number
  counting: Promise<void> | null
}

const tenantsMax = 10_000
/** Other processes add as well: each may add an eighth of the room that it saw, and so seldom exceeds it. */
const grantsOfRoom = 8
/** Room that others made is seen after so long; a tenant that has none is counted no more often than this. */
const knownMs = 10_000
const fullMs = 1_000
/** Counting takes a twentieth of the time at most. */
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

/** A count lets one proposal through that has room, however small the grant: it would be counted for ever otherwise. */
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
