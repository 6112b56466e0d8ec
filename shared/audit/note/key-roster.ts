import type { AuditKey } from '../../contract/action/audit-log.ts'
import { ok, type Result, refused } from '../../result.ts'

export type RosterKey = Pick<AuditKey, 'key_id' | 'status'>

/**
 * Plans the status of each key when a process starts with its own keys, oldest first. The first usable key becomes
 * `active`, later ones `next`. Keys older than all own keys are retired, while newer keys of another process
 * remain. Refuses if one of the own keys is retired or compromised.
 */
export function planKeys(
  known: readonly RosterKey[],
  own: readonly string[],
  compromised: readonly string[],
): Result<RosterKey[], string> {
  const before = new Map(known.map(({ key_id, status }) => [key_id, status]))
  for (const key_id of own) {
    const status = compromised.includes(key_id) ? 'compromised' : before.get(key_id)
    if (status === 'retired' || status === 'compromised')
      return refused(`the key ${key_id} is ${status} and signs no more`)
  }
  const firstOwn = known.findIndex(({ key_id }) => own.includes(key_id))
  const kept = firstOwn === -1 ? [] : known.slice(firstOwn).filter(isInUse)
  const inUse = [...kept.map(({ key_id }) => key_id), ...own.filter(key_id => !before.has(key_id))].filter(
    key_id => !compromised.includes(key_id),
  )
  const after = known.map(({ key_id, status }) => {
    if (compromised.includes(key_id)) return { key_id, status: 'compromised' as const }
    return { key_id, status: inUse.includes(key_id) || !isInUse({ key_id, status }) ? status : 'retired' }
  })
  const signing = inUse.map((key_id, place) => ({ key_id, status: place === 0 ? 'active' : 'next' }) as const)
  const planned = new Map<string, RosterKey['status']>(
    [...after, ...signing].map(key => [key.key_id, key.status]),
  )
  return ok([...planned].map(([key_id, status]) => ({ key_id, status })))
}

function isInUse({ status }: RosterKey): boolean {
  return status === 'active' || status === 'next'
}
