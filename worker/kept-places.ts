import type { Claimed, Claimer } from '../shared/flow/claim-jobs.ts'
import { monotonicMs } from '../shared/runtime/clock.ts'

/** What was committed late stands before a place: so long after the first look all is looked at anew. */
const knownMsMax = 60_000
/** Systems of tenants; of others the kept jobs are looked at with every claim, as many as one looks at. */
const placesMax = 256

/** How far jobs are known to be kept by freezes of operations and keys, by what claims came to. */
export function createKeptPlaces() {
  const places = new Map<string, { place: Claimed['places'][number]; until: number }>()

  return {
    known(): Claimer['places'] {
      const now = monotonicMs()
      for (const [key, { until }] of places) if (until <= now) places.delete(key)
      return [...places.values()].map(({ place }) => place)
    },
    /** Whether a claim would look on from one of them. */
    heard(found: Claimed['places']): boolean {
      let looksOn = false
      for (const place of found) {
        const key = `${place.tenant_id} ${place.target_system}`
        const last = places.get(key)
        if (!last && (!place.more || places.size >= placesMax)) continue
        const until = last?.place.freezes === place.freezes ? last.until : monotonicMs() + knownMsMax
        places.set(key, { place, until })
        looksOn ||= place.more
      }
      return looksOn
    },
  }
}
